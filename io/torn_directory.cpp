#include "torn_directory.h"

#include <algorithm>
#include <vector>

#include "../core/error.h"
#include "folder.h"
#include "training_state.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<fs::path> parts(const fs::path& place, const std::string& name) {
  fs::path plain = fs::weakly_canonical(fs::absolute(place));
  if (!plain.has_filename()) plain = plain.parent_path();
  const fs::path above = plain.parent_path();
  std::vector<fs::path> out;
  for (const std::string& each : names_in(above)) {
    for (const std::string mark : {".new-", ".old-"}) {
      const std::string begin = plain.filename().string() + mark;
      if (each.starts_with(begin) && is_number(each.substr(begin.size())) &&
          entry_at(above / each / name)) {
        out.push_back(above / each);
      }
    }
  }
  return out;
}

}  // namespace

bool mend_torn_directory(const fs::path& place, const std::string& name) {
  try {
    const auto held = HeldFolder::wait(place);
    const auto found = parts(place, name);
    if (found.size() != 1) return false;
    const auto names = names_in(found[0]);
    for (const std::string& each : names) {
      if (each != kTrainingFile && entry_at(place / each)) return false;
    }
    for (const std::string& each : names) {
      if (!entry_at(place / each)) fs::rename(found[0] / each, place / each);
    }
    std::error_code ignored;
    fs::remove(found[0], ignored);  // only when empty
    return entry_at(place / name).has_value();
  } catch (const IoError&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

std::string where_the_rest_lies(const fs::path& place, const std::string& name) {
  std::string out;
  try {
    for (const fs::path& part : parts(place, name)) {
      out += (out.empty() ? " (a save that was cut short left " : ", ") + part.string();
    }
  } catch (const IoError&) {
    return out;
  } catch (const fs::filesystem_error&) {
    return out;
  }
  return out.empty() ? out : out + ")";
}

}  // namespace heed::io
