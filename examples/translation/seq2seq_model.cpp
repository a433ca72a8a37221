#include "seq2seq_model.h"

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"

namespace translation {

namespace {

nn::RecurrentOptions layers_of(const ModelOptions& options, Index input) {
  return {.input = input,
          .hidden = options.hidden,
          .layers = options.layers,
          .dropout = options.dropout,
          .dtype = options.dtype};
}

// Each row within its length: what is padded stays behind.
Tensor reversed(const Rows& rows) {
  const Tensor places = arange(rows.ids.size(1));
  const Tensor lengths = unsqueeze(tensor(rows.lengths), 1);
  return gather(rows.ids, 1, where(places < lengths, lengths - 1 - places, places));
}

class SutskeverWriting : public nn::Decoding {
 public:
  SutskeverWriting(const SutskeverModel& model, LstmState state)
      : model_(model), state_(std::move(state)) {}

  Tensor step(const Tensor& words, Tensor*) override {
    const LstmResult after = model_.decoder(model_.tables.target(unsqueeze(words, 1)), {}, state_);
    state_ = {after.h_n, after.c_n};
    return model_.logits(model_.tables.dropout(squeeze(after.output, 1)));
  }
  void reorder(const Tensor& rows, bool) override {
    state_ = {index_select(state_.h, 1, rows), index_select(state_.c, 1, rows)};
  }

 private:
  const SutskeverModel& model_;
  LstmState state_;
};

class ChoWriting : public nn::Decoding {
 public:
  ChoWriting(const ChoModel& model, ChoModel::State state)
      : model_(model), state_(std::move(state)) {}

  Tensor step(const Tensor& words, Tensor*) override {
    return model_.logits(squeeze(model_.write(unsqueeze(words, 1), state_), 1));
  }
  void reorder(const Tensor& rows, bool sources) override {
    state_.hidden = index_select(state_.hidden, 1, rows);
    if (sources) state_.c = index_select(state_.c, 0, rows);
  }

 private:
  const ChoModel& model_;
  ChoModel::State state_;
};

}  // namespace

SutskeverModel::SutskeverModel(const ModelOptions& given)
    : Translator(given, given.hidden),
      encoder(child<nn::LSTM>("encoder", layers_of(given, given.width))),
      decoder(child<nn::LSTM>("decoder", layers_of(given, given.width))) {}

LstmState SutskeverModel::read(const Rows& source) const {
  const LstmResult all = encoder(tables.source(reversed(source)), source.lengths);
  return {all.h_n, all.c_n};
}

Tensor SutskeverModel::features(const Rows& source, const Rows& before, std::vector<Look>*) const {
  const Tensor words = tables.target(before.ids);
  return tables.dropout(decoder(words, before.lengths, read(source)).output);
}

std::unique_ptr<nn::Decoding> SutskeverModel::start(const Rows& source) const {
  return std::make_unique<SutskeverWriting>(*this, read(source));
}

ChoModel::ChoModel(const ModelOptions& given)
    : Translator(given, given.hidden),
      encoder(child<nn::GRU>("encoder", layers_of(given, given.width))),
      summary(child<nn::Linear>("summary", given.hidden, given.hidden, true, given.dtype)),
      initial(child<nn::Linear>("initial", given.hidden, given.layers * given.hidden, true,
                                given.dtype)),
      decoder(child<nn::GRU>("decoder", layers_of(given, given.width + given.hidden))),
      readout(child<nn::Maxout>("readout", 2 * given.hidden + given.width, given.hidden, 2,
                                given.dtype)) {}

ChoModel::State ChoModel::read(const Rows& source) const {
  const Tensor last = encoder(tables.source(source.ids), source.lengths).h_n;  // [layers, B, H]
  const Tensor c = tanh(summary(select(last, 0, -1)));
  const Shape shape{c.size(0), options.layers, options.hidden};
  return {c, transpose(reshape(tanh(initial(c)), shape), 0, 1)};
}

Tensor ChoModel::write(const Tensor& words, State& state, const std::vector<Index>& lengths) const {
  const Shape shape{words.size(0), words.size(1), options.hidden};
  const Tensor context = expand(unsqueeze(state.c, 1), shape);
  const Tensor in = concat({tables.target(words), context}, -1);
  const auto after = decoder(in, lengths, state.hidden);
  state.hidden = after.h_n;
  return tables.dropout(readout(concat({after.output, in}, -1)));
}

Tensor ChoModel::features(const Rows& source, const Rows& before, std::vector<Look>*) const {
  State state = read(source);
  return write(before.ids, state, before.lengths);
}

std::unique_ptr<nn::Decoding> ChoModel::start(const Rows& source) const {
  return std::make_unique<ChoWriting>(*this, read(source));
}

}  // namespace translation
