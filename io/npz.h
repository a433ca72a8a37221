// .npz, NumPy's archive of named arrays: a zip whose members are .npy files.
#pragma once

#include <string>

#include "npy.h"
#include "safetensors.h"
#include "zip.h"

namespace heed::io {

/// In the archive's order, by names without ".npy". Strict: throws FormatError as ZipReader and
/// decode_npy() do, and for a member that is no .npy; IoError. An archive of zeros may well be a
/// thousandth of what it holds: raise `most_growth` for one that you trust.
NamedArrays read_npz(const std::string& path, std::uint64_t most_growth = ZipReader::kMostGrowth);
/// Stored, not deflated, as np.savez does; the write is atomic. Throws ValueError for undefined
/// arrays and as encode_zip(); IoError.
void write_npz(const std::string& path, const NamedArrays& arrays);

}  // namespace heed::io
