#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/conv/pool.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// One axis: windows of `kernel` places from place o stride - padding.
struct Axis {
  Index kernel, stride = 1, padding = 0, dilation = 1;
};

Index out_of(Index in, const Axis& axis, bool ceil_mode) {
  const Index room = in + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1;
  const Index floor = room / axis.stride + 1;
  if (!ceil_mode || room % axis.stride == 0) return floor;
  return floor * axis.stride < in + axis.padding ? floor + 1 : floor;
}

// The real places of a window.
Sizes reads(Index in, const Axis& axis, Index place) {
  Sizes places;
  for (Index k = 0; k < axis.kernel; ++k) {
    const Index at = place * axis.stride - axis.padding + k * axis.dilation;
    if (at >= 0 && at < in) places.push_back(at);
  }
  return places;
}

// The divisor's share of one axis.
Index counted(Index in, const Axis& axis, Index place, bool count_padding) {
  if (!count_padding) return static_cast<Index>(reads(in, axis, place).size());
  const Index start = place * axis.stride - axis.padding;
  return std::min(start + axis.kernel, in + axis.padding) - start;
}

struct Form {
  std::string name;
  Sizes x;
  Axis down, along;
  bool ceil_mode = false;
  bool count_padding = true;
};

Sizes out_of(const Form& form) {
  Sizes shape = form.x;
  Index& rows = shape[shape.size() - 2];
  rows = out_of(rows, form.down, form.ceil_mode);
  shape.back() = out_of(shape.back(), form.along, form.ceil_mode);
  return shape;
}

// fold over the places of every window: step(total, element) from start.
template <class Step>
Block pooled(const Form& form, const Block& x, double start, const Step& step) {
  const Index last = x.rank() - 1;
  return Block(out_of(form), [&](const Place& p) {
    double total = start;
    for (const Index iy : reads(x.size(-2), form.down, p[p.size() - 2])) {
      for (const Index ix : reads(x.size(-1), form.along, p.back())) {
        total = step(total, x(replaced(replaced(p, last - 1, iy), last, ix)));
      }
    }
    return total;
  });
}

Block largest(const Form& form, const Block& x) {
  return pooled(form, x, -HUGE_VAL, [](double a, double b) { return std::max(a, b); });
}

Block mean_of(const Form& form, const Block& x) {
  const Block sums = pooled(form, x, 0, [](double a, double b) { return a + b; });
  return Block(sums.shape(), [&](const Place& p) {
    const Index rows = counted(x.size(-2), form.down, p[p.size() - 2], form.count_padding);
    const Index columns = counted(x.size(-1), form.along, p.back(), form.count_padding);
    return sums(p) / static_cast<double>(rows * columns);
  });
}

std::vector<Form> forms() {
  return {{"squares", {2, 3, 4, 6}, {2, 2}, {2, 2}},
          {"overlapping", {1, 2, 4, 5}, {3, 1}, {2, 1}},
          {"without batch", {3, 5, 4}, {2, 3}, {3, 1}},
          {"padding", {2, 1, 3, 5}, {3, 2, 1}, {2, 3, 1}},
          {"ceil", {1, 2, 5, 6}, {2, 2}, {3, 4}, true},
          {"ceil with padding", {1, 1, 4, 5}, {3, 3, 1}, {2, 2, 1}, true},
          {"gaps", {1, 1, 5, 7}, {1, 2}, {2, 3}},
          {"the whole", {2, 2, 3, 2}, {3, 3}, {2, 2}},
          {"no images", {0, 2, 3, 5}, {2, 2}, {2, 2}}};
}

std::vector<BadCall> bad_windows(
    const std::string& op,
    const std::function<Tensor(const Tensor&, Index kernel, Index stride, Index padding)>& call,
    const Shape& x, const Shape& low, const Shape& empty) {
  std::vector<BadCall> bad_calls =
      bad_operands(op, [call](const Tensor& t) { return call(t, 2, 2, 0); });
  const Index huge = Index{1} << 62;
  const std::vector<BadCall> more = {
      BAD(ShapeError, op + ": x must have rank", call(zeros(low), 2, 2, 0)),
      BAD(ShapeError, op + ": axis -1 is empty", call(zeros(empty), 2, 2, 1)),
      BAD(ValueError, op + ": kernel must be positive, not 0", call(zeros(x), 0, 1, 0)),
      BAD(ValueError, op + ": kernel must be positive, not -3", call(zeros(x), -3, 1, 0)),
      BAD(ValueError, op + ": stride must be positive, not 0", call(zeros(x), 2, 0, 0)),
      BAD(ValueError, op + ": padding must not be negative: -1", call(zeros(x), 2, 2, -1)),
      BAD(ValueError, op + ": padding 2 is more than half of kernel 3", call(zeros(x), 3, 1, 2)),
      BAD(ShapeError, op + ": the kernel reaches over 11 places, but x with padding has ",
          call(zeros(x), 11, 1, 1)),
      BAD(ShapeError, op + ": ", call(zeros(x), huge, 1, huge))};
  bad_calls.insert(bad_calls.end(), more.begin(), more.end());
  return bad_calls;
}

