// The parity task of adaptive computation time (Graves 2016, section 3.1): of a vector of numbers
// the first few, from one to all of them, are 1 or -1, and the rest 0. Is the number of ones odd?
// Each vector is a sequence of one step.
#pragma once

#include <string>

#include "../../core/generator.h"
#include "answered_steps.h"
#include "lengths.h"

namespace heed::data {

/// x [B, 1, numbers], y [B, 1, 1]: 1 odd, 0 even. The next vectors of the generator's stream, each
/// with so many numbers as it draws. Throws ValueError unless these are at most `numbers`, and
/// batch >= 0.
AnsweredSteps draw_parity(Index batch, Index numbers, const Lengths& lengths, Generator& generator);
/// One vector, of a line "1 0 1 1", a 0 of which is the -1 above. Throws ValueError for other words
/// and unless there are 1 to `numbers`.
AnsweredSteps read_parity(const std::string& line, Index numbers);

}  // namespace heed::data
