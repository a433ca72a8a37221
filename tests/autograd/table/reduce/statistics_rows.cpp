#include "../../../../autograd/ops/reduce/statistics.h"

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Axes = std::vector<Index>;

struct Form {
  const char* name;
  std::vector<Index> shape;
  Axes axes;
  bool keepdim;
};
const std::vector<Form> kForms = {{"all", {3, 5}, {}, false},
                                  {"all, kept", {2, 3}, {}, true},
                                  {"first axis", {3, 5}, {0}, false},
                                  {"last axis, kept", {3, 5}, {-1}, true},
                                  {"middle axis", {2, 3, 4}, {1}, false},
                                  {"outer axes", {2, 3, 4}, {2, 0}, false},
                                  {"sizes of 1", {1, 3, 1}, {0, 1}, false},
                                  {"empty result", {0, 3}, {1}, false}};

Block sum_of(const Block& x, const Axes& axes, bool keepdim) {
  return fold(x, axes, keepdim, 0, [](double a, double b) { return a + b; });
}

Block var_of(const Block& x, const Axes& axes, bool keepdim, Index correction) {
  const Block totals = sum_of(x, axes, true);
  const double results = static_cast<double>(totals.values().size());
  const double count = results == 0 ? 1 : static_cast<double>(x.values().size()) / results;
  const Block squares = map(x, totals, [count](double value, double total) {
    return (value - total / count) * (value - total / count);
  });
  return map(sum_of(squares, axes, keepdim),
             [=](double total) { return total / (count - static_cast<double>(correction)); });
}

// Added to every sample, so that no row's elements are all equal, where stddev has a kink: not even
// where one element stands for all of an axis.
Block ramp(const std::vector<Index>& shape) {
  double next = 0;
  return Block(shape, [&](const Place&) { return (next += 1) * 0.75; });
}
Block plus(const Block& x, const Block& y) {
  return map(x, y, [](double a, double b) { return a + b; });
}

using Spread = Tensor (*)(const Tensor&, const heed::Axes&, bool, Index);

Row spread(Subject subject, Spread call, double (*finish)(double)) {
  const std::string title = subject.name;
  Row row{
      subject, {}, bad_operands(title, [call](const Tensor& x) { return call(x, {}, false, 1); })};
  for (const Index correction : {1, 0}) {
    for (const Form& form : kForms) {
      if (form.shape[0] == 0) continue;
      row.samples.push_back(sample(
          form.name + std::string(correction == 0 ? ", of all" : ""), {in(form.shape)},
          [=](X x) {
            return call(x[0] + to_tensor(ramp(form.shape), x[0].dtype()), form.axes, form.keepdim,
                        correction);
          },
          [=](B x) {
            return map(var_of(plus(x[0], ramp(form.shape)), form.axes, form.keepdim, correction),
                       finish);
          }));
    }
  }
  row.needs_elements = true;
  const auto more = {bad<ShapeError>(title + ": no elements to reduce in f32[0, 3]",
                                     [call] { call(of(0, 3), {}, false, 1); }),
                     bad<ShapeError>(title + ": axis 2 is out of range for rank 2",
                                     [call] { call(of(3, 5), {2}, false, 1); }),
                     bad<ShapeError>(title + ": axis 1 is named twice",
                                     [call] {
                                       call(of(3, 5), {1, -1}, false, 1);
                                     }),
                     bad<ValueError>(title + ": correction 1 is not in [0, 1)",
                                     [call] { call(of(3, 1), {1}, false, 1); }),
                     bad<ValueError>(title + ": correction -1 is not in [0, 3)",
                                     [call] { call(of(3, 1), {0}, false, -1); })};
  return with(std::move(row), {}, more);
}

Block norm_of(const Block& x, double p, const Axes& axes, bool keepdim) {
  if (std::isinf(p)) {
    return fold(x, axes, keepdim, p > 0 ? 0 : HUGE_VAL, [p](double a, double b) {
      return p > 0 ? std::fmax(a, std::fabs(b)) : std::fmin(a, std::fabs(b));
    });
  }
  const Block total =
      sum_of(map(x, [p](double value) { return std::pow(std::fabs(value), p); }), axes, keepdim);
  return map(total, [p](double value) { return std::pow(value, 1 / p); });
}

Row norm_row() {
  Row row{"norm", {}, bad_operands("norm", [](const Tensor& x) { return norm(x); })};
  for (const double p : {2.0, 1.0, HUGE_VAL, -HUGE_VAL, 3.0, 1.5, 0.5, -1.0}) {
    for (const Form& form : kForms) {
      if (form.shape[0] == 0 && p != 2) continue;
      // Magnitudes must not be equal either, or the extremes have kinks.
      const double shift = std::isinf(p) ? -2.5 : 0;
      row.samples.push_back(sample(
          form.name + std::string(", p = ") + std::to_string(p),
          {in(form.shape, std::isinf(p) ? Domain::distinct : Domain::nonzero)},
          [=](X x) { return norm(x[0] + shift, p, form.axes, form.keepdim); },
          [=](B x) {
            return norm_of(map(x[0], [shift](double value) { return value + shift; }), p, form.axes,
                           form.keepdim);
          }));
    }
  }
  return with(std::move(row), {},
              {BAD(ValueError, "norm: p is nan", norm(of(3), NAN)),
               BAD(ShapeError, "norm: axis 1 is out of range", norm(of(3), 2, {1})),
               BAD(ShapeError, "norm: axis 0 is named twice", norm(of(3), 2, {0, 0})),
               BAD(ShapeError, "norm: no elements to reduce in f32[0]", norm(of(0), HUGE_VAL)),
               BAD(ShapeError, "norm: no elements to reduce in f32[0]", norm(of(0), -1))});
}

}  // namespace

std::vector<Row> statistics_rows() {
  return {spread(Op::var, var, [](double value) { return value; }),
          spread("stddev", stddev, std::sqrt), norm_row()};
}

}  // namespace heed::table
