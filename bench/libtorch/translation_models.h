// The models of bench/translation.h as a user of libtorch writes them; parameters in the order of
// the lists there.
#pragma once

#include "../translation.h"

#include <torch/torch.h>

namespace bench {

using torch::Tensor;

struct Translator : torch::nn::Module {
  /// source [B, K], words before [B, T], padded -> scores [B, T, V]
  virtual Tensor forward(const Tensor& source, const Tensor& before) = 0;
};

namespace bahdanau {

struct Network : Translator {
  Network() {
    register_module("source_words", source_words);
    register_module("target_words", target_words);
    register_module("out", out);
    register_module("encoder", encoder);
    register_module("initial", initial);
    register_module("v", v);
    register_module("query", query);
    register_module("keys", keys);
    register_module("cell", cell);
    register_module("readout", readout);
    register_module("dropout", dropout);
  }

  Tensor embed(torch::nn::Embedding& table, const Tensor& ids) {
    return dropout(table(ids) * std::sqrt(double{kWidth}));
  }
  struct Source {
    Tensor states, keys;  // [B, K, 2H], [B, K, H]
    Tensor hidden;        // [B, K], true where padding is
    Tensor first;         // the decoder's state before the first word, [B, H]
  };
  Source read(const Tensor& ids) {
    namespace rnn = torch::nn::utils::rnn;
    const Tensor lengths = (ids != translation::kPadding).sum(1);
    const auto packed = rnn::pack_padded_sequence(embed(source_words, ids), lengths,
                                                  /*batch_first=*/true, /*enforce_sorted=*/false);
    const auto [read, last] = encoder->forward_with_packed_input(packed);
    const Tensor states = dropout(std::get<0>(rnn::pad_packed_sequence(read, true)));
    return {states, keys(states), ids == translation::kPadding, torch::tanh(initial(last[1]))};
  }
  // One word [B, E] after the state [B, H]: moves it on, and gives what is known of the next word.
  Tensor step(const Tensor& word, const Source& source, Tensor& state) {
    const Tensor seen = torch::tanh(source.keys + query(state).unsqueeze(1));  // [B, K, H]
    const Tensor scores = v(seen).squeeze(2).masked_fill(source.hidden, -1e9);
    const Tensor weights = torch::softmax(scores, 1).unsqueeze(1);
    const Tensor context = torch::bmm(weights, source.states).squeeze(1);
    const Tensor pieces = readout(torch::cat({state, word, context}, 1));
    state = cell(torch::cat({word, context}, 1), state);
    return std::get<0>(pieces.view({-1, kHidden, 2}).max(2));
  }
  Tensor forward(const Tensor& ids, const Tensor& before) override {
    const Source source = read(ids);
    Tensor state = source.first;
    std::vector<Tensor> features;
    for (const Tensor& word : embed(target_words, before).unbind(1)) {
      features.push_back(step(word, source, state));
    }
    return out(dropout(torch::stack(features, 1)));
  }

