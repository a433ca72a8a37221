// Scalars gathered to one row a step, for logs that are tables. Internal to train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heed::train {

struct StepRow {
  std::int64_t step = 0;
  std::vector<std::pair<std::string, std::string>> fields;  ///< name and text, in order of arrival
  bool waits = false;       ///< for more of its step, with something that is not in the file
  std::size_t written = 0;  ///< bytes of it that the file ends with
  /// The later value of a name stands.
  void set(const std::string& name, std::string text) {
    waits = true;
    for (auto& [known, value] : fields) {
      if (known != name) continue;
      value = std::move(text);
      return;
    }
    fields.emplace_back(name, std::move(text));
  }
};

}  // namespace heed::train
