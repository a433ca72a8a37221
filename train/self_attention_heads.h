// The matrices of a SelfAttended, checked.
#pragma once

#include "self_attention.h"

namespace heed::train {

/// [heads, words, words] -> each head's [words, words]. Throws ShapeError.
std::vector<Array> heads_of(const char* op, const Array& layer, std::size_t words);
/// Throws ValueError where there are none.
void check_layers(const char* op, const SelfAttended& text);

}  // namespace heed::train
