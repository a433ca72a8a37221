// Scalars gathered to one row a step, for logs that are tables. Internal to train.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heed::train {

struct StepRow {
  std::int64_t step = 0;
  std::vector<std::pair<std::string, std::string>> fields;  ///< name and text, in order of arrival
  bool empty() const { return fields.empty(); }
  /// The later value of a name stands.
  void set(const std::string& name, std::string text) {
    for (auto& [known, value] : fields) {
      if (known != name) continue;
      value = std::move(text);
      return;
    }
    fields.emplace_back(name, std::move(text));
  }
};

}  // namespace heed::train
