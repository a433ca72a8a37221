// The models of the example programs, at small sizes and of random weights.
#include "../../../examples/babi/model.h"
#include "../../../examples/captioning/model.h"
#include "../../../examples/document_classifier/model.h"
#include "../../../examples/glimpses/model.h"
#include "../../../examples/language_model/model.h"
#include "../../../examples/translation/transformer_model.h"

#include "../../../autograd/autograd.h"
#include "models.h"

namespace heed::onnx {
namespace {

using Lengths = std::vector<Index>;

std::vector<Tensor> one(const Tensor& x) { return {x}; }

// Its parts over padded sentences: the program's own forward pass packs them.
Exported document_classifier() {
  ::document_classifier::ModelOptions options{
      .vocabulary = 23, .classes = 3, .embedding = 7, .hidden = 5};
  const auto model = std::make_shared<::document_classifier::HierarchicalAttention>(options);
  Exported out{model};
  out.inputs = {
      {"ids", ids({2, 3, 5}, 23), {"batch", "sentences", "length"}},
      {"word_counts", tensor(Lengths{2, 5, 1, 3, 5, 4}).reshape(2, 3), {"batch", "sentences"}},
      {"sentence_counts", tensor(Lengths{2, 3}), {"batch"}}};
  out.forward = [model](const std::vector<Tensor>& x) {
    const Index B = x[0].size(0), S = x[0].size(1), W = x[0].size(2);
    const Lengths words = to_lengths(x[1].reshape(B * S)), sentences = to_lengths(x[2]);
    auto level = model->attend.levels.begin();
    const auto read = [&](const nn::GRU& encoder, const Tensor& rows, const Lengths& counts) {
      const Tensor states = encoder(rows, counts).output;
      const auto pooled = (*level)(states, attention::Mask::lengths(counts, rows.size(1)));
      ++level;
      return pooled.context;
    };
    const Tensor embedded = model->embedding(reshape(x[0], {B * S, W}));
    const Tensor of_sentences = read(model->words, embedded, words);
    const Tensor rows = reshape(of_sentences, {B, S, of_sentences.size(1)});
    return one(model->classifier(read(model->sentences, rows, sentences)));
  };
  return out;
}

Exported language_model(::language_model::Positions positions, const std::string& attention) {
  const auto model = std::make_shared<::language_model::LanguageModel>(
      ::language_model::ModelOptions{.vocabulary = 29,
                                     .layers = 2,
                                     .width = 12,
                                     .heads = 3,
                                     .context = 32,
                                     .positions = positions,
                                     .attention = attention});
  Exported out{model, {{"ids", ids({2, 5}, 29), {"batch", "length"}}}};
  out.options.largest = {{"length", 32}};
  out.forward = [model](const std::vector<Tensor>& x) { return one((*model)(x[0])); };
  return out;
}

// The annotations of an image, and three steps of writing.
Exported captioning(const std::string& attention) {
  const auto model = std::make_shared<::captioning::Captioner>(::captioning::ModelOptions{
      .vocabulary = 19, .channels = 4, .width = 6, .hidden = 8, .attention = attention});
  Exported out{model,
               {{"image", rand({2, 3, 48, 48}), {"batch"}}, {"words", ids({2, 3}, 19), {"batch"}}}};
  out.forward = [model](const std::vector<Tensor>& x) {
    const Tensor annotations = model->annotate(x[0]);
    auto writing = model->begin(annotations);
    std::vector<Tensor> logits;
    for (Index t = 0; t < x[1].size(1); ++t) {
      logits.push_back(model->step(select(x[1], 1, t), writing).logits);
    }
    return one(stack(logits, 1));
  };
  return out;
}

// Looking where the location network's mean is, which is all but the draws.
Exported glimpses(const std::string& core) {
  ::glimpses::ModelOptions options;
  options.count = 3;
  options.glimpse = 4;
  options.scales = 2;
  options.hidden = 7;
  options.width = 10;
  options.core = core;
  const auto model = std::make_shared<::glimpses::GlimpseModel>(options);
  Exported out{model, {{"image", rand({2, 1, 28, 28}), {"batch"}}}};
  out.forward = [model](const std::vector<Tensor>& x) {
    return one((*model)(x[0], 1, ::glimpses::Looking::mean).logits.back());
  };
  return out;
}

Exported babi() {
  ::babi::ModelOptions options;
  options.vocabulary = 17;
  options.width = 6;
  options.hops = 2;
  options.slots = 4;
  const auto model = std::make_shared<attention::MemoryNetwork>(options);
  Exported out{model,
               {{"story", ids({2, 5, 4}, 18) - 1, {"batch", "length"}},
                {"question", ids({2, 3}, 18) - 1, {"batch"}},
                lengths_input(2, 5)}};
  out.forward = [model](const std::vector<Tensor>& x) {
    return one((*model)(x[0], x[1], to_lengths(x[2])).logits);
  };
  return out;
}

// A source of any length, and a target of any length where the model reads it at once.
Exported translation(const std::string& kind) {
  ::translation::ModelOptions options;
  options.model = kind;
  options.source_words = 31;
  options.target_words = 23;
  options.width = options.hidden = 12;
  options.heads = 3;
  options.layers = kind == "transformer" ? 2 : 1;
  options.longest = 32;
  const std::shared_ptr<::translation::Translator> model = ::translation::make_translator(options);
  Exported out{model};
  std::vector<std::string> target = {"batch"};
  if (kind == "transformer" || kind == "conv") target.push_back("target_length");
  out.inputs = {{"source", ids({2, 5}, 31), {"batch", "length"}},
                {"before", ids({2, 4}, 23), target},
                lengths_input(2, 5)};
  out.options.largest = {{"length", 32}, {"target_length", 32}};
  out.forward = [model](const std::vector<Tensor>& x) {
    const Lengths all(static_cast<std::size_t>(x[1].size(0)), x[1].size(1));
    return one(model->logits(model->features(::translation::Rows{x[0], to_lengths(x[2])},
                                             ::translation::Rows{x[1], all})));
  };
  return out;
}

// What its decoder attends to.
Exported translation_encoder() {
  Exported out = translation("transformer");
  const auto model = std::dynamic_pointer_cast<::translation::TransformerModel>(out.module);
  out.inputs.erase(out.inputs.begin() + 1);
  out.forward = [model](const std::vector<Tensor>& x) {
    return one(model->read(::translation::Rows{x[0], to_lengths(x[1])}));
  };
  return out;
}

}  // namespace

std::vector<NamedModel> examples() {
  using ::language_model::Positions;
  std::vector<NamedModel> out = {
      {"document_classifier", document_classifier},
      {"language_model", [] { return language_model(Positions::learned, "dot"); }},
      {"language_model_rotary", [] { return language_model(Positions::rotary, "dot"); }},
      {"language_model_sinusoidal", [] { return language_model(Positions::sinusoidal, "dot"); }},
      {"language_model_synthesizer",
       [] { return language_model(Positions::learned, "synthesizer-random"); }},
      {"language_model_lstm", [] { return language_model(Positions::learned, "lstm"); }},
      {"captioning", [] { return captioning("soft"); }},
      {"captioning_hard", [] { return captioning("hard"); }},
      {"glimpses", [] { return glimpses("rnn"); }},
      {"glimpses_lstm", [] { return glimpses("lstm"); }},
      {"babi", babi},
      {"translation_encoder", translation_encoder},
  };
  for (const std::string kind : {"seq2seq", "bahdanau", "luong", "conv", "transformer"}) {
    out.push_back({"translation_" + kind, [kind] { return translation(kind); }});
  }
  return out;
}

}  // namespace heed::onnx
