#include "luong_model.h"

#include <fmt/format.h>

#include "../../attention/scores/additive.h"
#include "../../attention/scores/general.h"
#include "../../attention/scores/location.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "longest.h"

namespace translation {

using attention::LuongAttention;
using attention::LuongDecoder;

namespace {

LuongAttention attention_of(const std::string& name) {
  if (name == "global") return LuongAttention::global;
  if (name == "local-m") return LuongAttention::local_m;
  if (name == "local-p") return LuongAttention::local_p;
  throw ValueError("attention: '" + name + "' is none of global, local-m, local-p");
}

nn::LSTMOptions encoder_of(const ModelOptions& options) {
  if (options.hidden % 2 != 0) {
    throw ValueError(
        fmt::format("luong: hidden {} must be even: the encoder's directions have "
                    "half each",
                    options.hidden));
  }
  return {.input = options.width,
          .hidden = options.hidden / 2,
          .layers = options.layers,
          .bidirectional = true,
          .dropout = options.dropout,
          .dtype = options.dtype};
}

}  // namespace

std::shared_ptr<attention::Score> LuongModel::make_score() const {
  const Index H = options.hidden;
  if (options.score == "dot") return std::make_shared<attention::Dot>();
  if (options.score == "general") {
    return std::make_shared<attention::General>(H, H, options.dtype);
  }
  if (options.score == "concat") {
    return std::make_shared<attention::Additive>(H, H, H, false, options.dtype);
  }
  if (options.score == "location") {
    return std::make_shared<attention::LocationBased>(H, places(options), options.dtype);
  }
  throw ValueError("score: '" + options.score + "' is none of dot, general, concat, location");
}

LuongModel::LuongModel(const ModelOptions& given)
    : Translator(given, given.hidden),
      encoder(child<nn::LSTM>("encoder", encoder_of(given))),
      decoder(child<LuongDecoder>(
          "decoder", attention::LuongOptions{.word_width = given.width,
                                             .source_width = given.hidden,
                                             .state_width = given.hidden,
                                             .layers = given.layers,
                                             .input_feeding = given.input_feeding,
                                             .attention = attention_of(given.attention),
                                             .score = make_score(),
                                             .half_width = given.half_width,
                                             .dropout = given.dropout,
                                             .dtype = given.dtype})) {}

LuongDecoder::State LuongModel::read(const Rows& source) const {
  if (options.score == "location") check_longest(options, source.ids.size(1));
  const LstmResult all = encoder(tables.source(source.ids), source.lengths);
  // The directions of each layer, side by side, as they are in the output.
  std::vector<LstmState> last;
  const auto joined = [](const Tensor& states, Index layer) {
    return concat({select(states, 0, 2 * layer), select(states, 0, 2 * layer + 1)}, -1);
  };
  for (Index i = 0; i < options.layers; ++i)
    last.push_back({joined(all.h_n, i), joined(all.c_n, i)});
  return decoder.start(tables.dropout(all.output), source.lengths, last);
}

Tensor LuongModel::features(const Rows& source, const Rows& before,
                            std::vector<Look>* looks) const {
  LuongDecoder::State state = read(source);
  const attention::StackOutput seen = decoder.run(
      tables.target(before.ids), state, {.need_weights = looks != nullptr}, before.lengths);
  if (looks) looks->push_back({"attention", seen.weights.front()});
  return tables.dropout(seen.output);
}

std::unique_ptr<nn::Decoding> LuongModel::start(const Rows& source) const {
  return writing(*this, decoder, read(source));
}

}  // namespace translation
