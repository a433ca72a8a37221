// IDX, the format of the MNIST files, plain or gzip: two zero bytes, the type of the elements, the
// number of axes, each axis's size as a big-endian 32-bit number, then the elements row-major. Only
// unsigned bytes (type 0x08) are read: images and labels have no other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

struct IdxFile {
  Shape shape;                      ///< images [count, rows, columns], labels [count]
  std::vector<std::uint8_t> bytes;  ///< shape.numel() of them
};

/// Throws IoError when the file cannot be read; FormatError, with the place in what is unpacked,
/// when it breaks the format, ends early or goes on too long. Whatever sizes its header claims, the
/// memory taken is at most twice what the file really holds and a megabyte.
IdxFile read_idx(const std::string& path);

}  // namespace heed::data
