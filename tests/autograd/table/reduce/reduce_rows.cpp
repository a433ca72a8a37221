#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Reduction = Tensor (*)(const Tensor&, const Axes&, bool);
using Folding = Block (*)(const Block&, const std::vector<Index>&, bool);

// Sums, means, extremes over one, several and all axes; `over_nothing`: a result without elements
// to reduce.
Row reduction(Subject subject, Reduction call, Folding reference, Domain domain,
              bool over_nothing) {
  struct Form {
    const char* name;
    std::vector<Index> shape, axes;
    bool keepdim;
  };
  std::vector<Form> forms = {{"all", {3, 5}, {}, false},
                             {"all, kept", {2, 3}, {}, true},
                             {"first axis", {3, 5}, {0}, false},
                             {"last axis, kept", {3, 5}, {-1}, true},
                             {"middle axis", {2, 3, 4}, {1}, false},
                             {"outer axes", {2, 3, 4}, {2, 0}, false},
                             {"outer axes, kept", {2, 3, 2}, {0, -1}, true},
                             {"rank 0", {}, {}, false},
                             {"sizes of 1", {1, 3, 1}, {0, 1}, false}};
  if (over_nothing) {
    forms.push_back({"empty", {0, 3}, {0}, false});
    forms.push_back({"empty result", {0, 3}, {1}, false});
  }
  const std::string title = subject.name;
  Row row{subject, {}, bad_operands(title, [call](const Tensor& x) { return call(x, {}, false); })};
  row.needs_elements = !over_nothing;
  for (const Form& form : forms) {
    row.samples.push_back(sample(
        form.name, {in(form.shape, domain)},
        [call, form](X x) { return call(x[0], form.axes, form.keepdim); },
        [reference, form](B x) { return reference(x[0], form.axes, form.keepdim); }));
  }
  row.bad_calls.push_back(bad<ShapeError>(title + ": axis 2 is out of range for rank 2",
                                          [call] { call(of(3, 5), {2}, false); }));
  row.bad_calls.push_back(bad<ShapeError>(title + ": axis -3 is out of range for rank 2",
                                          [call] { call(of(3, 5), {-3}, false); }));
  row.bad_calls.push_back(bad<ShapeError>(title + ": axis 1 is named twice", [call] {
    call(of(3, 5), {1, -1}, false);
  }));
  if (!over_nothing) {
    row.bad_calls.push_back(bad<ShapeError>(title + ": no elements to reduce in f32[0, 3]",
                                            [call] { call(of(0, 3), {}, false); }));
  }
  return row;
}

Block sum_of(const Block& x, const std::vector<Index>& axes, bool keepdim) {
  return fold(x, axes, keepdim, 0, [](double a, double b) { return a + b; });
}

Block mean_of(const Block& x, const std::vector<Index>& axes, bool keepdim) {
  const Block total = sum_of(x, axes, keepdim);
  const double count =
      static_cast<double>(x.values().size()) / static_cast<double>(total.values().size());
  return map(total, [count](double value) { return value / count; });
}

Block amax_of(const Block& x, const std::vector<Index>& axes, bool keepdim) {
  return fold(x, axes, keepdim, -HUGE_VAL, [](double a, double b) { return std::max(a, b); });
}

Block amin_of(const Block& x, const std::vector<Index>& axes, bool keepdim) {
  return fold(x, axes, keepdim, HUGE_VAL, [](double a, double b) { return std::min(a, b); });
}

Block prod_of(const Block& x, const std::vector<Index>& axes, bool keepdim) {
  return fold(x, axes, keepdim, 1, [](double a, double b) { return a * b; });
}

