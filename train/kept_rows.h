// What a log keeps of its file where a training goes on after a step. Internal to train.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "step_rows.h"

namespace heed::train {

struct KeptRows {
  std::string content;               ///< without later steps, and what was cut short
  StepRow last;                      ///< of whose step more may come
  std::vector<std::string> columns;  ///< of a table, without the step's
};

/// Of lines as JsonLog writes them: objects of a step, numbers, texts, and objects of those, no
/// deeper and no name twice. Throws FormatError in `path`'s name for others.
KeptRows kept_json_rows(std::string_view file, const std::string& path, std::int64_t step);

/// A line of it, with its "\n".
std::string json_line(const StepRow& row);

/// Of a table as CsvLog writes it; nothing where its first row is not there yet. Throws FormatError
/// in `path`'s name for others.
std::optional<KeptRows> kept_csv_rows(std::string_view file, const std::string& path,
                                      std::int64_t step);

}  // namespace heed::train
