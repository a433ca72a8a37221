// Generated tasks over vectors of bits, by which a neural Turing machine is taught algorithms
// (Graves, Wayne, Danihelka 2014, section 4): vectors are read one a step, then nothing more comes,
// and the answer is to be given one vector a step.
//
//   copy         what was read
//   repeat_copy  what was read after a sign, so often, then an end sign
//   recall       items of three vectors each; one of them, asked for, is answered by the next
//   sort         vectors with priorities, the four fifths of the highest, the highest first
//
// x has a channel a bit and two more: signs between the parts in the first (in sort: a vector's
// priority), the second for the sign before the answer (in repeat_copy: how often, with mean 0 and
// deviation 1 of 1 .. 10). y has a channel a bit and one for the end sign.
#pragma once

#include <string>
#include <vector>

#include "../../core/array.h"
#include "../../core/generator.h"
#include "lengths.h"

namespace heed::data {

enum class BitTask : std::uint8_t { copy, repeat_copy, recall, sort };
/// By its name above. Throws ValueError for others.
BitTask bit_task(const std::string& name);
constexpr Index kItemVectors = 3;  ///< of recall

struct BitProblem {
  std::vector<std::vector<bool>> vectors;  ///< of recall: three an item
  Index repeats = 1;                       ///< of repeat_copy
  Index asked = 0;                         ///< of recall: an item, not the last
  std::vector<double> priorities = {};     ///< of sort, in [-1, 1]
};

/// The next problem of the generator's stream: `length` vectors of `bits`, or, of recall, items.
/// Throws ValueError unless all are positive, and two items of recall.
BitProblem draw_bit_problem(BitTask task, Index bits, Index length, Index repeats,
                            Generator& generator);

/// From a line: "1011 0110", of repeat_copy with the number before ("3 1011 0110"), of recall with
/// three vectors an item and last the item asked for, of sort with priorities ("1011:0.5 0110:-1").
/// Throws ValueError for a line that is none.
BitProblem read_bit_problem(BitTask task, Index bits, const std::string& line);

struct BitSequences {
  Array x;           ///< f32 [B, T, bits + 2]
  Array y;           ///< f32 [B, A, bits + 1]: of the last A steps
  Index answer = 0;  ///< A
};
/// Problems of equal length (and repeats). Throws ValueError for others, and none.
BitSequences bit_sequences(BitTask task, Index bits, const std::vector<BitProblem>& problems);

/// The next problems of the generator's stream, all of one length, and of repeat_copy all with one
/// number of repeats, from 1 to 10. Throws ValueError as above.
BitSequences draw_bit_sequences(BitTask task, Index bits, Index batch, const Lengths& lengths,
                                Generator& generator);

/// "1011 0110" of the bits of f32 [A, any]: the first `bits` channels, 1 above 0.5.
std::string bits_in_text(const Array& y, Index bits);

}  // namespace heed::data
