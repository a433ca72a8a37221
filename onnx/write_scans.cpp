// Operators that go along an axis step by step, each step from what the one before has left: ONNX's
// Scan, whose body is one step. The axis may be of any length.
#include <limits>
#include <memory>
#include <optional>

#include "step.h"

namespace heed::onnx {
namespace {

// The graph of one step. It reads its own inputs, and constants of the graph around it.
class Body {
 public:
  explicit Body(GraphWriter& to) : to_(to) { graph_->name = to.fresh("step"); }

  std::string input(DType dtype) {
    graph_->inputs.push_back({to_.fresh("given"), data_type_of(dtype), std::nullopt});
    return graph_->inputs.back().name;
  }
  std::string node(const char* type, const Names& inputs, const Attributes& attributes = {}) {
    const std::string made = to_.fresh(type);
    graph_->nodes.push_back({.op_type = type,
                             .name = made,
                             .inputs = inputs,
                             .outputs = {made + ":0"},
                             .attributes = attributes});
    return made + ":0";
  }
  void output(const std::string& value, DType dtype) {
    graph_->outputs.push_back({value, data_type_of(dtype), std::nullopt});
  }
  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  GraphWriter& to_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

std::vector<Index> shape_of(const Array& array) {
  return {array.shape().begin(), array.shape().end()};
}

// As result 0 is in each pass, after `change`.
template <class Change>
std::string zeros_as_result(const Step& step, DType dtype, const Change& change) {
  GraphWriter& to = step.to;
  std::vector<std::vector<Index>> shapes;
  for (std::size_t pass = 0; pass < to.passes(); ++pass) {
    shapes.push_back(shape_of(step.result(0, pass)));
    change(shapes.back());
  }
  return to.node("Expand", {to.number(0, dtype), to.extents(shapes, "a size of its result")});
}

// The rows of the unit matrix [n, n].
std::string unit_matrix(GraphWriter& to, const std::string& places, DType dtype) {
  return to.cast(to.node("Equal", {to.node("Unsqueeze", {places, to.whole({1})}), places}), dtype);
}

// h_t = a_t h_{t-1} + b_t, from 0 on: what stands before the first place counts for nothing.
void linear_scan(const Step& step) {
  GraphWriter& to = step.to;
  const Index axis = step.axis("axis"), reverse = step.number("reverse");
  const DType dtype = step.dtype();
  Body body(to);
  const std::string h = body.input(dtype), a = body.input(dtype), b = body.input(dtype);
  const std::string next = body.node("Add", {body.node("Mul", {a, h}), b});
  body.output(next, dtype);
  body.output(body.node("Identity", {next}), dtype);
  const std::string none =
      zeros_as_result(step, dtype, [axis](auto& shape) { shape.erase(shape.begin() + axis); });
  const std::vector<Index> along = {axis}, turned = {reverse};
  const Names out =
      to.nodes("Scan", {none, step.in(0), step.in(1)}, 2,
               {{"body", body.graph()},
                attribute("num_scan_inputs", std::int64_t{2}),
                attribute("scan_input_axes", std::vector<Index>{axis, axis}),
                attribute("scan_input_directions", std::vector<Index>{reverse, reverse}),
                attribute("scan_output_axes", along),
                attribute("scan_output_directions", turned)});
  step.out(out[1]);
}

// Row by row of a X = b: X_i = (b_i - a_i X) / a_ii, where the rows of X that are still to come
// are 0.
void solve_triangular(const Step& step) {
  GraphWriter& to = step.to;
  const bool upper = step.number("upper") != 0, unit = step.number("unit") != 0;
  const DType dtype = step.dtype();
  const std::vector<Index> sizes = step.sizes(0, step.rank() - 1);
  const std::string places = to.range(to.extent(sizes, "how many equations it has"));
  const Index off = unit ? (upper ? 1 : -1) : 0;
  const std::string half =
      to.node("Trilu",
              {step.in(0), to.constant(Array::full(Shape{}, static_cast<double>(off), DType::i64))},
              {attribute("upper", std::int64_t{upper ? 1 : 0})});
  Body body(to);
  const std::string x = body.input(dtype), a = body.input(dtype), b = body.input(dtype);
  const std::string own = body.input(dtype);  // 1 at this row, [n]
  const auto as_row = [&](const std::string& of) {
    return body.node("Unsqueeze", {of, to.whole({-2})});
  };
  const std::string row = as_row(a);
  std::string left = body.node("Sub", {as_row(b), body.node("MatMul", {row, x})});
  if (!unit) {
    const std::string diagonal =
        body.node("ReduceSum", {body.node("Mul", {row, own}), to.whole({-1})},
                  {attribute("keepdims", std::int64_t{1})});
    left = body.node("Div", {left, diagonal});
  }
  const std::string column = body.node("Unsqueeze", {own, to.whole({-1})});
  body.output(body.node("Add", {x, body.node("Mul", {column, left})}), dtype);
  const std::int64_t turned = upper ? 1 : 0;
  step.out(to.node(
      "Scan",
      {zeros_as_result(step, dtype, [](auto&) {}), half, step.in(1),
       unit_matrix(to, places, dtype)},
      {{"body", body.graph()},
       attribute("num_scan_inputs", std::int64_t{3}),
       attribute("scan_input_axes", std::vector<Index>{step.rank() - 2, step.rank(1) - 2, 0}),
       attribute("scan_input_directions", std::vector<Index>{turned, turned, turned})}));
}

// Gauss-Jordan of [a, I] with the largest of each column as the pivot, column by column. Rows stay
// where they are: which one a column took is told, and they are put in order at the end.
void inverse(const Step& step) {
  GraphWriter& to = step.to;
  const DType dtype = step.dtype();
  const Index rank = step.rank();
  const std::string size = to.extent(step.sizes(0, rank - 1), "the size of its matrices");
  const std::string places = to.range(size);
  const std::string rows = to.node("Unsqueeze", {places, to.whole({1})});  // [n, 1]
  const std::string zero = to.number(0, dtype), taken = to.number(-1, dtype);
  Body body(to);
  const std::string m = body.input(dtype), used = body.input(DType::boolean);
  const std::string at = body.input(DType::i64);
  const auto over_rows = [&](const std::string& of) {
    return body.node("ReduceSum", {of, to.whole({-2})}, {attribute("keepdims", std::int64_t{1})});
  };
  const std::string column = body.node(
      "Unsqueeze",
      {body.node("Gather", {m, at}, {attribute("axis", std::int64_t{rank - 1})}), to.whole({-1})});
  const std::string sizes = body.node("Where", {used, taken, body.node("Abs", {column})});
  const std::string best =  // [.., 1, 1]
      body.node(
          "ArgMax", {sizes},
          {attribute("axis", std::int64_t{rank - 2}), attribute("keepdims", std::int64_t{1})});
  const std::string own = body.node("Equal", {rows, best});  // [.., n, 1]
  const std::string pivot = over_rows(body.node("Where", {own, column, zero}));
  const std::string row =
      body.node("Div", {over_rows(body.node("Where", {own, m, zero})), pivot});  // [.., 1, 2 n]
  const std::string others = body.node("Sub", {m, body.node("Mul", {column, row})});
  body.output(body.node("Where", {own, row, others}), dtype);
  body.output(body.node("Or", {used, own}), DType::boolean);
  body.output(body.node("Squeeze", {best, to.whole({-2, -1})}), DType::i64);

  const std::string none = zeros_as_result(step, dtype, [](auto& shape) { shape.back() = 1; });
  const std::string unit =
      to.node("Expand", {unit_matrix(to, places, dtype), to.node("Shape", {step.in(0)})});
  const std::string both =
      to.node("Concat", {step.in(0), unit}, {attribute("axis", std::int64_t{rank - 1})});
  const Names out = to.nodes("Scan", {both, to.cast(none, DType::boolean), places}, 3,
                             {{"body", body.graph()},
                              attribute("num_scan_inputs", std::int64_t{1}),
                              attribute("scan_output_axes", std::vector<Index>{rank - 2})});
  const std::string right = to.node(
      "Slice", {out[0], size, to.whole({std::numeric_limits<Index>::max()}), to.whole({rank - 1})});
  const std::string order = to.node(
      "Expand", {to.node("Unsqueeze", {out[2], to.whole({-1})}), to.node("Shape", {step.in(0)})});
  step.out(to.node("GatherElements", {right, order}, {attribute("axis", std::int64_t{rank - 2})}));
}

}  // namespace

void add_scans(Writers& to) {
  to["linear_scan"] = linear_scan;
  to["solve_triangular"] = solve_triangular;
  to["inverse"] = inverse;
}

}  // namespace heed::onnx