MaxPool2dOptions max_options(const Form& form) {
  return {.kernel = {form.down.kernel, form.along.kernel},
          .stride = PerAxis{form.down.stride, form.along.stride},
          .padding = {form.down.padding, form.along.padding},
          .dilation = {form.down.dilation, form.along.dilation},
          .ceil_mode = form.ceil_mode};
}

AvgPool2dOptions avg_options(const Form& form) {
  return {.kernel = {form.down.kernel, form.along.kernel},
          .stride = PerAxis{form.down.stride, form.along.stride},
          .padding = {form.down.padding, form.along.padding},
          .ceil_mode = form.ceil_mode,
          .count_include_pad = form.count_padding};
}

Row max_pool2d_row() {
  Row row{Op::max_pool2d,
          {},
          bad_windows("max_pool2d",
                      [](const Tensor& x, Index kernel, Index stride, Index padding) {
                        return max_pool2d(
                            x, {.kernel = kernel, .stride = PerAxis(stride), .padding = padding});
                      },
                      {2, 3, 5, 7}, {5, 7}, {2, 3, 5, 0})};
  std::vector<Form> all = forms();
  all.push_back({"dilation", {1, 2, 5, 6}, {2, 1, 1, 3}, {3, 2, 1, 2}});
  all.push_back({"dilation, ceil", {1, 1, 6, 6}, {2, 2, 0, 2}, {2, 3, 1, 3}, true});
  for (const Form& form : all) {
    row.samples.push_back(sample(
        form.name, {in(form.x, Domain::distinct)},
        [options = max_options(form)](X x) { return max_pool2d(x[0], options); },
        [form](B x) { return largest(form, x[0]); }));
  }
  row.bad_calls.push_back(BAD(ValueError, "max_pool2d: dilation must be positive, not 0",
                              max_pool2d(of(3, 5, 7), {.kernel = 2, .dilation = 0})));
  row.bad_calls.push_back(BAD(ShapeError, "max_pool2d: dilation 5 is more than the 4 places of x",
                              max_pool2d(of(3, 4, 4), {.kernel = 2, .padding = 1, .dilation = 5})));
  return row;
}

Row avg_pool2d_row() {
  Row row{Op::avg_pool2d,
          {},
          bad_windows("avg_pool2d",
                      [](const Tensor& x, Index kernel, Index stride, Index padding) {
                        return avg_pool2d(
                            x, {.kernel = kernel, .stride = PerAxis(stride), .padding = padding});
                      },
                      {2, 3, 5, 7}, {5, 7}, {2, 3, 5, 0})};
  std::vector<Form> all = forms();
  all.push_back({"padding not counted", {2, 1, 3, 5}, {3, 2, 1}, {2, 3, 1}, false, false});
  all.push_back({"ceil, not counted", {1, 1, 4, 5}, {3, 3, 1}, {2, 2, 1}, true, false});
  for (const Form& form : all) {
    row.samples.push_back(sample(
        form.name, {in(form.x)},
        [options = avg_options(form)](X x) { return avg_pool2d(x[0], options); },
        [form](B x) { return mean_of(form, x[0]); }));
  }
  return row;
}

// A form along rows alone: x [.., L] stands for [.., 1, L].
template <class Of>
Sample of_rows(Form form, Domain domain, Call call, const Of& of) {
  Sizes rows = form.x;
  form.x.insert(form.x.end() - 1, 1);
  return sample(form.name, {in(rows, domain)}, std::move(call), [form, of](B x) {
    const Block out = of(form, Block(form.x, x[0].values()));
    return Block(without(out.shape(), out.rank() - 2), out.values());
  });
}

std::vector<Form> row_forms() {
  const Axis one{1};
  return {{"pairs", {2, 3, 6}, one, {2, 2}},         {"overlapping", {2, 2, 5}, one, {3, 1}},
          {"without batch", {3, 7}, one, {3, 2}},    {"padding", {2, 1, 5}, one, {3, 2, 1}},
          {"ceil", {1, 2, 6}, one, {3, 2, 1}, true}, {"no images", {0, 2, 5}, one, {2, 2}}};
}

Row max_pool1d_row() {
  Row row{"max_pool1d",
          {},
          bad_windows("max_pool1d",
                      [](const Tensor& x, Index kernel, Index stride, Index padding) {
                        return max_pool1d(x,
                                          {.kernel = kernel, .stride = stride, .padding = padding});
                      },
                      {2, 3, 7}, {7}, {2, 3, 0})};
  std::vector<Form> all = row_forms();
  all.push_back({"dilation", {2, 2, 7}, {1}, {3, 1, 1, 2}});
  for (const Form& form : all) {
    const MaxPool1dOptions options{.kernel = form.along.kernel,
                                   .stride = form.along.stride,
                                   .padding = form.along.padding,
                                   .dilation = form.along.dilation,
                                   .ceil_mode = form.ceil_mode};
    row.samples.push_back(of_rows(
        form, Domain::distinct, [options](X x) { return max_pool1d(x[0], options); }, largest));
  }
  return row;
}

