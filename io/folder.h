// Folders as model_directory.cpp needs them: listed with every error seen, held against other
// processes, their content carried into another one. Internal to io.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heed::io {

/// The names in a folder. Throws IoError.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// What is at `path` itself, not where a link there leads; nothing when nothing is. Throws IoError.
std::optional<struct stat> entry_at(const std::filesystem::path& path);
bool same_entry(const struct stat& a, const struct stat& b);

/// An open folder with an flock on it, which goes with the process: nobody else saves into a folder
/// that is held, and one that can be held has no living owner. Where the file system has no such
/// locks, it is open and not locked.
class HeldFolder {
 public:
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
  HeldFolder(HeldFolder&& other) noexcept;
  HeldFolder& operator=(HeldFolder&& other) noexcept;
  ~HeldFolder();

  /// Waits for the folder that then is at `path`; nothing when there is none. Throws IoError.
  static std::optional<HeldFolder> wait(const std::filesystem::path& path);
  /// Nothing also when another process has it.
  static std::optional<HeldFolder> attempt(const std::filesystem::path& path);

  bool locked() const { return locked_; }
  /// Whether it is the one at `path`.
  bool is_at(const std::filesystem::path& path) const;

 private:
  HeldFolder(int fd, bool locked) : fd_(fd), locked_(locked) {}
  int fd_;
  bool locked_;
};

/// Thrown where a folder cannot be carried: of what is in it, something is on another file system
/// or can neither be linked nor be read.
struct CannotBeCarried {};

/// Puts what `from` holds, but for the names `except`, into the folder `to` as well: folders anew,
/// all else as second links, or copies where links are refused. Throws IoError, CannotBeCarried.
void carry(const std::filesystem::path& from, const std::filesystem::path& to,
           const std::set<std::string>& except);

/// Ends what carry() began: `left` and `place` hold the same, and `left` goes. What only `left`
/// holds moves to `place`; what both hold, but not the same, stays where it is later. Deletes the
/// names `ours` at the top of `left`. `crashed`: it began in another process, at any time: in doubt
/// something stays in `left`, and a name that has gone from `place` does not come back while what
/// it stood for has another one. Never throws: what cannot go now is left.
void settle(const std::filesystem::path& left, const std::filesystem::path& place,
            const std::set<std::string>& ours, bool crashed);

}  // namespace heed::io
