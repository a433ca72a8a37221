#include "team.h"

#include <fmt/format.h>

#include <sstream>

#include "../core/error.h"

namespace heed::train {
namespace {

Team* current = nullptr;

}  // namespace

void check_alike(const char* who, const std::vector<std::string>& all) {
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    std::istringstream theirs(all[rank]), first(all[0]);
    std::string they, it;
    while (std::getline(theirs, they) && std::getline(first, it)) {
      if (they == it) continue;
      throw ValueError(fmt::format("{}: process {} has {}, process 0 has {}", who, rank, they, it));
    }
  }
}

void set_team(Team* team) { current = team; }
Team* team() { return current; }

}  // namespace heed::train
