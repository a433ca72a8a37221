// Rows of several lengths, under the names of torch.nn.utils.rnn. Recurrent layers take the lengths
// themselves: lstm(x, lengths).
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn::utils::rnn {

/// Sequences [L, ..] -> [B, T, ..] with batch_first, else PyTorch's [T, B, ..], T the longest, with
/// `padding` behind the shorter. Throws ValueError for none, ShapeError, DTypeError.
Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first = false,
                    double padding = 0);

// Packed sequences are tokens, and the lengths beside them.
template <class Lengths>
void pack_padded_sequence(
    const Tensor&, const Lengths&, bool = false, bool = true,
    Say<"lstm(x, lengths) of a padded x; heed::Packed is tokens without padding"> = {}) = delete;
template <class T>
void pad_packed_sequence(const T&, bool = false,
                         Say<"lstm(x, lengths) gives its output padded"> = {}) = delete;
void pack_sequence(const std::vector<Tensor>&, bool = true,
                   Say<"pad_sequence(sequences, true), and lstm(x, lengths)"> = {}) = delete;

}  // namespace heed::nn::utils::rnn
