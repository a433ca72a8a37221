// The kinds of a Synthesizer's scores by one name, as a command line or a configuration has it.
#pragma once

#include <string>
#include <vector>

#include "synthesizer.h"

namespace heed::attention {

using SynthesizerKinds = std::vector<SynthesizerKind>;

/// "dot" (no kinds: dot-product attention), "synthesizer-dense", "synthesizer-random", and mixtures
/// as "synthesizer-random+dot-product" (Tay et al. 2021). Throws ValueError for other names.
SynthesizerKinds synthesizer_kinds(const std::string& name);
std::string name(const SynthesizerKinds& kinds);

}  // namespace heed::attention
