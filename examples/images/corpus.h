// Pictures with their classes: MNIST's digits, digits drawn here, both in larger images and among
// clutter if wanted, or easy-VQA's shapes.
#pragma once

#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../data/labelled_images.h"
#include "../../io/fields.h"

namespace images {

using namespace heed;  // an application speaks the library's language
using Pictures = data::LabelledImages;

struct CorpusOptions {
  std::string data = {};  ///< a folder of MNIST's files, or of easy-VQA's; empty: drawn digits
  Index train = 6000, test = 2000;
  Index size = data::kDigitSide, clutter = 0;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data, "a folder of MNIST's files or easy-VQA's; left out: drawn digits");
    f.size("train", train, 10, 1 << 20,
           "pictures to learn from, at most; a tenth of them validate");
    f.size("test", test, 1, 1 << 20, "pictures to test, at most");
    f.size("size", size, data::kDigitSide, 256,
           "of images of digits; above 28 each stands at a place of its own");
    f.size("clutter", clutter, 0, 1000, "pieces of other digits in each image of digits");
  }
};

struct Corpus {
  std::vector<std::string> classes;
  std::string path;  ///< of what was read, for messages
  Pictures train, validation, test;
};
/// Throws IoError, FormatError, ValueError.
Corpus load_corpus(const CorpusOptions& options);

struct Batch {
  Tensor images;  ///< f32 [B, channels, height, width] in [0, 1]
  Tensor labels;  ///< i64 [B]
};
Batch batch_of(const Pictures& pictures, const std::vector<Index>& rows);

/// A PNG or JPEG of one's own, f32 [1, channels, height, width]. Throws IoError, FormatError.
Tensor read_picture(const std::string& path, Index channels, Index height, Index width);

}  // namespace images
