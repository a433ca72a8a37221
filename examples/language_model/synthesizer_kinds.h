// What attends in each layer of the language model, by name.
#pragma once

#include <string>
#include <vector>

#include "../../attention/mechanisms/transformer/synthesizer.h"

namespace language_model {

using namespace heed;  // an application speaks the library's language

using SynthesizerKinds = std::vector<attention::SynthesizerKind>;

/// "dot" (no kinds: dot-product attention), "synthesizer-dense", "synthesizer-random", and mixtures
/// as "synthesizer-random+dot-product" (Tay et al. 2021). Throws ValueError for other names.
SynthesizerKinds attention_of(const std::string& name);
std::string name(const SynthesizerKinds& kinds);

}  // namespace language_model
