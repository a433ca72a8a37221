#include "model.h"

#include <algorithm>

#include "../../attention/scores/additive.h"
#include "../../attention/scores/monotonic_energy.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/losses/ctc_loss.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../data/batches.h"
#include "../../io/saved_model.h"
#include "../../nn/ctc_search.h"
#include "../../train/middles.h"

namespace speech {
namespace {

constexpr Index kWordWidth = 32, kReadout = 64;
constexpr Index kChunk = 3;                            // places that mocha looks at
constexpr Index kEnd = kDigits, kBegin = kDigits + 1;  // ctc: kEnd is the blank

}  // namespace

Listener::Listener(const ModelOptions& o)
    : options(io::checked_fields(o)),
      mean(buffer("mean", zeros({data::kUtteranceWidth}))),
      scale(buffer("scale", ones({data::kUtteranceWidth}))),
      encoder(child<nn::PyramidalLSTM>("encoder", {.input = data::kUtteranceWidth,
                                                   .hidden = o.hidden,
                                                   .levels = o.levels,
                                                   .first = o.first,
                                                   .bottom = false,
                                                   .dropout = o.dropout})),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      places(child<nn::Linear>("places", 2 * o.hidden, kDigits + 1)),
      words(nullptr),
      decoder(nullptr),
      out(nullptr) {
  if (o.attention == "ctc") return;
  words = &child<nn::Embedding>("words", kDigits + 2, kWordWidth);
  decoder = make_decoder();
  out = &child<nn::Linear>("out", kReadout, kDigits + 2);
}

attention::LocationAwareDecoder* Listener::make_decoder() {
  const Index dk = 2 * options.hidden, H = options.state;
  attention::LocationAwareDecoderOptions o{
      .word_width = kWordWidth,
      .annotation_width = dk,
      .state_width = H,
      .readout = kReadout,
      .kernel = options.kernel,
      .window = options.attention == "location" ? options.window : 0};
  if (options.attention == "content") {
    o.score = std::make_shared<attention::Additive>(H, dk, H, true);
  }
  if (options.attention == "mocha") {
    o.normaliser = mocha_ = std::make_shared<attention::Mocha>(kChunk, 1);
    o.score = std::make_shared<attention::MonotonicEnergy>(
        attention::MonotonicEnergyOptions{.query_width = H, .key_width = dk, .hidden = H});
  }
  return &child<attention::LocationAwareDecoder>("decoder", o);
}

void Listener::standardise(const std::vector<Utterance>& some) {
  std::vector<Array> features;
  for (const Utterance& each : some) features.push_back(each.features);
  const data::FeatureScale found = data::scale_of(features);
  load_state_dict({{"mean", found.mean}, {"scale", found.scale}}, false);
}

Listener::Source Listener::encode(const Batch& batch) const {
  auto heard = encoder((Tensor(batch.sounds.features) - mean) * scale, batch.sounds.lengths);
  return {heard.output, heard.lengths};
}

Tensor Listener::loss(const Batch& batch) const {
  const Source source = encode(batch);
  if (!decoder) return ctc(source, batch);
  const Tensor own = spelling(source, batch);
  return options.joint > 0 ? own * (1 - options.joint) + ctc(source, batch) * options.joint : own;
}

Tensor Listener::ctc(const Source& source, const Batch& batch) const {
  std::vector<Index> counts;
  for (const auto& digits : batch.digits) counts.push_back(static_cast<Index>(digits.size()));
  const Tensor logs = log_softmax(places(source.annotations), -1);
  return ctc_loss(transpose(logs, 0, 1), data::pad(batch.digits).ids, source.lengths, counts,
                  {.blank = kEnd, .zero_infinity = true});
}

Tensor Listener::spelling(const Source& source, const Batch& batch) const {
  std::vector<std::vector<Index>> before, after;
  for (const auto& digits : batch.digits) {
    before.push_back({kBegin});
    before.back().insert(before.back().end(), digits.begin(), digits.end());
    after.push_back(digits);
    after.back().push_back(kEnd);
  }
  const Index K = source.annotations.size(1);
  auto state = decoder->start(source.annotations, attention::Mask::lengths(source.lengths, K));
  const Tensor in = (*words)(data::pad(before).ids);
  std::vector<Tensor> read;
  for (Index t = 0; t < in.size(1); ++t) {
    read.push_back(decoder->step(select(in, 1, t), state).output);
  }
  return cross_entropy(transpose((*out)(dropout(stack(read, 1))), 1, 2),
                       data::pad(after, -100).ids);
}

std::vector<Heard> Listener::listen(const Batch& batch, Index beam) const {
  const NoGrad scope;
  const Source source = encode(batch);
  const Index K = source.annotations.size(1), rows = source.annotations.size(0);
  std::vector<Heard> found;
  if (!decoder) {
    const Tensor logs = transpose(log_softmax(places(source.annotations), -1), 0, 1);
    auto texts = nn::ctc_greedy(logs, source.lengths, kEnd);
    if (beam > 1) {
      const auto found_all = nn::ctc_search(logs, source.lengths, {.blank = kEnd, .beam = beam});
      for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = found_all[i].front();
    }
    for (const nn::CtcHypothesis& text : texts) {
      const auto count = static_cast<Index>(text.labels.size());
      Array weights = Array::zeros({count, K}, DType::f32);
      for (Index i = 0; i < count; ++i) {
        weights.mutable_data<float>()[i * K + text.steps[static_cast<std::size_t>(i)]] = 1;
      }
      found.push_back({text.labels, text.log_probability, {}, weights});
    }
  } else {
    if (mocha_) mocha_->hard = true;
    const auto mask = attention::Mask::lengths(source.lengths, K);
    attention::Writing writing(*decoder, decoder->start(source.annotations, mask),
                               {.embed = [&](const Tensor& ids, Index) { return (*words)(ids); },
                                .logits = [&](const Tensor& read) { return (*out)(read); }});
    const auto texts = nn::beam_search(writing, rows,
                                       {.begin = kBegin,
                                        .end = kEnd,
                                        .beam = beam,
                                        .longest = source.lengths,
                                        .forbidden = {kBegin},
                                        .need_weights = true});
    if (mocha_) mocha_->hard = false;
    for (const auto& best : texts) {
      const nn::Hypothesis& text = best.front();
      const auto count = static_cast<Index>(text.words.size());
      found.push_back(
          {text.words, text.log_probability, {}, text.weights.slice(0, 0, count).contiguous()});
    }
  }
  for (Heard& heard : found) {
    for (const double place : train::middles(heard.weights)) {
      const double frame = place * static_cast<double>(options.frames()) - 0.5;
      heard.seconds.push_back((frame * 80 + 100) / static_cast<double>(data::kSpokenRate));
    }
  }
  return found;
}

io::DirectoryFiles files_of(const Listener& model) {
  return io::ModelFiles("speech").options(model.options).weights(model);
}

std::unique_ptr<Listener> load(const std::string& folder) {
  const io::ModelFolder saved(folder, "speech");
  return saved.make<Listener>(saved.options<ModelOptions>());
}

}  // namespace speech
