#include "module_list.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::nn::detail {

void throw_place(std::size_t place, std::size_t size) {
  throw IndexError(fmt::format("ModuleList: place {} is out of range [0, {})", place, size));
}

void throw_class(std::size_t place) {
  throw ValueError(fmt::format("ModuleList: the module at {} is of another class", place));
}

}  // namespace heed::nn::detail
