#include "bahdanau_model.h"

namespace translation {

using attention::BahdanauDecoder;
using attention::Mask;

BahdanauModel::BahdanauModel(const ModelOptions& given)
    : Translator(given, given.hidden),
      encoder(child<nn::GRU>("encoder", nn::GRUOptions{.input = given.width,
                                                       .hidden = given.hidden,
                                                       .layers = given.layers,
                                                       .bidirectional = true,
                                                       .dropout = given.dropout,
                                                       .dtype = given.dtype})),
      decoder(child<BahdanauDecoder>(
          "decoder", attention::BahdanauOptions{.word_width = given.width,
                                                .annotation_width = 2 * given.hidden,
                                                .state_width = given.hidden,
                                                .layers = given.layers,
                                                .dtype = given.dtype})) {}

BahdanauDecoder::State BahdanauModel::read(const Rows& source) const {
  const Tensor annotations = encoder(tables.source(source.ids), source.lengths).output;
  return decoder.start(tables.dropout(annotations),
                       Mask::lengths(source.lengths, source.ids.size(1)));
}

Tensor BahdanauModel::features(const Rows& source, const Rows& before,
                               std::vector<Look>* looks) const {
  BahdanauDecoder::State state = read(source);
  const attention::StackOutput seen = decoder.run(
      tables.target(before.ids), state, {.need_weights = looks != nullptr}, before.lengths);
  if (looks) looks->push_back({"attention", seen.weights.front()});
  return tables.dropout(seen.output);
}

std::unique_ptr<nn::Decoding> BahdanauModel::start(const Rows& source) const {
  return writing(*this, decoder, read(source));
}

}  // namespace translation
