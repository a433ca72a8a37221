#include "named_tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::nn {

bool NamedTensors::contains(std::string_view name) const {
  return std::any_of(begin(), end(), [&](const auto& entry) { return entry.first == name; });
}

std::ptrdiff_t NamedTensors::place(std::string_view name) const {
  const auto found =
      std::find_if(begin(), end(), [&](const auto& entry) { return entry.first == name; });
  if (found == end()) {
    throw IndexError(fmt::format("there is no tensor {} among {}", in_quotes(name), size()));
  }
  return found - begin();
}

}  // namespace heed::nn
