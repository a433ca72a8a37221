// Recordings of single spoken digits, as the Free Spoken Digit Dataset has them, and strings of
// digits joined from recordings of one speaker, so that the true place of each digit is known.
//
//   gap digit gap digit .. gap,  then noise over all
//
// It is in heed::sound, as wav.h.
#pragma once

#include <string>
#include <vector>

#include "../core/generator.h"
#include "wav.h"

namespace heed::data {

inline constexpr Index kSpokenRate = 8000;  ///< samples a second

struct SpokenDigit {
  Index digit = 0;  ///< 0 .. 9
  std::string speaker;
  std::vector<float> samples;
};

/// All DIGIT_SPEAKER_INDEX.wav of the folder, in the order of their names; other files than .wav
/// are passed over. Throws IoError, FormatError for a folder without any, another name, more than
/// 10 s, and what read_wav() refuses.
std::vector<SpokenDigit> read_spoken_digits(const std::string& folder);

struct JoinOptions {
  double shortest_gap = 0.05, longest_gap = 0.4;  ///< seconds, before, between and behind
  /// The loudness (root of the mean square) of the recordings over that of the noise, in dB, drawn
  /// between these.
  double least_over_noise = 15, most_over_noise = 35;
};

struct SpokenString {
  struct Place {
    Index begin, end;  ///< in samples
  };
  std::string speaker;
  std::vector<Index> digits;
  std::vector<Place> places;  ///< of each digit's recording
  std::vector<float> samples;
};

/// Draws strings. What is drawn from must outlive it.
class SpokenStrings {
 public:
  /// Throws ValueError for no recordings, ones without samples, and options that make no sense.
  explicit SpokenStrings(const std::vector<SpokenDigit>& recordings,
                         const JoinOptions& options = {});

  /// `count` digits of one speaker, who is drawn, too, each of them any of his recordings. Throws
  /// ValueError unless count is positive.
  SpokenString draw(Index count, Generator& generator) const;
  /// These digits. Throws ValueError where no speaker has said them all.
  SpokenString draw(const std::vector<Index>& digits, Generator& generator) const;

 private:
  using Recordings = std::vector<const SpokenDigit*>;
  SpokenString join(const Recordings& recordings, Generator& generator) const;

  std::vector<Recordings> speakers_;
  JoinOptions options_;
};

}  // namespace heed::data
