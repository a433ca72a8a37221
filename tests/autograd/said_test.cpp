// What operators say of themselves to who traces: what beside their operands decides the result.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../core/traced.h"

namespace heed {
namespace {

std::string text_of(const Array& x) {
  return x.defined() ? fmt::format("{}{}", name(x.dtype()), to_string(x.shape())) : "none";
}
std::string text_of(Index x) { return std::to_string(x); }
std::string text_of(double x) { return fmt::format("{}.", x); }
std::string text_of(const std::vector<Index>& x) { return fmt::format("[{}]", fmt::join(x, " ")); }

// A line for each call: op(operands) name value, name value; "=" before what has no derivative.
class Listener final : public Tracer {
 public:
  std::vector<std::string> lines;
  void computed(const Call& call) override { add(call, "="); }
  std::uint32_t called(const Call& call) override {
    add(call, "");
    return 0;
  }

 private:
  void add(const Call& call, const char* mark) {
    std::vector<std::string> inputs;
    for (const Array& input : call.inputs) inputs.push_back(text_of(input));
    std::string line = fmt::format("{}{}({})", mark, call.op, fmt::join(inputs, ", "));
    const char* between = " ";
    for (const Said& each : take_said()) {
      line += between + std::string(each.name) + " " +
              std::visit([](const auto& value) { return text_of(value); }, each.value);
      between = ", ";
    }
    lines.push_back(line);
  }
};

std::vector<std::string> told(const std::function<void()>& calls) {
  Listener listener;
  const Tracer::Installed installed(listener);
  calls();
  return listener.lines;
}

/// Of several calls that a statement makes the text is that of the last.
#define EXPECT_TOLD(text, ...) EXPECT_EQ(told([&] { __VA_ARGS__; }).back(), text)
/// One of them is told so.
#define EXPECT_TOLD_AMONG(text, ...) \
  EXPECT_THAT(told([&] { __VA_ARGS__; }), testing::Contains(std::string(text)))

Tensor x() { return zeros({2, 3, 5}); }
Tensor matrix() { return zeros({3, 5}); }
Tensor image() { return zeros({2, 4, 7, 9}); }
Tensor yes() { return ones({2, 3, 5}, DType::boolean); }
Tensor ids(const Shape& shape = {2}) { return zeros(shape, DType::i64); }

TEST(Said, OfPartsAndShapes) {
  EXPECT_TOLD("pad(f32[2, 3, 5]) pads [1 2 -1 3], value 7.",
              pad(x(), {1, 2, -1, 3}, PadMode::constant, 7));
  EXPECT_TOLD("slice(f32[2, 3, 5]) axis -1, start 1, stop 5, step 3", slice(x(), -1, 1, 5, 3));
  EXPECT_TOLD("slice(f32[2, 3, 5]) axis 1, start 1, stop 3, step 1", narrow(x(), 1, 1, 2));
  EXPECT_TOLD("select(f32[2, 3, 5]) axis -1, index 3", select(x(), -1, -2));
  EXPECT_TOLD("diagonal(f32[2, 3, 5]) offset 1, axis1 2, axis2 0", diagonal(x(), 1, 2, 0));
  EXPECT_TOLD("diagonal_scatter(f32[3, 5]) offset -2, axis1 1, axis2 2", diag_embed(matrix(), -2));
  EXPECT_TOLD("flip(f32[2, 3, 5]) axes [0 2]", flip(x(), {2, -3}));
  EXPECT_TOLD("concat(f32[2, 3, 5], f32[2, 3, 5]) axis 1", concat({x(), x()}, -2));
  EXPECT_TOLD("stack(f32[2, 3, 5], f32[2, 3, 5]) axis 3", stack({x(), x()}, -1));
  EXPECT_TOLD("split(f32[2, 3, 5]) axis 2, lengths [2 1 2]", split(x(), {2, 1, 2}, -1));
  EXPECT_TOLD("unfold(f32[2, 3, 5]) axis 2, size 3, step 2", unfold(x(), -1, 3, 2));
  EXPECT_TOLD("overlap_add(f32[2, 3, 5]) axis 1, step 2", overlap_add(x(), 1, 9, 2));
  EXPECT_TOLD("transpose(f32[2, 3, 5]) a -1, b 0", transpose(x(), -1, 0));
  EXPECT_TOLD("permute(f32[2, 3, 5]) axes [2 0 -2]", permute(x(), {2, 0, -2}));
  EXPECT_TOLD("squeeze(f32[2, 1, 3]) axis 1", squeeze(zeros({2, 1, 3}), -2));
  EXPECT_TOLD("unsqueeze(f32[2, 3, 5]) axis 3", unsqueeze(x(), -1));
  EXPECT_TOLD("expand(f32[3, 5])", expand(matrix(), {2, 3, 5}));
  EXPECT_TOLD("reshape(f32[2, 3, 5])", reshape(x(), {6, 5}));
  EXPECT_TOLD("to(f32[2, 3, 5])", to(x(), DType::f64));
  EXPECT_TOLD("=to(f32[2, 3, 5])", to(x(), DType::i64));
  EXPECT_TOLD("=to(i64[2])", to(ids(), DType::f32));
}

TEST(Said, OfDerivativesThatPutThePartBack) {
  const Tensor leaf = x().set_requires_grad();
  const auto derivative = [&](auto&& part) {
    return told([&] { grad({sum(part(leaf))}, {leaf}, {}, {.create_graph = true}); });
  };
  EXPECT_THAT(derivative([](const Tensor& t) { return slice(t, 1, 0, 3, 2); }),
              testing::Contains("slice_scatter(f32[2, 2, 5]) axis 1, start 0, stop 3, step 2"));
  EXPECT_THAT(derivative([](const Tensor& t) { return diagonal(t, 1, 2, 0); }),
              testing::Contains("diagonal_scatter(f32[3, 1]) offset 1, axis1 2, axis2 0"));
}

TEST(Said, OfPlaces) {
  EXPECT_TOLD("embedding(f32[3, 5]) ids i64[2, 7]", embedding(matrix(), ids({2, 7})));
  EXPECT_TOLD("index_select(f32[2, 3, 5]) axis 1, index i64[2]", index_select(x(), -2, ids()));
  EXPECT_TOLD("index_add(f32[2, 3, 5], f32[2, 2, 5]) axis 1, index i64[2]",
              index_add(x(), -2, ids(), zeros({2, 2, 5})));
  EXPECT_TOLD("gather(f32[2, 3, 5]) axis 1, index i64[2, 1, 5]", gather(x(), 1, ids({2, 1, 5})));
  EXPECT_TOLD("scatter_add(f32[2, 3, 5], f32[2, 1, 5]) axis 1, index i64[2, 1, 5]",
              scatter_add(x(), 1, ids({2, 1, 5}), zeros({2, 1, 5})));
  EXPECT_TOLD_AMONG("index_put(f32[3, 5], f32[2, 5]) index i64[2]",
                    index_put(matrix(), {ids()}, zeros({2, 5})));
  EXPECT_TOLD("=one_hot(i64[2]) classes 7", one_hot(ids(), 7));
  EXPECT_TOLD_AMONG("=topk(f32[2, 3, 5]) axis 1, count 3, largest 1, sorted 1", sort(x(), 1, true));
  EXPECT_TOLD_AMONG("=topk(f32[2, 3, 5]) axis 1, count 2, largest 0, sorted 0",
                    topk(x(), 2, 1, false, false));
  EXPECT_TOLD_AMONG("=argmax(f32[2, 3, 5]) axis 1, keepdim 1", max(x(), 1));
  EXPECT_TOLD_AMONG("=argmin(f32[2, 3, 5]) axis 1, keepdim 1", min(x(), 1, true));
  EXPECT_TOLD("=argmax(f32[2, 3, 5]) axis -1, keepdim 1", argmax(x(), -1, true));
  EXPECT_TOLD("=argmin(f32[2, 3, 5]) axis 1, keepdim 0", argmin(x(), 1));
  EXPECT_TOLD("=argmax(f32[30]) axis 0, keepdim 0", argmax(x()));
  const Tensor grid = zeros({2, 3, 8, 2});
  const std::string sampled = "=grid_sample(f32[2, 4, 7, 9], f32[2, 3, 8, 2]) ";
  EXPECT_TOLD(sampled + "nearest 1, border 0, align_corners 0",
              grid_sample(image(), grid, {.mode = Interpolation::nearest}));
  EXPECT_TOLD(sampled + "nearest 0, border 1, align_corners 0",
              grid_sample(image(), grid, {.padding = GridPadding::border}));
  EXPECT_TOLD(sampled + "nearest 0, border 0, align_corners 1",
              grid_sample(image(), grid, {.align_corners = true}));
}

TEST(Said, OfReductionsAndScans) {
  EXPECT_TOLD("sum(f32[2, 3, 5]) axes [0 2], keepdim 0", sum(x(), {-1, 0}));
  EXPECT_TOLD("mean(f32[2, 3, 5]) axes [1], keepdim 1", mean(x(), {1}, true));
  EXPECT_TOLD("prod(f32[2, 3, 5]) axes [1], keepdim 0", prod(x(), {1}));
  EXPECT_TOLD("logsumexp(f32[2, 3, 5]) axes [2], keepdim 1", logsumexp(x(), {2}, true));
  EXPECT_TOLD("amax(f32[2, 3, 5]) axes [2], keepdim 0", amax(x(), {-1}));
  EXPECT_TOLD("amin(f32[2, 3, 5]) axes [0 1], keepdim 0", amin(x(), {0, 1}));
  EXPECT_TOLD("=all(f32[2, 3, 5]) axes [1], keepdim 0", all(x(), {1}));
  EXPECT_TOLD("=any(f32[2, 3, 5]) axes [1], keepdim 1", any(x(), {1}, true));
  EXPECT_TOLD("cumsum(f32[2, 3, 5]) axis 1, reverse 0", cumsum(x(), 1));
  EXPECT_TOLD("linear_scan(f32[2, 3, 5], f32[2, 3, 5]) axis 1, reverse 0", cumprod(x(), 1));
  EXPECT_TOLD("linear_scan(f32[2, 3, 5], f32[2, 3, 5]) axis 1, reverse 1",
              linear_scan(x(), x(), -2, true));
}

TEST(Said, OfElements) {
  EXPECT_TOLD("where(f32[2, 3, 5], f32[2, 3, 5]) condition bool[2, 3, 5]", where(yes(), x(), x()));
  EXPECT_TOLD("pow(f32[2, 3, 5]) y 1.5.", pow(x(), 1.5));
  EXPECT_TOLD("clamp(f32[2, 3, 5]) min -2., max 3.", clamp(x(), -2, 3));
  EXPECT_TOLD("clamp(f32[2, 3, 5]) min -inf., max 3.", clamp(x(), {}, 3));
  EXPECT_TOLD("leaky_relu(f32[2, 3, 5]) a 0.25., b 0., tanh 0", leaky_relu(x(), 0.25));
  EXPECT_TOLD("elu(f32[2, 3, 5]) a 2., b 0., tanh 0", elu(x(), 2));
  EXPECT_TOLD("softplus(f32[2, 3, 5]) a 2., b 3., tanh 0", softplus(x(), 2, 3));
  EXPECT_TOLD("gelu(f32[2, 3, 5]) a 0., b 0., tanh 0", gelu(x()));
  EXPECT_TOLD("gelu(f32[2, 3, 5]) a 0., b 0., tanh 1", gelu(x(), Gelu::tanh));
  EXPECT_TOLD("=lt(f32[2, 3, 5], f32[])", x() < 3);
  EXPECT_TOLD("=ge(f32[2, 3, 5], f32[3, 5])", x() >= matrix());
  EXPECT_TOLD("=isnan(f32[2, 3, 5])", isnan(x()));
  EXPECT_TOLD("=isinf(f32[2, 3, 5])", isinf(x()));
  EXPECT_TOLD("=isfinite(f32[2, 3, 5])", isfinite(x()));
  EXPECT_TOLD("=logical_not(bool[2, 3, 5])", logical_not(yes()));
  const Tensor row = ones({5}, DType::boolean);
  EXPECT_TOLD("=logical_and(bool[2, 3, 5], bool[5])", logical_and(yes(), row));
  EXPECT_TOLD("=logical_or(bool[2, 3, 5], bool[5])", logical_or(yes(), row));
  EXPECT_TOLD("=logical_xor(bool[2, 3, 5], bool[5])", logical_xor(yes(), row));
}

TEST(Said, OfNormalisers) {
  EXPECT_TOLD("softmax(f32[2, 3, 5]) axis -2, mask none", softmax(x(), -2));
  EXPECT_TOLD("softmax(f32[2, 3, 5]) axis 1, mask bool[2, 3, 5]", softmax(x(), 1, yes()));
  EXPECT_TOLD("log_softmax(f32[2, 3, 5]) axis -2", log_softmax(x(), -2));
  EXPECT_TOLD("sparsemax(f32[2, 3, 5]) axis 1, mask none", sparsemax(x(), 1));
  EXPECT_TOLD("sparsemax(f32[2, 3, 5]) axis 1, mask bool[2, 3, 5]", sparsemax(x(), 1, yes()));
  EXPECT_TOLD("entmax(f32[2, 3, 5], f32[]) axis 1, mask none", entmax(x(), 1, 1.25));
  EXPECT_TOLD("entmax(f32[2, 3, 5], f32[]) axis 1, mask bool[2, 3, 5]",
              entmax(x(), 1, 1.25, yes()));
  EXPECT_TOLD("layer_norm(f32[2, 3, 5], none, none) axes [1 2], eps 0.25., centred 1",
              layer_norm(x(), {3, 5}, {}, {}, 0.25));
  EXPECT_TOLD("rms_norm(f32[2, 3, 5], none, none) axes [2], eps 0.25., centred 0",
              rms_norm(x(), {5}, {}, 0.25));
  EXPECT_TOLD_AMONG("group_norm(f32[2, 3, 1, 5], none, none) axes [2 3], eps 0.25., centred 1",
                    group_norm(x(), 3, {}, {}, 0.25));
  EXPECT_TOLD_AMONG("batch_norm(f32[3, 10], none, none) axes [1], eps 0.25., centred 1",
                    batch_norm(x(), {}, {}, {}, {}, true, 0.5, 0.25));
  EXPECT_TOLD_AMONG(
      "cross_entropy(f32[3, 5]) targets i64[3], weight f32[5], ignore_index 7, label_smoothing "
      "0.25.",
      cross_entropy(matrix(), ids({3}),
                    {.weight = ones({5}), .ignore_index = 7, .label_smoothing = 0.25}));
  EXPECT_TOLD_AMONG(
      "cross_entropy(f32[3, 5]) targets i64[3], weight none, ignore_index -100, label_smoothing 0.",
      cross_entropy(matrix(), ids({3})));
}

TEST(Said, OfWindows) {
  const std::string convolved = "conv2d(f32[2, 4, 7, 9], f32[6, 2, 3, 2], none) ";
  EXPECT_TOLD(convolved + "stride [1 2], dilation [2 3], padding [3 1], groups 2, same 0",
              conv2d(image(), zeros({6, 2, 3, 2}), {},
                     {.stride = {1, 2}, .padding = {3, 1}, .dilation = {2, 3}, .groups = 2}));
  EXPECT_TOLD(
      "conv2d(f32[2, 4, 7, 9], f32[6, 4, 3, 5], none) stride [1 1], dilation [1 1], "
      "padding [1 2], groups 1, same 1",
      conv2d(image(), zeros({6, 4, 3, 5}), {}, {.same = true}));
  EXPECT_TOLD(
      "max_pool2d(f32[2, 4, 7, 9]) kernel [2 3], stride [3 1], padding [1 0], dilation [1 2]",
      max_pool2d(
          image(),
          {.kernel = {2, 3}, .stride = PerAxis{3, 1}, .padding = {1, 0}, .dilation = {1, 2}}));
  EXPECT_TOLD(
      "avg_pool2d(f32[2, 4, 7, 9]) kernel [2 3], stride [3 1], padding [1 0], dilation [1 1], "
      "adaptive 0, include_pad 1",
      avg_pool2d(image(), {.kernel = {2, 3}, .stride = PerAxis{3, 1}, .padding = {1, 0}}));
  EXPECT_TOLD(
      "avg_pool2d(f32[2, 4, 7, 9]) kernel [2 2], stride [2 2], padding [0 0], dilation [1 1], "
      "adaptive 0, include_pad 0",
      avg_pool2d(image(), {.kernel = 2, .count_include_pad = false}));
  EXPECT_THAT(told([] {
                adaptive_avg_pool2d(image(), {2, 3});
              }).back(),
              testing::HasSubstr("adaptive 1"));
}

TEST(Said, OfSequencesAndSolutions) {
  EXPECT_TOLD("solve_triangular(f32[3, 3], f32[3, 5]) upper 1, unit 0",
              solve_triangular(eye(3, 3), matrix(), {.upper = true}));
  EXPECT_TOLD("solve_triangular(f32[3, 3], f32[3, 5]) upper 0, unit 1",
              solve_triangular(eye(3, 3), matrix(), {.unit = true}));
  const RnnWeights w{zeros({4, 5}), zeros({4, 4}), {}, {}};
  const std::string of = ", none, none, f32[4, 5], f32[4, 4], none, none) ";
  EXPECT_TOLD("rnn(f32[2, 3, 5]" + of + "relu 1, packed 0",
              rnn(x(), Tensor(), {w}, {}, Nonlinearity::relu));
  EXPECT_TOLD("rnn(f32[2, 3, 5]" + of + "relu 0, packed 0, lengths i64[2]",
              rnn(x(), Tensor(), {w}, {3, 1}));
  EXPECT_TOLD("rnn(f32[4, 5]" + of + "relu 0, packed 1", rnn(pack(x(), {3, 1}), Tensor(), {w}));
}

TEST(Said, BelongsToItsCall) {
  EXPECT_TOLD("relu(f32[2, 3, 5])", relu(x()));
  EXPECT_TOLD("abs(f32[2, 3, 5])", sum(x(), {1}); abs(x()));
  EXPECT_TOLD("matmul(f32[3, 5], f32[5, 2])", matmul(matrix(), zeros({5, 2})));
}

}  // namespace
}  // namespace heed