  torch::nn::Embedding source_words{
      torch::nn::EmbeddingOptions(kSourceWords, kWidth).padding_idx(translation::kPadding)};
  torch::nn::Embedding target_words{
      torch::nn::EmbeddingOptions(kTargetWords, kWidth).padding_idx(translation::kPadding)};
  torch::nn::Linear out{kHidden, kTargetWords};
  torch::nn::GRU encoder{
      torch::nn::GRUOptions(kWidth, kHidden).batch_first(true).bidirectional(true)};
  torch::nn::Linear initial{kHidden, kHidden};
  torch::nn::Linear v{torch::nn::LinearOptions(kHidden, 1).bias(false)};
  torch::nn::Linear query{torch::nn::LinearOptions(kHidden, kHidden).bias(false)};
  torch::nn::Linear keys{torch::nn::LinearOptions(kState, kHidden).bias(false)};
  torch::nn::GRUCell cell{kInput, kHidden};
  torch::nn::Linear readout{kReadoutInput, 2 * kHidden};
  torch::nn::Dropout dropout{translation::kDropout};
};

}  // namespace bahdanau

namespace translator {

inline torch::nn::MultiheadAttention attention() {
  return torch::nn::MultiheadAttention(
      torch::nn::MultiheadAttentionOptions(kWidth, kHeads).dropout(translation::kDropout));
}

// libtorch's own layers of C++ know post-norm only. Steps come first, as its attention wants them.
struct LayerImpl : torch::nn::Module {
  explicit LayerImpl(bool decodes) : decodes_(decodes) {
    register_module("self_attn", self_attn);
    if (decodes) register_module("multihead_attn", multihead_attn);
    register_module("linear1", linear1);
    register_module("linear2", linear2);
    register_module("norm1", norm1);
    register_module("norm2", norm2);
    if (decodes) register_module("norm3", norm3);
    register_module("dropout", dropout);
  }
  Tensor attend(torch::nn::MultiheadAttention& to, const Tensor& x, const Tensor& memory,
                const Tensor& padding, const Tensor& mask) {
    return dropout(std::get<0>(to(x, memory, memory, padding, /*need_weights=*/false, mask)));
  }
  Tensor forward(Tensor x, const Tensor& padding, const Tensor& causal = {},
                 const Tensor& memory = {}, const Tensor& memory_padding = {}) {
    const Tensor own = norm1(x);
    x = x + attend(self_attn, own, own, padding, causal);
    if (decodes_) x = x + attend(multihead_attn, norm2(x), memory, memory_padding, {});
    const Tensor inner = (decodes_ ? norm3 : norm2)(x);
    return x + dropout(linear2(dropout(torch::relu(linear1(inner)))));
  }
  bool decodes_;
  torch::nn::MultiheadAttention self_attn = attention(), multihead_attn = attention();
  torch::nn::Linear linear1{kWidth, kHidden}, linear2{kHidden, kWidth};
  torch::nn::LayerNorm norm1 = norm(), norm2 = norm(), norm3 = norm();
  torch::nn::Dropout dropout{translation::kDropout};
  static torch::nn::LayerNorm norm() {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth}));
  }
};
TORCH_MODULE(Layer);

struct StackImpl : torch::nn::Module {
  explicit StackImpl(bool decodes) {
    for (std::int64_t i = 0; i < kLayers; ++i) {
      layers.push_back(register_module("layer" + std::to_string(i), Layer(decodes)));
    }
    register_module("norm", norm);
  }
  template <class... More>
  Tensor forward(Tensor x, const More&... more) {
    for (Layer& layer : layers) x = layer->forward(x, more...);
    return norm(x);
  }
  std::vector<Layer> layers;
  torch::nn::LayerNorm norm = LayerImpl::norm();
};
TORCH_MODULE(Stack);

struct Network : Translator {
  Network() {
    words = register_parameter("words", torch::empty({kVocabulary, kWidth}));
    bias = register_parameter("bias", torch::empty({kVocabulary}));
    register_module("encoder", encoder);
    register_module("decoder", decoder);
    register_module("dropout", dropout);
  }
  Tensor embed(const Tensor& ids) {  // [B, T] -> [T, B, E]
    const Tensor table = torch::embedding(words, ids.t(), translation::kPadding);
    return dropout(table * std::sqrt(double{kWidth}) + positions.narrow(0, 0, ids.size(1)));
  }
  Tensor forward(const Tensor& source, const Tensor& before) override {
    const Tensor padding = source == translation::kPadding;
    const Tensor memory = encoder->forward(embed(source), padding);
    const Tensor causal =
        torch::nn::TransformerImpl::generate_square_subsequent_mask(before.size(1));
    const Tensor seen =
        decoder->forward(embed(before), before == translation::kPadding, causal, memory, padding);
    return torch::linear(seen.transpose(0, 1), words, bias);
  }
  // sin(t / 10000^(2i / E)) at 2i, the cosine at 2i + 1; [T, 1, E]
  static Tensor sinusoids(std::int64_t steps) {
    const Tensor t = torch::arange(steps, torch::kDouble).unsqueeze(1);
    const Tensor rates =
        torch::exp(torch::arange(0, kWidth, 2, torch::kDouble) * (-std::log(1e4) / kWidth));
    const Tensor angles = t * rates;
    return torch::stack({angles.sin(), angles.cos()}, 2)
        .reshape({steps, 1, kWidth})
        .to(torch::kFloat);
  }
  Tensor words, bias, positions = sinusoids(64);
  Stack encoder{false}, decoder{true};
  torch::nn::Dropout dropout{translation::kDropout};
};

}  // namespace translator

}  // namespace bench
