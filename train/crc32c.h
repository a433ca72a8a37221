// CRC-32C (Castagnoli), by which records of event files are checked.
#pragma once

#include <cstdint>
#include <string_view>

namespace heed::train {

/// Of "123456789" it is 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace heed::train
