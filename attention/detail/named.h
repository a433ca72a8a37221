// What the parts of a mechanism refuse is refused in the mechanism's name:
//
//   local: additive: keys must be [.., n, 6], not f64[2, 5, 7]
#pragma once

#include <string>

#include "../../core/error.h"

namespace heed::attention {

/// part(), whose ShapeErrors and DTypeErrors get `op` before their text.
template <class Part>
auto named(const char* op, const Part& part) {
  const auto text = [op](const Error& error) { return std::string(op) + ": " + error.message(); };
  try {
    return part();
  } catch (const ShapeError& error) {
    throw ShapeError(text(error));
  } catch (const DTypeError& error) {
    throw DTypeError(text(error));
  }
}

}  // namespace heed::attention
