// WAV files of one channel: PCM of 8, 16, 24 or 32 bits, or floats. libsndfile turns the samples
// into numbers, whole ones divided by their largest; what stands around them is checked here first,
// so that it never meets another format, nor a header that says more than the file holds.
//
// It is in heed::sound, which is built without libsndfile where that is not installed.
#pragma once

#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

struct Sound {
  Index rate = 0;              ///< samples a second
  std::vector<float> samples;  ///< in [-1, 1), floats as they came
  double seconds() const { return static_cast<double>(samples.size()) / static_cast<double>(rate); }
};

struct WavOptions {
  Index rate = 0;       ///< a file of another one is refused; 0: any from 1,000 to 192,000
  double shortest = 0;  ///< seconds
  double longest = 60;
};

/// Whether heed::sound was built with libsndfile and KissFFT.
bool has_sound();

/// Throws IoError; FormatError, with the place, for another format, more channels than one, another
/// rate, a file that is cut short, none or too many samples, and floats that are not finite;
/// ValueError for a program without libsndfile. It takes at most eight times the
/// file's size.
Sound read_wav(const std::string& path, const WavOptions& options = {});

/// The bytes of a file of 16-bit PCM; what lies outside of [-1, 1) is cut off, NaN is 0. Throws
/// ValueError for a rate out of range, and more than 2^30 samples.
std::string encode_wav(const Sound& sound);

}  // namespace heed::data
