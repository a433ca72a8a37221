// A part of a model that has a path and nothing else, for tests of scopes.
#pragma once

#include <string>
#include <utility>

#include "../../core/scope.h"

namespace heed {

struct NamedPart final : Part {
  explicit NamedPart(std::string name_in) : name(std::move(name_in)) {}
  std::string path() const override { return name; }
  std::string class_name() const override { return "Named"; }
  std::string name;
};

}  // namespace heed
