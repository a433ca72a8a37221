// The files of CTranslate2 (github.com/OpenNMT/CTranslate2), the second version of its format:
//
//   uint32 version; string name of the model's kind; uint32 its revision; uint32 count of variables;
//   of each: string name, uint8 rank, uint32 sizes, uint8 bytes an element, uint32 elements, the
//   elements. A string is uint16 length, its final zero counted, and the bytes.
//
// Numbers are little-endian. What a file claims is believed only as far as its bytes go.
#pragma once

#include <map>
#include <string>

#include "../core/array.h"

namespace heed::pretrained {

using CTranslate2Variables = std::map<std::string, Array>;  ///< f32, of at most two axes

/// Of a TransformerBase or TransformerBig. Throws IoError, FormatError with `path`, also for
/// elements that are no f32.
CTranslate2Variables read_ctranslate2_file(const std::string& path);

}  // namespace heed::pretrained
