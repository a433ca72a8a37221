#include "corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/cluttered_digits.h"
#include "../../data/generated/drawn_digits.h"
#include "../../data/image.h"
#include "../../data/visual_questions.h"

namespace images {
namespace {

using data::Digits;

// Those of `digits` from `first` on, each once in its image.
Pictures on_black(const Digits& digits, Index first, Index count, const CorpusOptions& o,
                  std::uint64_t stream) {
  Generator generator(o.seed * 0x10001 + stream);
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  const Array images = data::cluttered_digits(digits, rows, o.size, o.clutter, generator);
  Pictures out{1, o.size, o.size};
  for (const float* p = images.data<float>(); p < images.data<float>() + images.numel(); ++p) {
    out.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * *p)));
  }
  for (const Index row : rows) out.labels.push_back(digits.labels[static_cast<std::size_t>(row)]);
  return out;
}

void check_enough(const std::string& path, Index count) {
  if (count < 2) throw FormatError(path, 0, "too few pictures to hold out any");
}

Corpus digits_of(const CorpusOptions& o) {
  const Index wanted = o.train + o.train / 10;
  Digits train, test;
  if (o.data.empty()) {
    Generator generator(o.seed * 0x10001 + 0x1a91);
    train = data::draw_digits(wanted, generator);
    test = data::draw_digits(o.test, generator);
  } else {
    train = data::read_mnist(o.data, "train");
    test = data::read_mnist(o.data, "t10k");
  }
  const Index some = std::min(train.count(), wanted), held_out = std::max<Index>(1, some / 11);
  check_enough(o.data, some);
  Corpus out{{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, o.data, {}, {}, {}};
  out.train = on_black(train, 0, some - held_out, o, 0x1a92);
  out.validation = on_black(train, some - held_out, held_out, o, 0x1a93);
  out.test = on_black(test, 0, std::min(test.count(), o.test), o, 0x1a94);
  return out;
}

const std::vector<std::string> kShapes = {"circle", "rectangle", "triangle"};

// Pictures of which it is asked which shape they show, each part at most so many.
std::vector<Pictures> shapes_of(const std::string& folder, const std::string& part,
                                std::vector<Index> counts) {
  const data::VisualQuestions all = data::read_easy_vqa(folder, part);
  std::map<Index, Index> shapes;  // of each image
  for (const data::VisualQuestion& each : all.questions) {
    const auto shape = std::find(kShapes.begin(), kShapes.end(), each.answer);
    if (shape != kShapes.end()) shapes[each.image] = shape - kShapes.begin();
  }
  const auto there = static_cast<Index>(shapes.size());
  check_enough(folder, there);
  // What is held out keeps its share where there are fewer than asked for.
  if (counts.size() > 1) counts[1] = std::max<Index>(1, std::min(counts[1], there / 11));
  counts[0] = std::min(counts[0], there - (counts.size() > 1 ? counts[1] : 0));
  std::vector<Pictures> out;
  auto next = shapes.begin();
  for (const Index count : counts) {
    Pictures& own = out.emplace_back(Pictures{3, all.height, all.width});
    for (; own.count() < count; ++next) {
      own.labels.push_back(next->second);
      const Index dots = all.height * all.width;
      const std::uint8_t* from = all.images.data() + next->first * dots * 3;
      for (Index i = 0; i < 3 * dots; ++i) own.pixels.push_back(from[i % dots * 3 + i / dots]);
    }
  }
  return out;
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  const std::filesystem::path folder = options.data;
  const auto has = [&](const char* name) {
    return exists(folder / name) || exists(folder / (name + std::string(".gz")));
  };
  if (options.data.empty() || !has("train-images-idx4-ubyte")) return digits_of(options);
  if (options.size != CorpusOptions().size || options.clutter != 0) {
    throw ValueError(options.data + ": --size and --clutter are of digits, not of shapes");
  }
  auto learned = shapes_of(options.data, "train", {options.train, options.train / 10});
  return {kShapes, options.data, std::move(learned[0]), std::move(learned[1]),
          std::move(shapes_of(options.data, "test", {options.test})[0])};
}

Batch batch_of(const Pictures& pictures, const std::vector<Index>& rows) {
  const Index each = pictures.channels * pictures.height * pictures.width;
  Array images = Array::empty(
      {static_cast<Index>(rows.size()), pictures.channels, pictures.height, pictures.width},
      DType::f32);
  float* to = images.mutable_data<float>();
  std::vector<Index> labels;
  for (const Index row : rows) {
    labels.push_back(pictures.labels.at(static_cast<std::size_t>(row)));
    const std::uint8_t* from = pictures.pixels.data() + row * each;
    for (Index i = 0; i < each; ++i) *to++ = static_cast<float>(from[i]) / 255;
  }
  return {Tensor(images), Tensor(Array::from(labels))};
}

Tensor read_picture(const std::string& path, Index channels, Index height, Index width) {
  const Tensor colours(data::fitted(data::read_image(path), height, width));  // [3, H, W]
  return unsqueeze(channels == 3 ? colours : mean(colours, {0}, true), 0);
}

}  // namespace images
