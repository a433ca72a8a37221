// A text in its parts, from a file or from a folder of files: what language models are trained on.
#pragma once

#include <string>

#include "text_level.h"

namespace heed::data {

/// UTF-8 with "\n" as line end; other bytes have become U+FFFD.
struct TextParts {
  std::string train, validation, test;  ///< no test: empty
};

/// The whole of a file, plain, gzip or zstd. Throws what TextFile throws.
std::string read_text(const std::string& path);

/// Of a folder the files named train, valid (or dev) and perhaps test, as in ptb.train.txt. Of a
/// file the last tenth of its tokens is for validation. Throws IoError; FormatError for a file of
/// fewer than 20 tokens, and for a folder without text to train on or to validate.
TextParts read_text_parts(const std::string& path, TextLevel level);

}  // namespace heed::data
