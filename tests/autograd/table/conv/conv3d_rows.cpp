#include "../../../../autograd/ops/conv/conv3d.h"

#include <array>

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// One convolution's sizes: x [B, C, D, H, W], weight [O, C / groups, KD, KH, KW].
struct Form {
  std::string name;
  Sizes x, weight;
  Conv3dOptions options = {};
};

std::array<Index, 3> all(const Triple& three) { return {three.z, three.y, three.x}; }

// The definition, a product at a time.
Block convolved(const Form& form, B b, bool bias) {
  const Conv3dOptions& o = form.options;
  const auto stride = all(o.stride), dilation = all(o.dilation);
  auto padding = all(o.padding);
  Sizes shape = {form.x[0], form.weight[0]};
  for (std::size_t i = 0; i < 3; ++i) {
    const Index reach = dilation[i] * (form.weight[i + 2] - 1);
    if (o.same) padding[i] = reach / 2;
    shape.push_back(o.same ? form.x[i + 2]
                           : (form.x[i + 2] + 2 * padding[i] - reach - 1) / stride[i] + 1);
  }
  Block out(shape, [&](const Place& p) { return bias ? b[2]({p[1]}) : 0.0; });
  each_place(shape, [&](const Place& to) {
    each_place(without(form.weight, 0), [&](const Place& tap) {
      Place from = {to[0], to[1] / (form.weight[0] / o.groups) * form.weight[1] + tap[0]};
      for (std::size_t i = 0; i < 3; ++i) {
        from.push_back(to[i + 2] * stride[i] - padding[i] + tap[i + 1] * dilation[i]);
        if (from.back() < 0 || from.back() >= form.x[i + 2]) return;
      }
      out.at(to) += b[0](from) * b[1](with(tap, 0, to[1]));
    });
  });
  return out;
}

template <class E>
BadCall refused(const std::string& text, const Shape& x, const Shape& weight,
                const Conv3dOptions& options = {}) {
  return BAD(E, text, conv3d(zeros(x), zeros(weight), Tensor(), options));
}

std::vector<BadCall> bad_calls() {
  const Index huge = Index{1} << 62;
  const Shape x{2, 4, 3, 5, 7}, w{6, 4, 2, 3, 3};
  std::vector<BadCall> out = {
      refused<ShapeError>("conv3d: x must have rank 4 or 5, not [3, 5, 7]", {3, 5, 7}, w),
      refused<ShapeError>("conv3d: weight must have rank 5, not [6, 4, 3, 3]", x, {6, 4, 3, 3}),
      refused<ShapeError>(
          "conv3d: channels differ: x is [2, 4, 3, 5, 7], weight is [6, 3, 2, 3, 3]", x,
          {6, 3, 2, 3, 3}),
      refused<ShapeError>("conv3d: 3 groups do not divide 4 input and 6 output channels", x, w,
                          {.groups = 3}),
      refused<ValueError>("conv3d: groups must be positive, not 0", x, w, {.groups = 0}),
      refused<ValueError>("conv3d: stride must be positive, not 0", x, w, {.stride = {0, 1, 1}}),
      refused<ValueError>("conv3d: dilation must be positive, not -1", x, w,
                          {.dilation = {1, -1, 1}}),
      refused<ValueError>("conv3d: padding must not be negative: -1", x, w,
                          {.padding = {0, 0, -1}}),
      refused<ShapeError>("conv3d: the kernel reaches over 4 places, but x with padding has 3", x,
                          w, {.dilation = {3, 1, 1}}),
      refused<ShapeError>("conv3d: ", {0, 4, 3, 5, 7}, w, {.padding = huge / 4}),
      refused<ValueError>("conv3d: same goes with stride 1 and padding 0, not with stride 2", x, w,
                          {.stride = {2, 1, 1}, .same = true}),
      BAD(ShapeError, "conv3d: bias is f32[5], weight is f32[6, 4, 2, 3, 3]; bias must be [6]",
          conv3d(zeros(x), zeros(w), of(5))),
      BAD(DTypeError, "conv3d: dtypes differ: x is f32[2, 4, 3, 5, 7], weight is f64",
          conv3d(zeros(x), zeros(w, DType::f64))),
      BAD(GradError, "conv3d: weight is undefined", conv3d(zeros(x), Tensor()))};
  for (BadCall& each : bad_operands("conv3d", [](const Tensor& t) { return conv3d(t, t); }))
    out.push_back(std::move(each));
  return out;
}

}  // namespace

std::vector<Row> conv3d_rows() {
  Row row{"conv3d", {}, bad_calls()};
  const std::vector<Form> forms = {
      {"one window", {1, 1, 2, 3, 2}, {1, 1, 2, 3, 2}},
      {"batch", {2, 3, 3, 2, 3}, {2, 3, 2, 2, 2}},
      {"a tap", {2, 3, 2, 1, 3}, {5, 3, 1, 1, 1}},
      {"stride and padding",
       {1, 2, 3, 4, 3},
       {3, 2, 2, 3, 2},
       {.stride = {2, 1, 3}, .padding = {1, 0, 2}}},
      {"dilation", {1, 1, 5, 3, 4}, {2, 1, 2, 2, 2}, {.padding = {0, 1, 0}, .dilation = {3, 2, 1}}},
      {"groups", {2, 4, 2, 3, 2}, {6, 2, 2, 2, 1}, {.groups = 2}},
      {"same", {1, 2, 3, 2, 5}, {1, 2, 2, 1, 3}, {.dilation = {2, 1, 1}, .same = true}},
      {"unread edge", {1, 1, 5, 3, 2}, {1, 1, 2, 1, 1}, {.stride = 3}},
      {"no images", {0, 2, 2, 3, 3}, {3, 2, 2, 2, 2}},
      {"no channels", {2, 0, 2, 3, 3}, {3, 0, 2, 2, 2}}};
  for (const Form& form : forms) {
    const bool bias = form.name != "a tap";
    std::vector<Input> inputs = {in(form.x), in(form.weight)};
    if (bias) inputs.push_back(in({form.weight[0]}));
    row.samples.push_back(sample(
        form.name, inputs,
        [=](X t) { return conv3d(t[0], t[1], bias ? t[2] : Tensor(), form.options); },
        [=](B b) { return convolved(form, b, bias); }));
  }
  const Form lone{"without batch", {1, 2, 3, 2, 4}, {3, 2, 2, 1, 3}};
  row.samples.push_back(sample(
      lone.name, {in(without(lone.x, 0)), in(lone.weight)}, [](X t) { return conv3d(t[0], t[1]); },
      [lone](B b) {
        const Block out = convolved(lone, {Block(lone.x, b[0].values()), b[1]}, false);
        return Block(without(out.shape(), 0), out.values());
      }));
  return {row};
}

}  // namespace heed::table
