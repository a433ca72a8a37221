// The definition of rnn(), gru() and lstm() in plain operators, for any cell: each step runs the
// rows that have it, through cells.h. Nothing is computed for padding here either. Internal.
#pragma once

#include "recurrent.h"

namespace heed::detail {

/// Results and errors as those of recurrent().
std::vector<Tensor> recurrent_plain(RnnCell cell, const Tensor& x, const RnnStart& start,
                                    const std::vector<RnnWeights>& directions,
                                    const Sequences& sequences);

}  // namespace heed::detail
