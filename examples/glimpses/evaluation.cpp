#include "evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../data/loader.h"

namespace glimpses {
namespace {

using train::Colour;
using train::Picture;

constexpr Index kWidth = 140;  // of a drawn digit, about

std::vector<Index> guesses_of(const Episode& episode) {
  return argmax(probabilities_of(episode), -1).array().to_vector<Index>();
}

Colour colour_of(Index t, Index count) {
  const double share = count > 1 ? static_cast<double>(t) / static_cast<double>(count - 1) : 0;
  const auto mix = [&](double from, double to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
  };
  return {mix(70, 255), mix(150, 140), mix(255, 0)};
}

// The paths of image b, a dot of the image `factor` dots of the picture.
void draw_path(Picture& picture, const Episode& episode, Index b, const ModelOptions& options,
               Index factor) {
  const auto count = static_cast<Index>(episode.places.size());
  Index last_x = 0, last_y = 0;
  for (Index t = 0; t < count; ++t) {
    const Array& places = episode.places[static_cast<std::size_t>(t)].array();  // [B, 1, 2]
    const float* place = places.data<float>() + b * 2;
    const auto dots = static_cast<double>(options.size * factor);
    const auto x = static_cast<Index>(std::lround((place[0] + 1) / 2 * dots));
    const auto y = static_cast<Index>(std::lround((place[1] + 1) / 2 * dots));
    const Colour colour = colour_of(t, count);
    const Index side = options.glimpse * factor;
    picture.rectangle(x - side / 2, y - side / 2, side, side, colour);
    picture.fill(x - 2, y - 2, 5, 5, colour);
    if (t > 0) picture.line(last_x, last_y, x, y, colour);
    last_x = x;
    last_y = y;
  }
}

}  // namespace

Tensor probabilities_of(const Episode& episode) {
  const Shape& runs = episode.places.back().shape();  // [B, M, 2]
  const Tensor rows = softmax(episode.logits.back(), -1);
  return mean(reshape(rows, {runs[0], runs[1], rows.size(1)}), {1});
}

train::Confusion evaluate(GlimpseModel& model, const Digits& digits, Index runs,
                          std::uint64_t seed) {
  const NoGrad scope;
  model.eval();
  Generator of_digits(seed + 41), of_glimpses(seed + 43);
  data::Loader batches(digits.labels,
                       [&](const std::vector<Index>& rows) {
                         return batch_of(digits, rows, model.options.size, model.options.clutter,
                                         of_digits);
                       },
                       {.size = 500, .shuffle = false});
  const Looking looking = runs > 0 ? Looking::sample : Looking::mean;
  train::Confusion out(kClasses);
  while (const auto batch = batches.next()) {
    const auto labels = batch->labels.array().to_vector<Index>();
    const auto guesses =
        guesses_of(model(batch->images, std::max<Index>(runs, 1), looking, &of_glimpses));
    for (std::size_t i = 0; i < labels.size(); ++i) out.add(labels[i], guesses[i]);
  }
  return out;
}

Picture draw_paths(GlimpseModel& model, const Digits& digits, Index rows, Index columns,
                   std::uint64_t seed) {
  const NoGrad scope;
  model.eval();
  const Index count = std::min(rows * columns, digits.count()), size = model.options.size;
  std::vector<Index> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), Index{0});
  Generator generator(seed + 47);
  const Batch batch = batch_of(digits, first, size, model.options.clutter, generator);
  const Episode episode = model(batch.images, 1, Looking::sample, &generator);
  const auto guesses = guesses_of(episode);
  const Index factor = std::max<Index>(1, kWidth / size);
  std::vector<Picture> strips;
  std::vector<train::CaptionedPicture> row;
  for (Index b = 0; b < count; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const Tensor image = select(select(batch.images, 0, b), 0, 0);
    Picture picture = Picture::from(image.array()).scaled(factor);
    draw_path(picture, episode, b, model.options, factor);
    row.push_back({picture, fmt::format("{} seen as {}", digits.labels[i], guesses[i])});
    if (b + 1 == count || (b + 1) % columns == 0)
      strips.push_back(train::strip(std::exchange(row, {})));
  }
  return train::stack(strips);
}

}  // namespace glimpses
