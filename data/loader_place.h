// Where a Loader stands: what its state_dict() holds. Internal to loader.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../core/array.h"
#include "../core/generator.h"
#include "pass.h"

namespace heed::data::detail {

/// Behind `index` batches of a pass that began with this generator.
struct Place {
  Generator::State begin;
  Index pass = 0, index = 0;
  PlaceNumbers within = {};  // what the pass says of it; none: the batches before are passed over
  friend bool operator==(const Place&, const Place&) = default;
};
/// Throws ValueError.
std::vector<std::pair<std::string, Array>> to_arrays(const Place& place);
Place to_place(const std::vector<std::pair<std::string, Array>>& entries);
[[noreturn]] void fail_beyond(const Place& place, Index found);

}  // namespace heed::data::detail
