// Layers of a Transformer over single numbers, for references of whole stacks: see plain.h.
#pragma once

#include <string>
#include <vector>

#include "plain.h"

namespace heed::attention::plain {

using Rows = std::vector<Numbers>;

/// `name`.weight and, if it has numbers, `name`.bias.
Numbers linear(const Leaves& w, const std::string& name, const Numbers& x);
/// The same of each row.
Rows linear(const Leaves& w, const std::string& name, const Rows& x);
/// Over a row, with `name`.weight and `name`.bias.
Numbers layer_norm(const Leaves& w, const std::string& name, const Numbers& x);
/// MultiHead with the packed weights `name`.in_proj_weight, of all of `to`.
Rows heads(const Leaves& w, const std::string& name, Index count, const Rows& from, const Rows& to);
/// GELU, of each number.
Numbers gelu(Numbers x);

}  // namespace heed::attention::plain
