// Where a model directory is made anew before it takes its place: a folder ".heed-save-XXXXXX"
// beside it, that holds
//   names   the place's name and those of the files that are saved, written first
//   model   the new directory and, once they are exchanged, the old one
// It is held (folder.h) while its process lives. What dead processes leave can so be told from what
// is in work, and what is theirs from what is the user's. Internal to io.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "folder.h"

namespace heed::io {

class SaveArea {
 public:
  /// Beside `place`, to save files of these names; nothing where no folder can be made there.
  /// Throws IoError.
  static std::optional<SaveArea> make(const std::filesystem::path& place,
                                      const std::set<std::string>& names);
  SaveArea(SaveArea&& other) noexcept;
  /// What is still in it was never at the place, unless it was settled.
  ~SaveArea();

  std::filesystem::path model() const { return path_ / "model"; }
  /// `model` is what stood at the place and has been carried into what stands there now.
  void settle(const std::filesystem::path& place);
  /// It is, but may have to be needed again: it stays for the next save.
  void leave() { path_.clear(); }

  /// Settles all areas of dead processes that saved to this place; where nothing is there, those
  /// only that bring nothing to it.
  static void settle_abandoned(const std::filesystem::path& place);

 private:
  SaveArea(std::filesystem::path path, HeldFolder held, std::set<std::string> names);
  std::filesystem::path path_;
  HeldFolder held_;
  std::set<std::string> names_;
};

}  // namespace heed::io
