// What may be a name: of a figure, of what is logged, of what a run carries. Internal to train.
#pragma once

#include <string_view>

namespace heed::train {

bool is_utf8(std::string_view text);

/// Whether it is UTF-8, not empty, without control characters, so that every format holds it.
bool is_name(std::string_view name);
inline constexpr const char* kNameRule = "it must be UTF-8, not empty, without control characters";

}  // namespace heed::train
