// Transformers that write one text for another, as they are trained elsewhere: Marian's and
// OpenNMT's with sinusoidal positions, T5 with a bias of each head by the distance.
#pragma once

#include <memory>
#include <vector>

#include "../attention/biases/t5_bias.h"
#include "../attention/mechanisms/transformer/transformer_decoder.h"
#include "../nn/beam_search.h"
#include "../nn/embedding.h"

namespace heed::pretrained {

struct SequenceModelOptions {
  Index source_words = 0, target_words = 0, encoder_layers = 0, decoder_layers = 0;
  attention::TransformerOptions stack;
  bool final_norm = false;           ///< behind each stack
  bool shared = false;               ///< one embedding for both texts
  double scale = 1;                  ///< of what is embedded
  double output_scale = 1;           ///< of what is projected
  Index first_position = 0;          ///< of the sinusoidal ones
  bool last_is_slowest = false;      ///< their last pair turns by 1 / 10000, not the one behind it
  attention::T5Options biases = {.heads = 0};  ///< where these have heads, in the place of positions
  bool tied = false;                 ///< the projection's matrix is the targets' embedding
  bool projection_bias = false;
};

class SequenceModel : public nn::Module {
 public:
  /// Throws ValueError.
  explicit SequenceModel(const SequenceModelOptions& options);

  nn::Embedding &source, &target;
  attention::TransformerEncoder& encoder;
  attention::TransformerDecoder& decoder;
  attention::T5Bias *encoder_bias, *decoder_bias;  ///< null without biases
  nn::Linear* projection;                          ///< null where it is tied
  Tensor& tied_bias;                               ///< [target words]; undefined without

  /// Sources i64 [B, S] of these lengths -> [B, S, width].
  Tensor encode(const Tensor& ids, const std::vector<Index>& lengths) const;
  /// A search's decoding behind such sources. It looks on the model.
  std::unique_ptr<nn::Decoding> start(const Tensor& ids, const std::vector<Index>& lengths) const;
  /// Targets i64 [B, T] behind sources i64 [B, S] of these lengths -> logits [B, T, target words].
  Tensor operator()(const Tensor& source_ids, const Tensor& target_ids,
                    const std::vector<Index>& lengths) const;

  const SequenceModelOptions& options() const { return options_; }

 private:
  class Writer;
  Tensor embedded(const nn::Embedding& table, const Tensor& ids, Index first) const;
  Tensor logits(const Tensor& x) const;
  SequenceModelOptions options_;
};

}  // namespace heed::pretrained
