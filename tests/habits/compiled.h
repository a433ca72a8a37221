// What the compiler says of single lines of a user's program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed::habits {

/// A line, and what came of it.
struct Compiled {
  std::string line;
  bool accepted = false;
  /// Messages (errors, notes), without the source that the compiler shows under each and without
  /// the lines that say which function or file it is in.
  std::vector<std::string> messages;
};

/// Each line in a function of its own of a program that includes <heed/heed.h>, uses namespace heed
/// and has tensors x [2, 3], y2 [2, 3] and loss [], in the order given. Syntax and types alone:
/// nothing is run. The compiler gets up to `together` lines at once, and fewer where it refuses
/// them.
std::vector<Compiled> compile(const std::vector<std::string>& lines, std::size_t together);

/// The lines of a file that are neither empty nor comments.
std::vector<std::string> lines_of(const std::filesystem::path& file);

}  // namespace heed::habits
