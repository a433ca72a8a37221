#include "parallel_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "folder_parts.h"

namespace heed::data {
namespace {

// The name without the ending of the language, plain or gzip; empty for others.
std::string stem_of(const std::string& name, const std::string& language) {
  for (const std::string& ending : {"." + language, "." + language + ".gz"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return {};
}

}  // namespace

std::vector<ParallelFiles> find_all_parallel(const std::string& folder, const std::string& from,
                                             const std::string& to,
                                             const std::vector<std::string>& beginnings) {
  const std::vector<std::string> names = names_in(folder);
  std::string lacking = from;
  for (const std::string& beginning : beginnings) {
    std::vector<ParallelFiles> out;
    for (const std::string& source : names) {
      const std::string stem = stem_of(source, from);
      if (stem.empty() || !stem.starts_with(beginning)) continue;
      lacking = to;
      const auto target = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return stem_of(name, to) == stem;
      });
      if (target != names.end()) out.emplace_back(folder + "/" + source, folder + "/" + *target);
    }
    if (!out.empty()) return out;
  }
  const std::string first = beginnings.empty() ? "" : beginnings.front();
  throw ValueError(
      fmt::format("{}: no file {}*.{} or {}*.{}.gz", folder, first, lacking, first, lacking));
}

ParallelFiles find_parallel(const std::string& folder, const std::string& from,
                            const std::string& to, const std::vector<std::string>& beginnings) {
  return find_all_parallel(folder, from, to, beginnings).front();
}

}  // namespace heed::data
