#include "team.h"

namespace heed::train {
namespace {

Team* current = nullptr;

}  // namespace

void set_team(Team* team) { current = team; }
Team* team() { return current; }

}  // namespace heed::train
