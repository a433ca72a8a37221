#include "corpus.h"

#include <algorithm>

#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/folder_parts.h"
#include "../../data/generated/drawn_digits.h"
#include "../../data/image.h"

namespace images {
namespace {

// All that there is of a part, and what its classes are called.
Pictures read_part(const CorpusOptions& o, bool test, bool shapes) {
  if (shapes) return data::shown_shapes(data::read_easy_vqa(o.data, test ? "test" : "train"));
  // A stream of the seed for each part.
  Generator generator(o.seed * 0x10001 + (test ? 0x1a92 : 0x1a91));
  data::Digits digits = o.data.empty() ? data::draw_digits(test ? o.test : o.train, generator)
                                       : data::read_mnist(o.data, test ? "t10k" : "train");
  const Index some = std::min(digits.count(), test ? o.test : o.train);
  digits.labels.resize(static_cast<std::size_t>(some));
  return data::placed_digits(digits, o.size, o.clutter, generator);
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  const bool shapes = !options.data.empty() && data::is_there(data::plain_or_packed(
                                                   options.data, "train-images-idx4-ubyte"));
  if (shapes && (options.size != data::kDigitSide || options.clutter != 0)) {
    throw ValueError(options.data + ": --size and --clutter are of digits, not of shapes");
  }
  Corpus out{data::kShownShapes, options.data.empty() ? "drawn digits" : options.data, {}, {}, {}};
  if (!shapes) out.classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const Pictures learned = data::part_of(read_part(options, false, shapes), 0, options.train);
  const Index rest = learned.count() - learned.count() / 10;
  out.train = data::part_of(learned, 0, rest);
  out.validation = data::part_of(learned, rest, learned.count());
  out.test = data::part_of(read_part(options, true, shapes), 0, options.test);
  if (out.validation.count() == 0 || out.test.count() == 0) {
    throw FormatError(options.data, 0, "too few pictures to hold out any");
  }
  return out;
}

Batch batch_of(const Pictures& pictures, const std::vector<Index>& rows) {
  std::vector<Index> labels;
  for (const Index row : rows) labels.push_back(pictures.labels.at(static_cast<std::size_t>(row)));
  return {Tensor(data::image_batch(pictures, rows)), Tensor(Array::from(labels))};
}

Tensor read_picture(const std::string& path, Index channels, Index height, Index width) {
  const Tensor colours(data::fitted(data::read_image(path), height, width));  // [3, H, W]
  return unsqueeze(channels == 3 ? colours : mean(colours, {0}, true), 0);
}

}  // namespace images
