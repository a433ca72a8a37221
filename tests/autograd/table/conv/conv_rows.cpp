#include "../../../../autograd/ops/conv/conv.h"

#include <functional>
#include <type_traits>

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// One convolution's sizes: x [B, C, H, W], weight [O, C / groups, KH, KW].
struct Form {
  std::string name;
  Sizes x, weight;
  Conv2dOptions options = {};
};

Index padding_of(Index padding, Index kernel, Index dilation, bool same) {
  return same ? dilation * (kernel - 1) / 2 : padding;
}

Index out_of(Index in, Index kernel, Index stride, Index padding, Index dilation, bool same) {
  return same ? in : (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

Sizes out_of(const Form& form) {
  const Conv2dOptions& o = form.options;
  return {form.x[0], form.weight[0],
          out_of(form.x[2], form.weight[2], o.stride.y, o.padding.y, o.dilation.y, o.same),
          out_of(form.x[3], form.weight[3], o.stride.x, o.padding.x, o.dilation.x, o.same)};
}

// Calls body(place of the result, of x, of weight) for every product in the definition.
void each_product(const Form& form,
                  const std::function<void(const Place&, const Place&, const Place&)>& body) {
  const Conv2dOptions& options = form.options;
  const Index up = padding_of(options.padding.y, form.weight[2], options.dilation.y, options.same);
  const Index left =
      padding_of(options.padding.x, form.weight[3], options.dilation.x, options.same);
  const Index group_out = form.weight[0] / options.groups;
  each_place(out_of(form), [&](const Place& out) {
    each_place(without(form.weight, 0), [&](const Place& tap) {
      const Index y = out[2] * options.stride.y - up + tap[1] * options.dilation.y;
      const Index x = out[3] * options.stride.x - left + tap[2] * options.dilation.x;
      if (y < 0 || y >= form.x[2] || x < 0 || x >= form.x[3]) return;
      const Index channel = out[1] / group_out * form.weight[1] + tap[0];
      body(out, {out[0], channel, y, x}, with(tap, 0, out[1]));
    });
  });
}

Block zeros_of(const Sizes& shape) {
  return Block(shape, [](const Place&) { return 0.0; });
}

Block convolved(const Form& form, const Blocks& x, bool bias) {
  Block out(out_of(form), [&](const Place& p) { return bias ? x[2]({p[1]}) : 0.0; });
  each_product(form, [&](const Place& to, const Place& from, const Place& w) {
    out.at(to) += x[0](from) * x[1](w);
  });
  return out;
}

std::vector<Form> forms() {
  return {
      {"one window", {1, 1, 2, 3}, {1, 1, 2, 3}},
      {"batch", {2, 3, 4, 5}, {2, 3, 3, 2}},
      {"a tap", {2, 3, 2, 3}, {5, 3, 1, 1}},
      {"stride and padding", {1, 2, 5, 4}, {3, 2, 3, 2}, {.stride = {2, 3}, .padding = {1, 2}}},
      {"dilation", {2, 1, 5, 7}, {2, 1, 2, 3}, {.padding = {0, 1}, .dilation = {3, 2}}},
      {"groups", {2, 4, 3, 3}, {6, 2, 2, 2}, {.padding = 1, .groups = 2}},
      {"a group a channel", {1, 3, 3, 4}, {3, 1, 2, 3}, {.stride = {1, 2}, .groups = 3}},
      {"same", {1, 2, 3, 5}, {1, 2, 2, 3}, {.dilation = {1, 2}, .same = true}},
      {"unread edge", {1, 1, 6, 5}, {1, 1, 2, 2}, {.stride = 3}},
      {"no images", {0, 2, 3, 3}, {3, 2, 2, 2}},
      {"no channels", {2, 0, 3, 3}, {3, 0, 2, 2}},
  };
}

template <class E>
BadCall refused(const std::string& text, const Shape& x, const Shape& weight,
                const Conv2dOptions& options = {}) {
  return BAD(E, text, conv2d(zeros(x), zeros(weight), Tensor(), options));
}

Row conv2d_row() {
  Row row{Op::conv2d, {}, bad_operands("conv2d", [](const Tensor& x) { return conv2d(x, x); })};
  for (const Form& form : forms()) {
    const Conv2dOptions options = form.options;
    const bool bias = form.name != "a tap";
    std::vector<Input> inputs = {in(form.x), in(form.weight)};
    if (bias) inputs.push_back(in({form.weight[0]}));
    row.samples.push_back(sample(
        form.name, inputs, [=](X x) { return conv2d(x[0], x[1], bias ? x[2] : Tensor(), options); },
        [=](B x) { return convolved(form, x, bias); }));
  }
  const Form lone{"without batch", {1, 2, 3, 4}, {3, 2, 2, 3}};
  row.samples.push_back(sample(
      lone.name, {in({2, 3, 4}), in(lone.weight)}, [](X x) { return conv2d(x[0], x[1]); },
      [lone](B x) {
        const Block out = convolved(lone, {Block(lone.x, x[0].values()), x[1]}, false);
        return Block(without(out.shape(), 0), out.values());
      }));
  const Index huge = Index{1} << 62;
  const Shape x{2, 4, 5, 7}, w{6, 4, 3, 3};
  const std::vector<BadCall> bad_calls = {
      refused<ShapeError>("conv2d: x must have rank 3 or 4, not [5, 7]", {5, 7}, w),
      refused<ShapeError>("conv2d: weight must have rank 4, not [6, 4, 3]", x, {6, 4, 3}),
      refused<ShapeError>("conv2d: channels differ: x is [2, 4, 5, 7], weight is [6, 3, 3, 3]; in "
                          "1 groups weight's second size must be 4",
                          x, {6, 3, 3, 3}),
      refused<ShapeError>("conv2d: channels differ", x, w, {.groups = 2}),
      refused<ShapeError>("conv2d: 3 groups do not divide 4 input and 6 output channels", x, w,
                          {.groups = 3}),
      refused<ShapeError>("conv2d: 4 groups do not divide 4 input and 6 output channels", x,
                          {6, 1, 3, 3}, {.groups = 4}),
      refused<ValueError>("conv2d: groups must be positive, not 0", x, w, {.groups = 0}),
      refused<ValueError>("conv2d: stride must be positive, not 0", x, w, {.stride = {1, 0}}),
      refused<ValueError>("conv2d: dilation must be positive, not -1", x, w, {.dilation = {-1, 1}}),
      refused<ValueError>("conv2d: dilation must be positive, not 0", x, w,
                          {.dilation = 0, .same = true}),
      refused<ValueError>("conv2d: kernel must be positive, not 0", x, {6, 4, 0, 3}),
      refused<ValueError>("conv2d: padding must not be negative: -1", x, w, {.padding = {0, -1}}),
      refused<ShapeError>("conv2d: the kernel reaches over 7 places, but x with padding has 5", x,
                          w, {.dilation = 3}),
      refused<ShapeError>("conv2d: ", x, w, {.padding = huge}),
      refused<ShapeError>("conv2d: ", x, w, {.padding = huge / 2, .dilation = huge}),
      refused<ShapeError>("conv2d: ", {0, 4, 5, 7}, w, {.padding = huge / 4}),
      refused<ValueError>("conv2d: same goes with stride 1 and padding 0, not with stride 2 and "
                          "padding 0",
                          x, w, {.stride = 2, .same = true}),
      BAD(ShapeError, "conv2d: bias is f32[5], weight is f32[6, 4, 3, 3]; bias must be [6]",
          conv2d(zeros(x), zeros(w), of(5))),
      BAD(DTypeError, "conv2d: dtypes differ: x is f32[2, 4, 5, 7], weight is f64[6, 4, 3, 3]",
          conv2d(zeros(x), zeros(w, DType::f64))),
      BAD(DTypeError, "conv2d: dtypes differ: x is f32[2, 4, 5, 7], bias is f64[6]",
          conv2d(zeros(x), zeros(w), of<DType::f64>(6))),
      BAD(GradError, "conv2d: weight is undefined", conv2d(zeros(x), Tensor()))};
  return with(std::move(row), {}, bad_calls);
}

Row input_grad_row() {
  const Shape x{2, 4, 5, 7};
  Row row{
      Op::conv2d_input_grad,
      {},
      {BAD(ShapeError, "conv2d_input_grad: x must have rank 4, not [4, 5, 7]",
           conv2d_input_grad({4, 5, 7}, of(6, 4, 3, 3), of(6, 3, 5))),
       BAD(ShapeError, "conv2d_input_grad: g is f32[2, 6, 3, 4], but the result is [2, 6, 3, 5]",
           conv2d_input_grad(x, of(6, 4, 3, 3), of(2, 6, 3, 4))),
       BAD(ShapeError,
           "conv2d_input_grad: ", conv2d_input_grad({2, 4, -5, 7}, of(6, 4, 3, 3), of(2, 6, 3, 5))),
       BAD(DTypeError, "conv2d_input_grad: dtypes differ: g is f64[2, 6, 3, 5], weight is f32",
           conv2d_input_grad(x, of(6, 4, 3, 3), of<DType::f64>(2, 6, 3, 5))),
       BAD(ValueError, "conv2d_input_grad: stride must be positive, not 0",
           conv2d_input_grad(x, of(6, 4, 3, 3), of(2, 6, 3, 5), {.stride = 0})),
       BAD(GradError, "conv2d_input_grad: weight is undefined",
           conv2d_input_grad(x, Tensor(), of(2, 6, 3, 5)))}};
  for (const Form& form : forms()) {
    row.samples.push_back(sample(
        form.name, {in(form.weight), in(out_of(form))},
        [=](X t) { return conv2d_input_grad(Shape(form.x), t[0], t[1], form.options); },
        [=](B b) {
          Block gx = zeros_of(form.x);
          each_product(form, [&](const Place& out, const Place& from, const Place& w) {
            gx.at(from) += b[1](out) * b[0](w);
          });
          return gx;
        }));
  }
  return row;
}

Row weight_grad_row() {
  const Shape w{6, 4, 3, 3};
  Row row{
      Op::conv2d_weight_grad,
      {},
      {BAD(ShapeError, "conv2d_weight_grad: weight must have rank 4, not [6, 4, 3]",
           conv2d_weight_grad(of(2, 4, 5, 7), {6, 4, 3}, of(2, 6, 3, 5))),
       BAD(ShapeError, "conv2d_weight_grad: g is f32[2, 6, 5, 3], but the result is [2, 6, 3, 5]",
           conv2d_weight_grad(of(2, 4, 5, 7), w, of(2, 6, 5, 3))),
       BAD(ShapeError, "conv2d_weight_grad: x must have rank 4, not [4, 5, 7]",
           conv2d_weight_grad(of(4, 5, 7), w, of(6, 3, 5))),
       BAD(DTypeError, "conv2d_weight_grad: takes f32 or f64, not i64",
           conv2d_weight_grad(of(2, 4, 5, 7), w, of<DType::i64>(2, 6, 3, 5))),
       BAD(ValueError, "conv2d_weight_grad: padding must not be negative: -2",
           conv2d_weight_grad(of(2, 4, 5, 7), w, of(2, 6, 3, 5), {.padding = -2})),
       BAD(GradError, "conv2d_weight_grad: g is undefined",
           conv2d_weight_grad(of(2, 4, 5, 7), w, Tensor()))}};
  for (const Form& form : forms()) {
    row.samples.push_back(sample(
        form.name, {in(form.x), in(out_of(form))},
        [=](X t) { return conv2d_weight_grad(t[0], Shape(form.weight), t[1], form.options); },
        [=](B b) {
          Block gw = zeros_of(form.weight);
          each_product(form, [&](const Place& out, const Place& from, const Place& tap) {
            gw.at(tap) += b[1](out) * b[0](from);
          });
          return gw;
        }));
  }
  return row;
}

Row conv1d_row() {
  const auto form = [](const std::string& name, const Sizes& x, const Sizes& weight, bool bias,
                       const Conv1dOptions& options = {}) {
    std::vector<Input> inputs = {in(x), in(weight)};
    if (bias) inputs.push_back(in({weight[0]}));
    const Form wide{name,
                    {x.size() == 3 ? x[0] : 1, x[x.size() - 2], 1, x.back()},
                    {weight[0], weight[1], 1, weight[2]},
                    {.stride = {1, options.stride},
                     .padding = {0, options.padding},
                     .dilation = {1, options.dilation},
                     .groups = options.groups,
                     .same = options.same}};
    return sample(
        name, inputs, [=](X t) { return conv1d(t[0], t[1], bias ? t[2] : Tensor(), options); },
        [=, batched = x.size() == 3](B b) {
          Blocks raised = b;
          raised[0] = Block(wide.x, b[0].values());
          raised[1] = Block(wide.weight, b[1].values());
          const Block out = convolved(wide, raised, bias);
          const Sizes shape = without(out.shape(), 2);
          return Block(batched ? shape : without(shape, 0), out.values());
        });
  };
  return {"conv1d",
          {form("batch", {2, 3, 5}, {2, 3, 3}, true), form("one shape", {2, 3, 2}, {2, 3, 2}, true),
           form("without bias", {2, 2, 5}, {3, 2, 2}, false),
           form("without batch", {2, 7}, {3, 2, 3}, true),
           form("stride, padding, dilation", {1, 2, 7}, {3, 2, 3}, true,
                {.stride = 2, .padding = 3, .dilation = 2}),
           form("groups", {2, 6, 3}, {4, 3, 2}, true, {.groups = 2}),
           form("same", {2, 1, 5}, {1, 1, 4}, false, {.same = true}),
           form("no images", {0, 2, 5}, {3, 2, 3}, true)},
          [] {
            std::vector<BadCall> bad_calls =
                bad_operands("conv1d", [](const Tensor& x) { return conv1d(x, x); });
            const auto refused = [&](auto error, const std::string& text, const Shape& x,
                                     const Shape& w, const Conv1dOptions& options = {}) {
              using E = typename decltype(error)::type;
              bad_calls.push_back(BAD(E, text, conv1d(zeros(x), zeros(w), Tensor(), options)));
            };
            const std::type_identity<ShapeError> shape;
            const std::type_identity<ValueError> value;
            refused(shape, "conv1d: x must have rank 2 or 3, not [2, 3, 1, 5]", {2, 3, 1, 5},
                    {2, 3, 3});
            refused(shape, "conv1d: weight must have rank 3, not [2, 3]", {2, 3, 5}, {2, 3});
            refused(shape, "conv1d: channels differ: x is [2, 3, 5], weight is [2, 4, 3]",
                    {2, 3, 5}, {2, 4, 3});
            refused(shape, "conv1d: the kernel reaches over 6 places, but x with padding has 5",
                    {2, 3, 5}, {2, 3, 6});
            refused(value, "conv1d: stride must be positive, not 0", {2, 3, 5}, {2, 3, 3},
                    {.stride = 0});
            refused(value, "conv1d: groups must be positive, not -1", {2, 3, 5}, {2, 3, 3},
                    {.groups = -1});
            return bad_calls;
          }()};
}

}  // namespace

std::vector<Row> conv_rows() {
  return {conv2d_row(), input_grad_row(), weight_grad_row(), conv1d_row()};
}

}  // namespace heed::table
