// Generated stories in the manner of bAbI: people move about a house, take things along and drop
// them. Two tasks, as bAbI's first two:
//
//   1  Where is Mary?       rests on the last sentence that moved her
//   2  Where is the apple?  rests on who took it, or where it was dropped, and where that person is
#pragma once

#include <vector>

#include "../../core/generator.h"
#include "../babi.h"

namespace heed::data {

inline constexpr int kGeneratedTasks = 2;

/// The next `count` stories of the generator's stream, five questions each. Throws ValueError for a
/// task that is none of the two.
std::vector<BabiStory> tell_stories(Index count, int task, Generator& generator);

}  // namespace heed::data
