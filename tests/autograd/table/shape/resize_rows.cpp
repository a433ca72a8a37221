#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../autograd/ops/conv/conv_transpose.h"
#include "../../../../autograd/ops/conv/interpolate.h"
#include "../../../../autograd/ops/elementwise/dropout.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// What a place of the result reads: two places of x, and the weight of the second.
struct Read {
  Index low, high;
  double weight;
};

Read read(Index i, Index in, Index out, const InterpolateOptions& o) {
  const double step =
      o.scale != 0 ? 1 / o.scale : static_cast<double>(in) / static_cast<double>(out);
  const auto at = static_cast<double>(i);
  if (o.mode == Interpolation::nearest) {
    const Index exact = o.scale != 0 ? static_cast<Index>(at / o.scale) : i * in / out;
    const Index place = std::min(exact, in - 1);
    return {place, place, 0};
  }
  double from = std::max(0.0, (at + 0.5) * step - 0.5);
  if (o.align_corners) {
    from = out > 1 ? at * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  }
  const Index low = std::min(static_cast<Index>(from), in - 1);
  return {low, std::min(low + 1, in - 1), from - static_cast<double>(low)};
}

Sample resized(const std::string& name, const Sizes& x, const Sizes& out,
               const InterpolateOptions& options) {
  return sample(
      name, {in(x)}, [=](X t) { return interpolate(t[0], options); },
      [=](B b) {
        return Block(out, [&](const Place& p) {
          const bool planes = x.size() == 4;
          const Read r = planes ? read(p[2], x[2], out[2], options) : Read{0, 0, 0};
          const Read c = read(p.back(), x.back(), out.back(), options);
          const auto at = [&](Index row, Index column) {
            return planes ? b[0]({p[0], p[1], row, column}) : b[0]({p[0], p[1], column});
          };
          const auto along = [&](Index row) {
            return (1 - c.weight) * at(row, c.low) + c.weight * at(row, c.high);
          };
          return (1 - r.weight) * along(r.low) + r.weight * along(r.high);
        });
      });
}

Row interpolate_row() {
  constexpr auto kLinear = Interpolation::linear;
  std::vector<BadCall> bad_calls =
      bad_operands("interpolate", [](const Tensor& x) { return interpolate(x, {.scale = 2}); });
  bad_calls.push_back(BAD(ShapeError, "interpolate: takes [B, C, L] or [B, C, H, W], not f32[3, 5]",
                          interpolate(of(3, 5), {.scale = 2})));
  bad_calls.push_back(BAD(ValueError, "interpolate: wants a size or a scale, and not both",
                          interpolate(of(1, 2, 3), {})));
  bad_calls.push_back(BAD(ValueError, "interpolate: 0 places of an axis of 3",
                          interpolate(of(1, 2, 3), {.scale = 0.2})));
  bad_calls.push_back(
      BAD(ShapeError, "has an empty axis", interpolate(of(1, 2, 0), {.size = PerAxis(3)})));
  return {
      "interpolate",
      {resized("nearest, twice", {2, 3, 5}, {2, 3, 10}, {.scale = 2}),
       resized("nearest, planes", {1, 2, 3, 5}, {1, 2, 4, 7}, {.size = PerAxis(4, 7)}),
       resized("nearest, smaller", {2, 1, 7}, {2, 1, 3}, {.size = PerAxis(3)}),
       resized("nearest, 49 times", {1, 1, 3}, {1, 1, 147}, {.scale = 49}),
       resized("nearest, to a size of 98", {1, 1, 2}, {1, 1, 98}, {.size = PerAxis(98)}),
       resized("linear", {2, 3, 5}, {2, 3, 7}, {.size = PerAxis(7), .mode = kLinear}),
       resized("linear, by a fraction", {1, 2, 7}, {1, 2, 4}, {.scale = 0.6, .mode = kLinear}),
       resized("bilinear", {2, 1, 3, 5}, {2, 1, 7, 4}, {.size = PerAxis(7, 4), .mode = kLinear}),
       resized("bilinear, twice", {1, 2, 2, 3}, {1, 2, 4, 6}, {.scale = 2, .mode = kLinear}),
       resized("corners aligned", {1, 2, 3, 5}, {1, 2, 5, 3},
               {.size = PerAxis(5, 3), .mode = kLinear, .align_corners = true}),
       resized("one place", {2, 3, 5}, {2, 3, 1},
               {.size = PerAxis(1), .mode = kLinear, .align_corners = true}),
       resized("empty", {0, 3, 5}, {0, 3, 10}, {.scale = 2})},
      std::move(bad_calls)};
}

