#include "scope.h"

namespace heed {

std::string Scope::path() {
  for (const Scope* scope = current(); scope; scope = scope->outer_) {
    std::string path = scope->part_.path();
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace heed
