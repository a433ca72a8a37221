#include "bahdanau_model.h"

namespace translation {

using heed::attention::Attended;
using heed::attention::BahdanauDecoder;
using heed::attention::Mask;

namespace {

class Writing : public nn::Decoding {
 public:
  Writing(const BahdanauModel& model, BahdanauDecoder::State state)
      : model_(model), state_(std::move(state)) {}

  Tensor step(const Tensor& words, Tensor* weights) override {
    const Attended seen = model_.decoder.step(model_.tables.target(words), state_, weights);
    if (weights) *weights = seen.weights;
    return model_.logits(seen.context);
  }
  void reorder(const Tensor& rows, bool sources) override { state_.reorder(rows, sources); }

 private:
  const BahdanauModel& model_;
  BahdanauDecoder::State state_;
};

}  // namespace

BahdanauModel::BahdanauModel(const ModelOptions& given)
    : Translator(given),
      tables(child<Tables>("tables", given, given.hidden)),
      encoder(child<nn::GRU>("encoder", nn::GRUOptions{.input = given.width,
                                                       .hidden = given.hidden,
                                                       .layers = given.layers,
                                                       .bidirectional = true,
                                                       .dropout = given.dropout,
                                                       .dtype = given.dtype})),
      decoder(child<BahdanauDecoder>(
          "decoder", heed::attention::BahdanauOptions{.word_width = given.width,
                                                      .annotation_width = 2 * given.hidden,
                                                      .state_width = given.hidden,
                                                      .dtype = given.dtype})) {}

BahdanauDecoder::State BahdanauModel::read(const Rows& source) const {
  const Tensor annotations = encoder(tables.source(source.ids), source.lengths).output;
  return decoder.start(tables.dropout(annotations),
                       Mask::lengths(source.lengths, source.ids.size(1)));
}

Tensor BahdanauModel::features(const Rows& source, const Rows& before,
                               std::vector<Look>* looks) const {
  BahdanauDecoder::State state = read(source);
  const Attended seen = decoder.run(tables.target(before.ids), state, looks, before.lengths);
  if (looks) looks->push_back({"attention", seen.weights});
  return tables.dropout(seen.context);
}

std::unique_ptr<nn::Decoding> BahdanauModel::start(const Rows& source) const {
  return std::make_unique<Writing>(*this, read(source));
}

}  // namespace translation
