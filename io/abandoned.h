// The temporary files of write_file_atomically(), ".heed-PID-NUMBER.tmp" beside what they become,
// and what to do with those whose process was killed. Internal to io.
#pragma once

#include <string>
#include <string_view>

namespace heed::io {

inline constexpr std::string_view kTemporaryBegin = ".heed-", kTemporaryEnd = ".tmp";

/// is_abandoned() of file.h; `path` begins at an open folder. Takes no memory.
bool is_abandoned_at(int folder, const char* path) noexcept;

/// Removes from a folder what this user's processes left there that died while writing. What cannot
/// be looked at or removed stays. Looks at most once a minute, and at the first ten thousand names;
/// takes no memory: whoever has just written a file has succeeded.
void remove_abandoned(const std::string& folder) noexcept;

}  // namespace heed::io