// Zeros stand in x itself: one in the first row, two in the second, none in the third. Moved a
// little they are zeros no more, so that differences see the gradients that division would lose.
Sample prod_with_zeros(const std::string& name, const std::vector<Index>& axes) {
  Sample made = sample(
      name, {in({3, 5}, Domain::nonzero)}, [axes](X x) { return prod(x[0], axes); },
      [axes](B x) { return prod_of(x[0], axes, false); });
  made.inputs[0].at({0, 3}) = made.inputs[0].at({1, 0}) = made.inputs[0].at({1, 4}) = 0;
  return made;
}

Row prod_row() {
  return with(
      integers_too(reduction(Op::prod, prod, prod_of, Domain::any, true), true),
      {prod_with_zeros("rows with zeros", {1}), prod_with_zeros("columns with zeros", {0})});
}

Block logsumexp_of(const Block& x, const std::vector<Index>& axes, bool keepdim) {
  const Block total = fold(x, axes, keepdim, 0, [](double a, double b) { return a + std::exp(b); });
  return map(total, [](double value) { return std::log(value); });
}

Row logsumexp_row() {
  const double off = -std::numeric_limits<double>::infinity();
  const Block mask({3, 2}, std::vector<double>{0, off, off, off, 0, 0});
  Row row = reduction(Op::logsumexp, logsumexp, logsumexp_of, Domain::any, false);
  row.bad_calls.pop_back();  // over nothing there is a result, but one that loops cannot weigh
  row.needs_elements = false;
  return with(
      std::move(row),
      {sample(
           "empty result", {in({0, 3})}, [](X x) { return logsumexp(x[0], {1}); },
           [](B x) { return logsumexp_of(x[0], {1}, false); }),
       sample(
           "rows with -infinity", {in({3, 2})},
           [mask](X x) { return exp(logsumexp(x[0] + to_tensor(mask, x[0].dtype()), {1})); },
           [mask](B x) {
             const Block hidden =
                 map(x[0], mask, [](double value, double add) { return value + add; });
             return sum_of(map(hidden, [](double value) { return std::exp(value); }), {1}, false);
           })});
}

Sample summed_to(const std::string& name, const std::vector<Index>& from,
                 const std::vector<Index>& to) {
  return sample(
      name, {in(from)}, [to](X x) { return sum_to(x[0], Shape(to)); },
      [to](B x) {
        Block out(to, [](const Place&) { return 0.0; });
        each_place(x[0].shape(), [&](const Place& p) { out.at(p) += x[0](p); });
        return out;
      });
}

Row sum_to_row() {
  return {
      Op::sum_to,
      {summed_to("leading axes", {2, 3, 4}, {4}), summed_to("stretched axis", {3, 5}, {3, 1}),
       summed_to("both", {2, 3, 4}, {3, 1}), summed_to("to rank 0", {3, 5}, {}),
       summed_to("to ones", {2, 3}, {1, 1}), summed_to("nothing to do", {3, 2}, {3, 2}),
       summed_to("sizes of 1", {1, 3}, {1}), summed_to("empty", {0, 3}, {3})},
      {BAD(ShapeError, "sum_to: [5, 1] does not broadcast to f32[1, 5]", sum_to(of(1, 5), {5, 1})),
       BAD(ShapeError, "sum_to: shapes", sum_to(of(3), {5})),
       BAD(ShapeError, "sum_to: [2, 3] does not broadcast to f32[3]", sum_to(of(3), {2, 3})),
       BAD(ShapeError, "sum_to: [3] does not broadcast to f32[1]", sum_to(of(1), {3})),
       BAD(GradError, "sum_to: x is undefined", sum_to(Tensor(), {3}))}};
}

}  // namespace

std::vector<Row> reduce_rows() {
  return {integers_too(reduction(Op::sum, sum, sum_of, Domain::any, true), true),
          reduction(Op::mean, mean, mean_of, Domain::any, false),
          integers_too(reduction(Op::amax, amax, amax_of, Domain::distinct, false), true),
          integers_too(reduction(Op::amin, amin, amin_of, Domain::distinct, false), true),
          sum_to_row(),
          prod_row(),
          logsumexp_row()};
}

}  // namespace heed::table
