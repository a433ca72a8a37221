// Generated recordings of dialled digits, as spoken_digits.h has spoken ones: the two tones of each
// key of a telephone (DTMF, ITU-T Q.23), which swell and fade, by telephones that are out of tune.
#pragma once

#include <vector>

#include "../../core/generator.h"
#include "../spoken_digits.h"

namespace heed::data {

/// The next `count` recordings of the generator's stream, of 0.15 to 0.5 s, all ten digits equally
/// likely, by six telephones ("a" to "f").
std::vector<SpokenDigit> generate_dialled(Index count, Generator& generator);

}  // namespace heed::data
