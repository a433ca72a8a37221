#include "labelled_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "../core/error.h"
#include "cluttered_digits.h"

namespace heed::data {

LabelledImages placed_digits(const Digits& digits, Index size, Index clutter,
                             Generator& generator) {
  std::vector<Index> rows(static_cast<std::size_t>(digits.count()));
  std::iota(rows.begin(), rows.end(), 0);
  const Array images = cluttered_digits(digits, rows, size, clutter, generator);
  LabelledImages out{1, size, size, {}, digits.labels};
  const float* light = images.data<float>();
  for (Index i = 0; i < images.numel(); ++i) {
    out.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * light[i])));
  }
  return out;
}

LabelledImages shown_shapes(const VisualQuestions& questions) {
  std::map<Index, Index> shapes;  // of each image
  for (const VisualQuestion& each : questions.questions) {
    const auto shape = std::find(kShownShapes.begin(), kShownShapes.end(), each.answer);
    if (shape != kShownShapes.end()) shapes[each.image] = shape - kShownShapes.begin();
  }
  LabelledImages out{3, questions.height, questions.width};
  const Index dots = out.height * out.width;
  for (const auto& [image, shape] : shapes) {
    out.labels.push_back(shape);
    const std::uint8_t* from = questions.images.data() + image * dots * 3;
    for (Index i = 0; i < 3 * dots; ++i) out.pixels.push_back(from[i % dots * 3 + i / dots]);
  }
  return out;
}

LabelledImages part_of(const LabelledImages& images, Index first, Index count) {
  if (first < 0 || count < 0) throw IndexError(fmt::format("images: {} from {}", count, first));
  const Index begin = std::min(first, images.count());
  const Index end = begin + std::min(count, images.count() - begin);
  const Index each = images.channels * images.height * images.width;
  const auto pixels = images.pixels.begin();
  const auto labels = images.labels.begin();
  return {images.channels,
          images.height,
          images.width,
          {pixels + begin * each, pixels + end * each},
          {labels + begin, labels + end}};
}

Array image_batch(const LabelledImages& images, const std::vector<Index>& rows) {
  Array out = Array::empty(
      {static_cast<Index>(rows.size()), images.channels, images.height, images.width}, DType::f32);
  const Index each = images.channels * images.height * images.width;
  float* to = out.mutable_data<float>();
  for (const Index row : rows) {
    if (row < 0 || row >= images.count()) {
      throw IndexError(fmt::format("image {} of {}", row, images.count()));
    }
    const std::uint8_t* from = images.pixels.data() + row * each;
    for (Index i = 0; i < each; ++i) *to++ = static_cast<float>(from[i]) / 255;
  }
  return out;
}

}  // namespace heed::data
