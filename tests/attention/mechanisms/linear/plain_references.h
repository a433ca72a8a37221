// Each mechanism over fast weights as the papers write it, a step and a number after the other.
#pragma once

#include "../plain.h"

namespace heed::attention::plain {

/// Sizes of the references' modules: H heads, queries and keys of K, values of V.
inline constexpr Index kWidth = 6, kHeads = 2, kKeyWidth = 4, kValueWidth = 3;

using Rows = std::vector<Numbers>;

/// Contexts, a row after the other, of the mechanism of this name under a causal mask, from its
/// parameters and x [1, T, E] in the leaves; `rows`: Performer's. None for a name without one.
using LinearReference = Numbers (*)(const Leaves& w, const Rows& x, const Block& rows);
LinearReference linear_reference(const std::string& name);

Numbers luna_causal(const Leaves& w, const Rows& x, const Block& rows);

}  // namespace heed::attention::plain
