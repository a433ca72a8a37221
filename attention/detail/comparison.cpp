#include "comparison.h"

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "checks.h"

namespace heed::attention {

SequencePair sequence_pair(const char* op, const Tensor& premise,
                           const std::vector<Index>& premise_lengths, const Tensor& hypothesis,
                           const std::vector<Index>& hypothesis_lengths, Index width, DType dtype) {
  check_batch(op, "premise", premise);
  check_batch(op, "hypothesis", hypothesis);
  check_rows_of_batch(op, "hypothesis", hypothesis, premise.size(0));
  const Mask of_premise = first_places(op, "premise", premise, premise_lengths);
  return {masked_sequence(op, "premise", premise, width, dtype, of_premise),
          masked_sequence(op, "hypothesis", hypothesis, width, dtype,
                          first_places(op, "hypothesis", hypothesis, hypothesis_lengths))};
}

Tensor compare_by_differences(const Tensor& x, const Tensor& y) {
  return concat({x, y, x - y, x * y}, -1);
}

}  // namespace heed::attention
