// Whole files, read and written. A write is atomic: the content goes to a temporary file in the
// same folder, reaches the disk (fsync), and only then takes the name. Whatever fails on the way (a
// full disk, a limit on file sizes, no permission, a crash), the old file is still there, whole,
// and the temporary one is removed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace heed::io {

/// The most that read_file() takes of what is no regular file: a device may never end.
inline constexpr std::size_t kLongestStream = std::size_t{1} << 30;

/// The whole content. Throws IoError (also for a folder, and for a pipe or a device that goes on
/// beyond `longest_stream` bytes), OutOfMemory.
std::string read_file(const std::string& path, std::size_t longest_stream = kLongestStream);

/// The place that a link, or a chain of links, leads to, also where nothing is yet; what is no link
/// is itself. `error` says why it cannot be told, or that nothing is there.
std::filesystem::path without_links(std::filesystem::path path, std::error_code& error);

/// Replaces or creates the file; a symbolic link stays and its target is replaced or created,
/// permissions are kept. What is no regular file (a terminal, a pipe, /dev/stdout) is written
/// directly. Throws IoError.
void write_file_atomically(const std::string& path, std::string_view content);
/// The same with the content in pieces, written one after the other.
void write_file_atomically(const std::string& path, const std::vector<std::string_view>& pieces);

/// Creates a file that is not there yet, in a folder that nobody else looks into, and brings its
/// content to the disk. Throws IoError, after which the file is gone again.
void write_new_file(const std::string& path, std::string_view content);
/// The same with the content, permissions and time of another file.
void copy_to_new_file(const std::string& from, const std::string& to);

/// Whether this is the temporary file of a process that died while writing.
bool is_abandoned(const std::string& path);

/// Makes the entries of a folder (new names, renames) reach the disk. Throws IoError.
void sync_folder(const std::string& path);

}  // namespace heed::io
