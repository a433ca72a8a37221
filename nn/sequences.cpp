#include "sequences.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"

namespace heed::nn::utils::rnn {

Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first, double padding) {
  if (sequences.empty()) throw ValueError("pad_sequence: there are no sequences");
  Index longest = 0;
  for (const Tensor& sequence : sequences) {
    if (sequence.rank() == 0) throw ShapeError("pad_sequence: a number is no sequence");
    longest = std::max(longest, sequence.size(0));
  }
  std::vector<Tensor> rows;
  for (const Tensor& sequence : sequences) {
    Shape rest = sequence.shape();
    rest[0] = longest - sequence.size(0);
    rows.push_back(rest[0] == 0 ? sequence
                                : concat({sequence, full(rest, padding, sequence.dtype())}, 0));
  }
  return stack(rows, batch_first ? 0 : 1);
}

}  // namespace heed::nn::utils::rnn
