#include "../../../../autograd/ops/index/sort.h"

#include <algorithm>

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
const std::vector<Form> kForms = {{"rows", {3, 5}, -1, 1},          {"columns", {5, 3}, 0, 0},
                                  {"middle axis", {2, 3, 4}, 1, 1}, {"vector", {7}, 0, 0},
                                  {"sizes of 1", {1, 3, 1}, 1, 1},  {"one place", {3, 1}, 1, 1},
                                  {"empty", {0, 3}, 1, 1}};

std::vector<double> ordered(const Block& x, const Place& p, Index axis) {
  std::vector<double> row;
  for (Index k = 0; k < x.size(axis); ++k) row.push_back(x(replaced(p, axis, k)));
  std::sort(row.begin(), row.end());
  return row;
}

// The result has `count` places on the axis: those of the sorted row from `first`, every `step`.
Sample picked(const std::string& name, const Form& form, Call call, Index count, bool descending) {
  return sample(name, {in(form.shape, Domain::distinct)}, std::move(call), [=](B x) {
    return Block(replaced(form.shape, form.real, count), [&](const Place& p) {
      const std::vector<double> row = ordered(x[0], p, form.real);
      const auto k = static_cast<std::size_t>(p[static_cast<std::size_t>(form.real)]);
      return descending ? row[row.size() - 1 - k] : row[k];
    });
  });
}

Row sort_row() {
  Row row{"sort",
          {},
          {BAD(GradError, "sort: x is undefined", sort(Tensor())),
           BAD(ShapeError, "sort: axis 2 is out of range for rank 2", sort(of(3, 5), 2)),
           BAD(ShapeError, "sort: axis -1 is out of range for rank 0", sort(of())),
           BAD(ShapeError, "argsort: axis -3 is out of range", argsort(of(3, 5), -3)),
           BAD(GradError, "argsort: x is undefined", argsort(Tensor()))}};
  for (const bool descending : {false, true}) {
    for (const Form& form : kForms) {
      row.samples.push_back(picked(
          form.name + std::string(descending ? ", descending" : ""), form,
          [=](X x) { return sort(x[0], form.axis, descending).values; },
          form.shape[static_cast<std::size_t>(form.real)], descending));
    }
  }
  return row;
}

Row topk_row() {
  Row row{"topk",
          {},
          {BAD(GradError, "topk: x is undefined", topk(Tensor(), 1)),
           BAD(ValueError, "topk: k 6 is not in [0, 5]", topk(of(3, 5), 6)),
           BAD(ValueError, "topk: k -1 is not in [0, 3]", topk(of(3, 5), -1, 0)),
           BAD(ShapeError, "topk: axis 2 is out of range", topk(of(3, 5), 1, 2)),
           BAD(ShapeError, "topk: axis -1 is out of range for rank 0", topk(of(), 1))}};
  for (const bool largest : {true, false}) {
    for (const Form& form : kForms) {
      const Index k = (form.shape[static_cast<std::size_t>(form.real)] + 1) / 2;
      row.samples.push_back(picked(
          form.name + std::string(largest ? "" : ", smallest"), form,
          [=](X x) { return topk(x[0], k, form.axis, largest).values; }, k, largest));
    }
  }
  row.samples.push_back(picked(
      "nothing", kForms[0], [](X x) { return topk(x[0], 0).values; }, 0, true));
  return row;
}

using One = Picked (*)(const Tensor&, Index, bool);

// One element of each sorted row, its place from the row's length.
Row one(const char* name, One call, Index (*place)(Index)) {
  const std::string title = name;
  Row row{name,
          {},
          {bad<GradError>(title + ": x is undefined", [call] { call(Tensor(), 0, false); }),
           bad<ShapeError>(title + ": axis 2 is out of range for rank 2",
                           [call] { call(of(3, 5), 2, false); }),
           bad<ShapeError>(title + ": axis 0 is out of range for rank 0",
                           [call] { call(of(), 0, false); }),
           bad<ShapeError>(title + ": no elements to reduce in f32[3, 0]",
                           [call] { call(of(3, 0), 1, false); })}};
  for (const bool keepdim : {false, true}) {
    for (const Form& form : kForms) {
      row.samples.push_back(sample(
          form.name + std::string(keepdim ? ", kept" : ""), {in(form.shape, Domain::distinct)},
          [=](X x) { return call(x[0], form.axis, keepdim).values; },
          [=](B x) {
            const Sizes shape =
                keepdim ? replaced(form.shape, form.real, 1) : without(form.shape, form.real);
            return Block(shape, [&](const Place& p) {
              const Place at = keepdim ? p : with(p, form.real, 0);
              const std::vector<double> sorted = ordered(x[0], at, form.real);
              return sorted[static_cast<std::size_t>(place(x[0].size(form.real)))];
            });
          }));
    }
  }
  return row;
}

Row median_row() {
  const auto middle = [](Index size) { return (size - 1) / 2; };
  return with(one("median", median, middle),
              {sample(
                  "whole", {in({3, 4}, Domain::distinct)}, [](X x) { return median(x[0]); },
                  [](B x) {
                    std::vector<double> values = x[0].values();
                    std::sort(values.begin(), values.end());
                    return Block({}, std::vector<double>{values[5]});
                  })},
              {BAD(ShapeError, "median: no elements to reduce in f32[0]", median(of(0, 3))),
               BAD(GradError, "median: x is undefined", median(Tensor()))});
}

}  // namespace

std::vector<Row> sort_rows() {
  return {sort_row(), topk_row(), one("max", max, [](Index size) { return size - 1; }),
          one("min", min, [](Index) { return Index{0}; }), median_row()};
}

}  // namespace heed::table
