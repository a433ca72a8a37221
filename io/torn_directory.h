// Model directories that earlier versions left in two parts: DIR holds what was saved last, and
// DIR.new-PID or DIR.old-PID what should have been moved there. Internal to io.
#pragma once

#include <filesystem>
#include <string>

namespace heed::io {

/// Moves to `place`, which lacks the file, what belongs there. True when it now has the file. Only
/// where it is plain: one folder beside it holds the file, and the two have no other file in common
/// than the training state, which was saved alone.
bool mend_torn_directory(const std::filesystem::path& place, const std::string& name);

/// "" or "; DIR.new-12 beside it has one", for an error: folders that hold this file, of any
/// content for "".
std::string where_the_rest_lies(const std::filesystem::path& place, const std::string& name);

}  // namespace heed::io