Row avg_pool1d_row() {
  Row row{"avg_pool1d",
          {},
          bad_windows("avg_pool1d",
                      [](const Tensor& x, Index kernel, Index stride, Index padding) {
                        return avg_pool1d(x,
                                          {.kernel = kernel, .stride = stride, .padding = padding});
                      },
                      {2, 3, 7}, {7}, {2, 3, 0})};
  std::vector<Form> all = row_forms();
  all.push_back({"padding not counted", {2, 2, 5}, {1}, {3, 2, 1}, false, false});
  for (const Form& form : all) {
    const AvgPool1dOptions options{.kernel = form.along.kernel,
                                   .stride = form.along.stride,
                                   .padding = form.along.padding,
                                   .ceil_mode = form.ceil_mode,
                                   .count_include_pad = form.count_padding};
    row.samples.push_back(of_rows(
        form, Domain::any, [options](X x) { return avg_pool1d(x[0], options); }, mean_of));
  }
  return row;
}

// Means over [floor(i in / out), ceil((i + 1) in / out)) of the last axis.
Block cut(const Block& x, Index out) {
  Sizes shape = x.shape();
  shape.back() = out;
  const Index last = x.rank() - 1, size = x.size(-1);
  return Block(shape, [&](const Place& p) {
    double total = 0;
    Index count = 0;
    for (Index i = 0; i < size; ++i) {
      if (i < p.back() * size / out || i * out >= (p.back() + 1) * size) continue;
      total += x(replaced(p, last, i));
      ++count;
    }
    return total / static_cast<double>(count);
  });
}

Block turned(const Block& x) {
  Sizes shape = x.shape();
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return Block(shape, [&](Place p) {
    std::swap(p[p.size() - 1], p[p.size() - 2]);
    return x(p);
  });
}

Row adaptive1d_row() {
  const auto form = [](const std::string& name, const Sizes& x, Index out) {
    return sample(
        name, {in(x)}, [=](X t) { return adaptive_avg_pool1d(t[0], out); },
        [=](B b) { return cut(b[0], out); });
  };
  Row row{"adaptive_avg_pool1d",
          {form("even", {2, 3, 6}, 3), form("overlapping", {2, 2, 7}, 3),
           form("longer than x", {1, 2, 3}, 5), form("without batch", {3, 5}, 2),
           form("the whole", {2, 1, 5}, 1), form("no images", {0, 2, 5}, 2)},
          bad_operands("adaptive_avg_pool1d",
                       [](const Tensor& x) { return adaptive_avg_pool1d(x, 2); })};
  return with(std::move(row), {},
              {BAD(ValueError, "adaptive_avg_pool1d: the output size must not be negative: -1",
                   adaptive_avg_pool1d(of(2, 3, 5), -1)),
               BAD(ShapeError, "adaptive_avg_pool1d: x must have rank 2 or 3, not f32[5]",
                   adaptive_avg_pool1d(of(5), 2)),
               BAD(ShapeError, "adaptive_avg_pool1d: axis -1 is empty: x is f32[2, 3, 0]",
                   adaptive_avg_pool1d(of(2, 3, 0), 2))});
}

Row adaptive2d_row() {
  const auto form = [](const std::string& name, const Sizes& x, PerAxis out) {
    return sample(
        name, {in(x)}, [=](X t) { return adaptive_avg_pool2d(t[0], out); },
        [=](B b) { return turned(cut(turned(cut(b[0], out.x)), out.y)); });
  };
  Row row{"adaptive_avg_pool2d",
          {form("even", {2, 1, 4, 6}, {2, 3}), form("overlapping", {1, 2, 5, 7}, {3, 2}),
           form("longer than x", {1, 2, 3, 2}, {5, 3}), form("without batch", {3, 5, 4}, {2, 4}),
           form("the whole", {2, 3, 3, 2}, 1), form("no images", {0, 2, 3, 5}, 2)},
          bad_operands("adaptive_avg_pool2d",
                       [](const Tensor& x) { return adaptive_avg_pool2d(x, 2); })};
  return with(std::move(row), {},
              {BAD(ValueError, "adaptive_avg_pool2d: the output size must not be negative: -2",
                   adaptive_avg_pool2d(of(3, 5, 7), {2, -2})),
               BAD(ShapeError, "adaptive_avg_pool2d: x must have rank 3 or 4, not f32[5, 7]",
                   adaptive_avg_pool2d(of(5, 7), 2)),
               BAD(ShapeError, "adaptive_avg_pool2d: axis -2 is empty: x is f32[3, 0, 7]",
                   adaptive_avg_pool2d(of(3, 0, 7), 2))});
}

}  // namespace

std::vector<Row> pool_rows() {
  return {max_pool2d_row(), avg_pool2d_row(), max_pool1d_row(),
          avg_pool1d_row(), adaptive1d_row(), adaptive2d_row()};
}

}  // namespace heed::table
