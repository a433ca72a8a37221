// Digits drawn here, for programs that have no files: those of a small font, turned, slanted,
// stretched and moved at random, with noise.
#pragma once

#include "../../core/generator.h"
#include "../mnist.h"

namespace heed::data {

/// The next `count` digits of the generator's stream, all ten equally likely.
Digits draw_digits(Index count, Generator& generator);

}  // namespace heed::data
