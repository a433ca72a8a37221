// Softmax and its kin, and the norms.
#include <cmath>

#include "step.h"

namespace heed::onnx {
namespace {

Attribute axis_of(const Step& step) { return attribute("axis", std::int64_t{step.axis("axis")}); }

// Masked places read `hidden` and get 0, also where a row has none that is not.
std::string seen(const Step& step, const std::string& mask) {
  if (mask.empty()) return step.in(0);
  return step.to.node("Where", {mask, step.in(0), step.to.number(-INFINITY, step.dtype())});
}
std::string hidden_as_zero(const Step& step, const std::string& mask, const std::string& y) {
  if (mask.empty()) return y;
  return step.to.node("Where", {mask, y, step.to.number(0, step.dtype())});
}

void softmax(const Step& step) {
  const std::string mask = step.operand("mask");
  const std::string y = step.to.node("Softmax", {seen(step, mask)}, {axis_of(step)});
  step.out(hidden_as_zero(step, mask, y));
}

void log_softmax(const Step& step) {
  step.out(step.to.node("LogSoftmax", {step.in(0)}, {axis_of(step)}));
}

// max(x - t, 0) with t from the sorted numbers: those count that keep k x_k + 1 above their sum.
void sparsemax(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  const DType dtype = step.dtype();
  const std::string mask = step.operand("mask"), x = seen(step, mask);
  const std::string count = to.extent(step.sizes(0, axis), "the length of its axis");
  const std::string sorted =
      to.nodes("TopK", {x, count}, 2, {attribute("axis", std::int64_t{axis})})[0];
  const std::string sums = to.node(
      "CumSum", {sorted, to.constant(Array::full(Shape{}, static_cast<double>(axis), DType::i64))});
  std::string places = to.cast(to.node("Add", {to.range(count), to.whole({1})}), dtype);
  std::vector<Index> behind;
  for (Index at = axis + 1; at < step.rank(); ++at) behind.push_back(at - axis);
  if (!behind.empty()) places = to.node("Unsqueeze", {places, to.whole(behind)});
  const std::string bound = to.node("Add", {to.node("Mul", {places, sorted}), to.number(1, dtype)});
  const std::string counts = to.node("Greater", {bound, sums});
  const auto sum = [&](const std::string& of) {
    return to.node("ReduceSum", {of, to.whole({axis})}, {attribute("keepdims", std::int64_t{1})});
  };
  const std::string zero = to.number(0, dtype);
  const std::string total = sum(to.node("Where", {counts, sorted, zero}));
  const std::string threshold =
      to.node("Div", {to.node("Sub", {total, to.number(1, dtype)}), sum(to.cast(counts, dtype))});
  const std::string y = to.node("Relu", {to.node("Sub", {x, threshold})});
  step.out(hidden_as_zero(step, mask, y));
}

// max((a - 1) x - t, 0)^(1 / (a - 1)) with t by halves: between the largest (a - 1) x less 1, where
// the sum is at least 1, and the largest itself, where it is 0.
void entmax(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis");
  const DType dtype = step.dtype();
  const std::string mask = step.operand("mask"), x = seen(step, mask);
  const auto two = [&](const char* type, const std::string& a, const std::string& b) {
    return to.node(type, {a, b});
  };
  const std::string one = to.number(1, dtype), half = to.number(0.5, dtype);
  const std::string slope = two("Sub", step.in(1), one);
  const std::string power = to.node("Reciprocal", {slope});
  const std::string scaled = two("Mul", x, slope);
  const Attribute kept = attribute("keepdims", std::int64_t{1});
  std::string high =
      to.node("ReduceMax", {scaled}, {attribute("axes", std::vector<Index>{axis}), kept});
  std::string low = two("Sub", high, one);
  const auto weights = [&](const std::string& threshold) {
    return two("Pow", to.node("Relu", {two("Sub", scaled, threshold)}), power);
  };
  const auto sum = [&](const std::string& of) {
    return to.node("ReduceSum", {of, to.whole({axis})}, {kept});
  };
  const int halvings = dtype == DType::f64 ? 50 : 26;
  for (int i = 0; i < halvings; ++i) {
    const std::string middle = two("Mul", two("Add", low, high), half);
    const std::string enough = two("GreaterOrEqual", sum(weights(middle)), one);
    low = to.node("Where", {enough, middle, low});
    high = to.node("Where", {enough, high, middle});
  }
  const std::string p = weights(low);
  step.out(hidden_as_zero(step, mask, two("Div", p, sum(p))));
}

// (x - mean) / sqrt(variance + eps) weight + bias
void standardize(const Step& step) {
  GraphWriter& to = step.to;
  const std::vector<Index> axes = step.numbers("axes");
  const DType dtype = step.dtype();
  const auto mean = [&](const std::string& of) {
    return to.node("ReduceMean", {of},
                   {attribute("axes", axes), attribute("keepdims", std::int64_t{1})});
  };
  std::string x = step.in(0);
  if (step.number("centred") != 0) x = to.node("Sub", {x, mean(x)});
  const std::string variance = mean(to.node("Mul", {x, x}));
  const std::string scale =
      to.node("Sqrt", {to.node("Add", {variance, to.number(step.real("eps"), dtype)})});
  std::string y = to.node("Div", {x, scale});
  if (step.has(1)) y = to.node("Mul", {y, step.in(1)});
  if (step.has(2)) y = to.node("Add", {y, step.in(2)});
  step.out(y);
}

void layer_norm(const Step& step) {
  GraphWriter& to = step.to;
  const Index first = step.numbers("axes").front();
  std::string weight = step.in(1);
  if (weight.empty()) {
    const Shape& shape = step.array(0).shape();
    weight = to.constant(
        Array::full(Shape(shape.begin() + first, shape.rank() - first), 1, step.dtype()));
    for (Index axis = first; axis < step.rank(); ++axis) {
      if (step.sizes(0, axis) == std::vector<Index>(to.passes(), shape[axis])) continue;
      standardize(step);  // ones that follow the sizes are not worth their making
      return;
    }
  }
  step.out(to.node("LayerNormalization", {step.in(0), weight, step.in(2)},
                   {attribute("axis", std::int64_t{first - step.rank()}),
                    attribute("epsilon", step.real("eps"))}));
}

}  // namespace

void add_normalisers(Writers& to) {
  to["softmax"] = softmax;
  to["log_softmax"] = log_softmax;
  to["sparsemax"] = sparsemax;
  to["entmax"] = entmax;
  to["layer_norm"] = layer_norm;
  to["rms_norm"] = standardize;
  to["group_norm"] = standardize;
  to["batch_norm"] = standardize;
}

}  // namespace heed::onnx
