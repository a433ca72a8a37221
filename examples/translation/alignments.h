// Where a model looks while it reads a translation that is given, word by word.
#pragma once

#include <string>

#include "../../train/alignment.h"
#include "../../train/self_attention.h"
#include "corpus.h"
#include "translator.h"

namespace translation {

/// The parts of both sentences, the end mark last, and the weights of all layers and heads, [T, K]
/// each. Throws ValueError for a model without attention.
train::AlignedSentence align(const Language& language, const std::string& source,
                             const std::string& target);

/// What the encoder looks at in a source, the end mark last; no layers of a model whose encoder
/// does not attend to itself.
train::SelfAttended self_attended(const Language& language, const std::string& source);

/// Alignment error rate against the known links, of the weights that decoding gives each step. NaN
/// where there are no links or no attention, and for subwords, which are no words.
double alignment_error(const Language& language, const Part& part);

}  // namespace translation
