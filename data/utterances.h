// Strings of spoken digits with their features, drawn and side by side. It is in heed::sound, as
// wav.h.
#pragma once

#include <iterator>
#include <vector>

#include "features.h"
#include "log_mel.h"
#include "spoken_digits.h"

namespace heed::data {

struct Utterance {
  SpokenString said;
  Array features;  ///< f32 [T, 80]: LogMel's as they come
};
inline constexpr Index kUtteranceWidth = 80;

/// Throws ValueError for a sound that is shorter than 0.1 s.
Utterance utterance_of(SpokenString said);

/// `count` strings of `shortest` to `longest` digits, all numbers of them equally likely. Throws
/// ValueError unless 1 <= shortest <= longest, and as SpokenStrings.
std::vector<Utterance> draw_utterances(const std::vector<SpokenDigit>& recordings, Index count,
                                       Index shortest, Index longest, Generator& generator);

struct UtteranceBatch {
  PaddedFeatures sounds;
  std::vector<std::vector<Index>> digits;
};
/// For what is cut in pieces (pieces.h); a part is as long as its longest.
inline Index rows_of(const UtteranceBatch& batch) { return std::ssize(batch.digits); }
UtteranceBatch part_of(const UtteranceBatch& batch, Index begin, Index end);
/// Throws ValueError for none.
UtteranceBatch batch_of(const std::vector<Utterance>& some);

}  // namespace heed::data
