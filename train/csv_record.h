// The records of a table as RFC 4180 has them. Internal to train.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::train {

using CsvRecord = std::vector<std::string>;

/// The record that begins at `at`, which then stands behind its line; nothing where the last line
/// was cut short.
std::optional<CsvRecord> next_record(std::string_view text, std::size_t& at);

/// With its "\n"; commas, quotes, ends of lines and blanks at the ends of a field are quoted.
std::string line_of_fields(const CsvRecord& fields);

}  // namespace heed::train
