// .npy, NumPy's file of one array: a head that says its dtype, order and shape, then the numbers.
// Format: numpy.lib.format, versions 1.0, 2.0 and 3.0.
#pragma once

#include <string>
#include <string_view>

#include "../core/array.h"

namespace heed::io {

/// Bool, integers and floats of any width become what Element says, of either byte order and either
/// order of axes. Strict: throws FormatError in `path`'s name for anything that breaks the format,
/// for complex numbers, objects, texts, dates and records, and for ranks above kMaxRank. Memory
/// follows the size of `bytes`.
Array decode_npy(std::string_view bytes, const std::string& path);
/// Version 1.0, little endian, row-major: f4, f8, i8, b1. Throws ValueError for an undefined array.
std::string encode_npy(const Array& array);

/// Throws also IoError.
Array read_npy(const std::string& path);
/// Throws also IoError; the write is atomic.
void write_npy(const std::string& path, const Array& array);

}  // namespace heed::io
