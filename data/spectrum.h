// Power spectra of a sound, frame by frame: the frame times a Hann window, the squared absolute
// value of its Fourier transform (KissFFT's, in f32),
//
//   P_tk = |sum_i w_i x_{t hop + i} exp(-2 pi sqrt(-1) k i / size)|^2,  k = 0 .. size / 2
//   w_i = (1 - cos(2 pi i / length)) / 2
//
// There are as many frames as begin before the sound's last `length` - `hop` samples have begun, at
// least one; zeros follow the sound. It is in heed::sound, as wav.h.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::data {

struct FrameOptions {
  Index length = 200;  ///< samples a frame
  Index hop = 80;      ///< samples from one frame to the next
  Index size = 256;    ///< of the transform, even, at least `length`
};

/// How many frames a sound of so many samples has: 1 + ceil((samples - length) / hop). Throws
/// ValueError for options that make no sense, and no samples.
Index frames_of(Index samples, const FrameOptions& options = {});

/// f32 [frames, size / 2 + 1]. Throws as frames_of(), ValueError for a program without KissFFT.
Array power_spectrum(const std::vector<float>& samples, const FrameOptions& options = {});

}  // namespace heed::data
