#include "digits.h"

#include <algorithm>

#include "../../core/error.h"
#include "../../data/cluttered_digits.h"
#include "../../data/generated/first_drawn.h"

namespace glimpses {
namespace {

constexpr Index kPixels = kSide * kSide;

// Cuts off what stands from `first` on.
Digits cut(Digits& digits, Index first) {
  const auto pixels = digits.pixels.begin() + first * kPixels;
  const auto labels = digits.labels.begin() + first;
  Digits out{{pixels, digits.pixels.end()}, {labels, digits.labels.end()}};
  digits.pixels.erase(pixels, digits.pixels.end());
  digits.labels.erase(labels, digits.labels.end());
  return out;
}

Corpus drawn(const CorpusOptions& options) {
  Generator generator(options.seed + 29);
  const auto draw = [&](Index count) { return draw_digits(count, generator); };
  const auto sixth = [](Index count) { return std::max<Index>(1, count / 6); };
  const Index usual = CorpusOptions().drawn;
  Corpus out;
  out.train = data::first_drawn(options.drawn, usual, draw);
  for (Digits* part : {&out.validation, &out.test}) {
    *part = data::first_drawn(sixth(options.drawn), sixth(usual), draw);
  }
  const Digits more = draw(std::max<Index>(options.drawn - usual, 0));
  out.train.pixels.insert(out.train.pixels.end(), more.pixels.begin(), more.pixels.end());
  out.train.labels.insert(out.train.labels.end(), more.labels.begin(), more.labels.end());
  return out;
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  if (options.path.empty()) return drawn(options);
  Corpus out;
  out.train = data::read_mnist(options.path, "train");
  out.test = data::read_mnist(options.path, "t10k");
  if (out.train.count() < 12) {
    throw FormatError(options.path, 0, "fewer than 12 digits to train on and to validate");
  }
  out.validation = cut(out.train, out.train.count() - out.train.count() / 12);
  return out;
}

Batch batch_of(const Digits& digits, const std::vector<Index>& rows, Index size, Index clutter,
               Generator& generator) {
  const Array images = data::cluttered_digits(digits, rows, size, clutter, generator);
  std::vector<Index> labels;
  for (const Index row : rows) labels.push_back(digits.labels.at(static_cast<std::size_t>(row)));
  return {Tensor(images), Tensor(Array::from(labels))};
}

}  // namespace glimpses
