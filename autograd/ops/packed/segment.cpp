#include "segment.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../../core/kernels/index/segment.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"

namespace heed {
namespace {

void check(const char* op, const Packed& x) {
  check_offsets(op, x.offsets, x.tokens);
  check_floating(op, x.tokens.dtype());
}

}  // namespace

// gx = g at each token of its sequence
Tensor segment_sum(const Packed& x) {
  check("segment_sum", x);
  return record(
      Op::segment_sum, kernels::reduce_segments(kernels::Reduce::sum, x.tokens.array(), x.offsets),
      {x.tokens}, [offsets = x.offsets](const Tensor& g) { return repeat_segments(g, offsets); });
}

Tensor segment_mean(const Packed& x) {
  check("segment_mean", x);
  Shape counts = Shape::filled(x.tokens.rank(), 1);
  counts[0] = x.sequences();
  Array lengths = Array::empty(counts, DType::f64);
  for (Index b = 0; b < x.sequences(); ++b) {
    lengths.mutable_data<double>()[b] = static_cast<double>(std::max<Index>(1, x.length(b)));
  }
  return segment_sum(x) / Tensor(lengths.to(x.tokens.dtype()));
}

// gx: g where x equals its sequence's largest, shared among equals.
Tensor segment_max(const Packed& x) {
  check("segment_max", x);
  const Array y = kernels::reduce_segments(kernels::Reduce::max, x.tokens.array(), x.offsets);
  return record(
      Op::segment_max, y, {x.tokens},
      [tokens = Saved(x.tokens), y = SavedOutput(y), offsets = x.offsets](const Tensor& g) {
        const Tensor top = repeat_segments(Tensor(y.array()), offsets);
        const Tensor hit((tokens().detach() == top).array().to(g.dtype()));
        const Tensor equals = segment_sum({hit, offsets});
        return repeat_segments(g, offsets) * (hit / repeat_segments(equals, offsets));
      });
}

// gx = the sum of g over the tokens of each sequence
Tensor repeat_segments(const Tensor& x, const std::vector<Index>& offsets) {
  check_defined("repeat_segments", x, "x");
  check_offsets("repeat_segments", offsets);
  const Index sequences = static_cast<Index>(offsets.size()) - 1;
  if (x.rank() == 0 || x.size(0) != sequences) {
    throw ShapeError(
        fmt::format("repeat_segments: x is {}, for {} sequences", describe(x), sequences));
  }
  return record(Op::repeat_segments, kernels::repeat_segments(x.array(), offsets), {x},
                [offsets](const Tensor& g) {
                  return segment_sum({g, offsets});
                });
}

// gx = y (g - the sum of g y over each sequence)
Tensor segment_softmax(const Packed& x) {
  check("segment_softmax", x);
  const Array y = kernels::segment_softmax(x.tokens.array(), x.offsets);
  return record(Op::segment_softmax, y, {x.tokens},
                [y = SavedOutput(y), offsets = x.offsets](const Tensor& g) {
                  if (!recording()) {
                    return Tensor(kernels::segment_softmax_grad(g.array(), y.array(), offsets));
                  }
                  const Tensor out = y(), some = Tensor(y.array()) != 0;  // 0 times NaN is no 0
                  const Tensor inside = where(some, g, 0);
                  const Tensor sums = segment_sum({inside * out, offsets});
                  return where(some, out * (inside - repeat_segments(sums, offsets)), 0);
                });
}

}  // namespace heed