// One transposed convolution's sizes: x [B, C, H, W], weight [C, O / groups, KH, KW].
struct Form {
  std::string name;
  Sizes x, weight;
  ConvTranspose2dOptions options = {};
};

Index out_of(Index in, Index kernel, Index stride, Index padding, Index more, Index dilation) {
  return (in - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1;
}

Block spread(const Form& form, const Blocks& b, bool bias) {
  const ConvTranspose2dOptions& o = form.options;
  const Index per_group = form.weight[1];
  const Index group_in = form.x[1] / o.groups;
  Block out(
      {form.x[0], per_group * o.groups,
       out_of(form.x[2], form.weight[2], o.stride.y, o.padding.y, o.output_padding.y, o.dilation.y),
       out_of(form.x[3], form.weight[3], o.stride.x, o.padding.x, o.output_padding.x,
              o.dilation.x)},
      [&](const Place& p) { return bias ? b[2]({p[1]}) : 0.0; });
  each_place(form.x, [&](const Place& from) {
    each_place(without(form.weight, 0), [&](const Place& tap) {
      const Index y = from[2] * o.stride.y - o.padding.y + tap[1] * o.dilation.y;
      const Index x = from[3] * o.stride.x - o.padding.x + tap[2] * o.dilation.x;
      if (y < 0 || y >= out.size(2) || x < 0 || x >= out.size(3)) return;
      const Index channel = from[1] / group_in * per_group + tap[0];
      out.at({from[0], channel, y, x}) += b[0](from) * b[1](with(tap, 0, from[1]));
    });
  });
  return out;
}

std::vector<BadCall> bad_transposed(const std::string& op, Index axes, const auto& call) {
  std::vector<BadCall> out = bad_operands(op, [call](const Tensor& x) { return call(x, x, 1, 0); });
  const Shape x = axes == 1 ? Shape{2, 4, 5} : Shape{2, 4, 5, 3};
  const Shape weight = axes == 1 ? Shape{3, 2, 3} : Shape{3, 2, 3, 2};
  out.push_back(
      BAD(ShapeError, "its first axis must be the channels", call(zeros(x), zeros(weight), 1, 0)));
  out.push_back(BAD(ShapeError, op + ": x is f32[5], weight is", call(of(5), zeros(weight), 1, 0)));
  out.push_back(BAD(ValueError, op + ": stride 0 and dilation 1 must be positive",
                    call(zeros(x), axes == 1 ? of(4, 2, 3) : of(4, 2, 3, 2), 0, 0)));
  for (const Index padding : {Index{7}, std::numeric_limits<Index>::max()}) {
    out.push_back(BAD(ShapeError, "leave none",
                      call(zeros(x), axes == 1 ? of(4, 2, 1) : of(4, 2, 1, 1), 1, padding)));
  }
  return out;
}

Row conv_transpose2d_row() {
  Row row{"conv_transpose2d",
          {},
          bad_transposed("conv_transpose2d", 2,
                         [](const Tensor& x, const Tensor& w, Index stride, Index padding) {
                           return conv_transpose2d(x, w, Tensor(),
                                                   {.stride = stride, .padding = padding});
                         })};
  const std::vector<Form> forms = {
      {"one place", {1, 1, 1, 1}, {1, 1, 2, 3}},
      {"batch", {2, 3, 3, 2}, {3, 2, 2, 3}},
      {"stride and padding", {1, 2, 3, 4}, {2, 3, 3, 2}, {.stride = {2, 3}, .padding = {1, 0}}},
      {"output padding", {2, 1, 3, 2}, {1, 2, 2, 3}, {.stride = 2, .output_padding = {1, 0}}},
      {"dilation", {1, 2, 3, 2}, {2, 1, 2, 3}, {.padding = {0, 1}, .dilation = {3, 2}}},
      {"output padding of a dilation",
       {1, 2, 3, 2},
       {2, 1, 2, 3},
       {.stride = {1, 2}, .padding = {1, 2}, .output_padding = {2, 1}, .dilation = {3, 1}}},
      {"groups", {2, 4, 2, 3}, {4, 3, 2, 2}, {.groups = 2}},
      {"no images", {0, 2, 3, 3}, {2, 3, 2, 2}}};
  for (const Form& form : forms) {
    for (const bool bias : {true, false}) {
      std::vector<Input> inputs = {in(form.x), in(form.weight)};
      if (bias) inputs.push_back(in({form.weight[1] * form.options.groups}));
      row.samples.push_back(sample(
          form.name + (bias ? ", bias" : ""), inputs,
          [=](X t) { return conv_transpose2d(t[0], t[1], bias ? t[2] : Tensor(), form.options); },
          [=](B b) { return spread(form, b, bias); }));
    }
  }
  return row;
}

Row conv_transpose1d_row() {
  const auto form = [](const std::string& name, const Sizes& x, const Sizes& weight,
                       const ConvTranspose1dOptions& o = {}) {
    const bool batched = x.size() == 3;
    const Form wide{name,
                    {batched ? x[0] : 1, x[x.size() - 2], 1, x.back()},
                    {weight[0], weight[1], 1, weight[2]},
                    {.stride = {1, o.stride},
                     .padding = {0, o.padding},
                     .output_padding = {0, o.output_padding},
                     .dilation = {1, o.dilation},
                     .groups = o.groups}};
    return sample(
        name, {in(x), in(weight), in({weight[1] * o.groups})},
        [=](X t) { return conv_transpose1d(t[0], t[1], t[2], o); },
        [=](B b) {
          const Block out = spread(
              wide, {Block(wide.x, b[0].values()), Block(wide.weight, b[1].values()), b[2]}, true);
          const Sizes shape = without(out.shape(), 2);
          return Block(batched ? shape : without(shape, 0), out.values());
        });
  };
  return {"conv_transpose1d",
          {form("batch", {2, 3, 5}, {3, 2, 3}), form("without batch", {2, 5}, {2, 3, 2}),
           form("stride, padding", {1, 2, 5}, {2, 3, 3}, {.stride = 2, .padding = 1}),
           form("output padding", {2, 1, 3}, {1, 2, 2}, {.stride = 3, .output_padding = 2}),
           form("dilation", {1, 2, 3}, {2, 1, 3}, {.dilation = 2}),
           form("output padding of a dilation", {1, 2, 3}, {2, 1, 3},
                {.padding = 1, .output_padding = 2, .dilation = 3}),
           form("output padding of a stride", {2, 1, 3}, {1, 2, 2},
                {.stride = 2, .output_padding = 2, .dilation = 5}),
           form("groups", {2, 4, 3}, {4, 1, 2}, {.groups = 2}),
           form("no images", {0, 2, 3}, {2, 3, 2})},
          bad_transposed("conv_transpose1d", 1,
                         [](const Tensor& x, const Tensor& w, Index stride, Index padding) {
                           return conv_transpose1d(x, w, Tensor(),
                                                   {.stride = stride, .padding = padding});
                         })};
}

Row dropout_channels_row() {
  const auto dropped = [](const std::string& name, const Sizes& shape, double p) {
    return sample(
        name, {in(shape)},
        [p](X x) {
          Generator generator(31);
          return dropout_channels(x[0], p, generator);
        },
        [p, shape](B b) {
          const Shape channels{shape[0], shape[1]};
          const auto kept = Generator(31).bernoulli(channels, 1 - p).to_vector<bool>();
          return Block(shape, [&](const Place& at) {
            const auto channel = static_cast<std::size_t>(at[0] * shape[1] + at[1]);
            return kept[channel] ? b[0](at) / (1 - p) : 0;
          });
        });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("dropout", [](const Tensor& x) { return dropout(x, 0.5); });
  bad_calls.push_back(BAD(ShapeError, "dropout_channels: takes [B, C, ..], not f32[3]",
                          dropout_channels(of(3), 0.5)));
  return {"dropout_channels",
          {dropped("planes", {2, 3, 2, 5}, 0.4), dropped("rows", {3, 5, 2}, 0.3),
           dropped("numbers", {5, 3}, 0.3), dropped("empty", {0, 3, 2}, 0.5)},
          std::move(bad_calls)};
}

}  // namespace

std::vector<Row> resize_rows() {
  return {interpolate_row(), conv_transpose2d_row(), conv_transpose1d_row(),
          dropout_channels_row()};
}

}  // namespace heed::table
