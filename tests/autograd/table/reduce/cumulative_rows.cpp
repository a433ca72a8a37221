#include "../../../../autograd/ops/reduce/cumulative.h"

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

struct Form {
  const char* name;
  Sizes shape;
  Index axis, real;
};
const std::vector<Form> kForms = {{"rows", {3, 5}, -1, 1},
                                  {"columns", {3, 5}, 0, 0},
                                  {"middle axis", {2, 3, 4}, 1, 1},
                                  {"vector", {7}, 0, 0},
                                  {"sizes of 1", {1, 3}, 0, 0},
                                  {"one place", {3, 1}, 1, 1},
                                  {"first of three", {3, 2, 2}, -3, 0},
                                  {"empty", {0, 3}, 1, 1},
                                  {"nothing to run over", {3, 0}, 1, 1}};

using Running = Tensor (*)(const Tensor&, Index);

Row running(Subject subject, Running call, double start, double (*step)(double, double)) {
  const std::string title = subject.name;
  Row row{subject, {}, bad_operands(title, [call](const Tensor& x) { return call(x, 0); })};
  for (const Form& form : kForms) {
    row.samples.push_back(sample(
        form.name, {in(form.shape)}, [=](X x) { return call(x[0], form.axis); },
        [=](B x) {
          return Block(form.shape, [&](const Place& p) {
            double value = start;
            for (Index t = 0; t <= p[static_cast<std::size_t>(form.real)]; ++t)
              value = step(value, x[0](replaced(p, form.real, t)));
            return value;
          });
        }));
  }
  row.bad_calls.push_back(bad<ShapeError>(title + ": axis 2 is out of range for rank 2",
                                          [call] { call(of(3, 5), 2); }));
  row.bad_calls.push_back(
      bad<ShapeError>(title + ": axis 0 is out of range for rank 0", [call] { call(of(), 0); }));
  return row;
}

Row cumprod_row() {
  const auto times = [](double a, double b) { return a * b; };
  Row row = running("cumprod", cumprod, 1, times);
  for (const std::size_t form : {0U, 1U}) {  // one and two zeros
    Sample zeros = row.samples[form];
    zeros.name += " with zeros";
    zeros.inputs[0].at({0, 3}) = zeros.inputs[0].at({1, 0}) = zeros.inputs[0].at({1, 3}) = 0;
    row.samples.push_back(std::move(zeros));
  }
  return row;
}

Sample scanned(const std::string& name, const Sizes& a, const Sizes& b, const Sizes& out,
               Index axis, bool reverse) {
  return sample(
      name, {in(a), in(b)}, [=](X x) { return linear_scan(x[0], x[1], axis, reverse); },
      [=](B x) {
        const Index size = out[static_cast<std::size_t>(axis)];
        return Block(out, [&](const Place& p) {
          const Index end = p[static_cast<std::size_t>(axis)];
          double h = 0;
          for (Index t = reverse ? size - 1 : 0;; t += reverse ? -1 : 1) {
            const Place at = replaced(p, axis, t);
            h = x[0](at) * h + x[1](at);
            if (t == end) return h;
          }
        });
      });
}

Row linear_scan_row() {
  Row row{Op::linear_scan, {}, {}};
  for (const bool reverse : {false, true}) {
    const std::string suffix = reverse ? ", reverse" : "";
    for (const Form& form : kForms) {
      row.samples.push_back(
          scanned(form.name + suffix, form.shape, form.shape, form.shape, form.real, reverse));
    }
    row.samples.push_back(scanned("a broadcast" + suffix, {5}, {3, 5}, {3, 5}, 0, reverse));
    row.samples.push_back(scanned("both broadcast" + suffix, {3, 1}, {5}, {3, 5}, 1, reverse));
  }
  return with(std::move(row), {},
              {BAD(ShapeError, "linear_scan: shapes [3] and [5] do not broadcast",
                   linear_scan(of(3), of(5), 0)),
               BAD(DTypeError, "linear_scan: dtypes differ: a is f32[3], b is f64[3]",
                   linear_scan(of(3), of<DType::f64>(3), 0)),
               BAD(DTypeError, "linear_scan: takes f32 or f64, not i64",
                   linear_scan(ids(1, 2), ids(1, 2), 0)),
               BAD(ShapeError, "linear_scan: axis 1 is out of range for rank 1",
                   linear_scan(of(3), of(3), 1)),
               BAD(GradError, "linear_scan: a is undefined", linear_scan(Tensor(), of(3), 0)),
               BAD(GradError, "linear_scan: b is undefined", linear_scan(of(3), Tensor(), 0))});
}

}  // namespace

std::vector<Row> cumulative_rows() {
  return {
      integers_too(running(Op::cumsum, cumsum, 0, [](double a, double b) { return a + b; }), true),
      cumprod_row(), linear_scan_row()};
}

}  // namespace heed::table
