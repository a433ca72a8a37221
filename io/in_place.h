// Replacing files of a model directory that itself has to stay: a mount point, a folder above that
// may not be written, a file system that cannot exchange two folders. The new files are gathered in
// DIR/.heed-staged, which one rename makes DIR/.heed-committed; from then on they are the
// directory's, wherever they lie, and go to their names one by one. Internal to io.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::io {

/// Throws IoError, after which the directory holds the old files or, as its readers see it, the new
/// ones. The directory is held (folder.h).
void write_in_place(const std::filesystem::path& place,
                    const std::vector<std::pair<std::string, std::string_view>>& files);

/// Whether a write was cut short after it had been decided.
bool is_half_written(const std::filesystem::path& place);
/// Ends such a write, and removes what was not decided. The directory is held. Throws IoError.
void finish_in_place(const std::filesystem::path& place);
/// Where a file of this name is: finish_in_place() may lack the permission.
std::filesystem::path path_in(const std::filesystem::path& place, const std::string& name);

}  // namespace heed::io
