#include <fmt/format.h>

#include <algorithm>

#include "drawn_alignment.h"
#include "self_attention.h"
#include "self_attention_heads.h"
#include "written_text.h"

namespace heed::train {
namespace {

constexpr const char* kOp = "self_attention_picture";
constexpr std::size_t kLongest = 24;
constexpr Index kMargin = 14, kGap = 10;
constexpr Colour kWhite = {255, 255, 255}, kFrame = {222, 222, 222}, kFull = {168, 67, 0};

void draw_head(Picture* out, Index left, Index top, Index cell, Index words,
               const std::vector<double>& weights) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  out->rectangle(left - 1, top - 1, words * cell + 2, words * cell + 2, kFrame);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Picture shade(1, 1, kWhite);
    shade.blend(0, 0, kFull, largest > 0 ? weights[i] / largest : 0);
    const auto place = static_cast<Index>(i);
    out->fill(left + place % words * cell, top + place / words * cell, cell, cell, shade.at(0, 0));
  }
}

}  // namespace

Picture self_attention_picture(const SelfAttended& text) {
  check_layers(kOp, text);
  const auto count = static_cast<Index>(text.words.size());
  std::vector<std::vector<Array>> layers;
  std::size_t most = 0;
  for (const Array& layer : text.layers) {
    layers.push_back(heads_of(kOp, layer, text.words.size()));
    most = std::max(most, layers.back().size());
  }
  // As high as a line where the words are few enough to be read.
  const Index cell = count <= 16 ? kTextLine : std::clamp<Index>(352 / count, 1, kTextLine);
  std::vector<std::string> words(text.words.size());
  if (cell == kTextLine) {
    std::transform(text.words.begin(), text.words.end(), words.begin(),
                   [](const std::string& word) { return drawn_word(word, kLongest); });
  }
  const auto label = [](std::size_t layer) { return fmt::format("layer {}", layer + 1); };
  const Index side = count * cell, left = kMargin + written_width(label(layers.size() - 1)) + kGap +
                                          written_width(words) + kGap;
  const Index top = kMargin + kTextLine + kGap;
  Picture out(left + static_cast<Index>(most) * (side + kGap) - kGap + kMargin,
              top + static_cast<Index>(layers.size()) * (side + kGap) - kGap + kMargin, kWhite);
  for (std::size_t head = 0; head < most; ++head) {
    const std::string name = fmt::format("head {}", head + 1);
    write_text(&out, left + static_cast<Index>(head) * (side + kGap), kMargin,
               written_width(name) <= side ? name : std::to_string(head + 1));
  }
  Index y = top;
  for (std::size_t layer = 0; layer < layers.size(); ++layer, y += side + kGap) {
    write_text(&out, kMargin, y, label(layer));
    for (Index row = 0; const std::string& word : words) {
      write_text(&out, left - kGap - written_width(word), y + row++ * cell, word);
    }
    Index x = left;
    for (const Array& head : layers[layer]) {
      draw_head(&out, x, y, cell, count,
                drawn_weights(kOp, head, text.words.size(), text.words.size()));
      x += side + kGap;
    }
  }
  return out;
}

}  // namespace heed::train
