// Pictures with their classes: MNIST's digits, digits drawn here, both in larger images and among clutter
// if wanted, or easy-VQA's shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../io/fields.h"

namespace images {

using namespace heed;  // an application speaks the library's language

struct CorpusOptions {
  std::string data = {};  ///< a folder of MNIST's files, or of easy-VQA's; empty: drawn digits
  Index train = 6000, test = 2000;
  Index size = 28, clutter = 0;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data, "a folder of MNIST's files or easy-VQA's; left out: drawn digits");
    f.size("train", train, 10, 1 << 20,
           "pictures to learn from, at most; a tenth more to validate");
    f.size("test", test, 1, 1 << 20, "pictures to test, at most");
    f.size("size", size, 28, 256,
           "of images of digits; above 28 each stands at a place of its own");
    f.size("clutter", clutter, 0, 1000, "pieces of other digits in each image of digits");
  }
};

struct Pictures {
  Index channels = 0, height = 0, width = 0;
  std::vector<std::uint8_t> pixels = {};  ///< [count, channels, height, width]
  std::vector<Index> labels = {};
  Index count() const { return static_cast<Index>(labels.size()); }
};

struct Corpus {
  std::vector<std::string> classes;
  std::string path;  ///< of what was read, for messages
  Pictures train, validation, test;
};
/// Throws IoError, FormatError, ValueError for too few to hold out any.
Corpus load_corpus(const CorpusOptions& options);

struct Batch {
  Tensor images;  ///< f32 [B, channels, height, width] in [0, 1]
  Tensor labels;  ///< i64 [B]
};
Batch batch_of(const Pictures& pictures, const std::vector<Index>& rows);

/// A PNG or JPEG of one's own as one picture of this size, its class unknown. Throws IoError,
/// FormatError.
Tensor read_picture(const std::string& path, Index channels, Index height, Index width);

}  // namespace images
