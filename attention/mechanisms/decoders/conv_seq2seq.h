// Convolutional sequence to sequence learning (Gehring et al. 2017): encoder and decoder are stacks
// of gated convolutions, and each layer of the decoder attends (multi_step.h).
//
//   block    h <- (GLU(conv(h)) + h) sqrt(0.5)
//            in the decoder h <- (attend(GLU(conv(h))) + h) sqrt(0.5)
//   encoder  h = W e + b, blocks over k places around each, z = W' h + b'
//   decoder  h = W g + b, blocks over the k places up to each, out = W' h + b'
//
// Source embeddings (e) [B, K, E], target embeddings (g: each step's is the target before it)
// [B, T, E] -> out [B, T, E]. Positions are the caller's to add (LearnedPositions), and the softmax
// over words is, too. A layer's cost is O(T k hidden^2 + T K E).
#pragma once

#include "../../../nn/dropout.h"
#include "../../../nn/module_list.h"
#include "../../../nn/weight_norm.h"
#include "decoder.h"
#include "multi_step.h"

namespace heed::attention {

struct ConvSeq2SeqOptions {
  Index width = 0;   ///< E
  Index hidden = 0;  ///< 0: E
  Index layers = 1;
  Index kernel = 3;    ///< k; odd in the encoder
  double dropout = 0;  ///< of embeddings, and of what each block reads
  bool scale = true;   ///< contexts by sqrt(m): see multi_step.h
  /// Whether all weights are g v / ||v||, as the paper's: see nn/weight_norm.h.
  bool weight_norm = false;
  /// m > 1 divides the gradient that reaches the encoder's layers, but not that of its embeddings
  /// in the values, by the number of attentions that it comes from (the paper's section 3.4).
  Index attentions = 1;
  DType dtype = DType::f32;
};

class ConvEncoder : public nn::Module {
 public:
  /// Throws ValueError for sizes that make no sense.
  explicit ConvEncoder(const ConvSeq2SeqOptions& options);

 private:
  ConvSeq2SeqOptions options_;

 public:
  nn::WeightNormLinear& input_projection;
  nn::ModuleListOf<nn::WeightNormConv1d>& convolutions;  ///< each to [2 hidden]
  nn::WeightNormLinear& output_projection;
  nn::Dropout& dropout;

  /// x [B, K, E]; row b has lengths[b] places, none given: all. What stands beyond them counts as
  /// zeros. Throws ShapeError, DTypeError.
  Memory operator()(const Tensor& x, const std::vector<Index>& lengths = {}) const;
};

class ConvDecoderLayer : public nn::Module {
 public:
  ConvDecoderLayer(Index hidden, Index width, Index kernel, bool scale, DType dtype,
                   bool weight_norm = false);

  nn::WeightNormConv1d& convolution;
  MultiStepAttention& attend;

  /// x [B, k - 1 + T, hidden]: what this layer reads -> [B, T, hidden].
  Attended operator()(const Tensor& x, const Tensor& g, const Memory& source,
                      const Terms& terms = {}) const;
};

class ConvDecoder : public nn::Module {
 public:
  explicit ConvDecoder(const ConvSeq2SeqOptions& options);

 private:
  ConvSeq2SeqOptions options_;

 public:
  nn::WeightNormLinear& input_projection;
  nn::ModuleListOf<ConvDecoderLayer>& layers;
  nn::WeightNormLinear& output_projection;
  nn::Dropout& dropout;

  /// What decoding step by step keeps: the last k - 1 places that each layer read.
  struct State {
    std::vector<Tensor> past;  ///< each [B, k - 1, hidden]
    Memory memory;
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// Throws ShapeError, DTypeError.
  State start(const Memory& source) const;
  /// output (out) [B, E], each layer's weights [B, K], at a cost that the steps before do not
  /// enter. Throws ShapeError, DTypeError, ValueError for a state of other layers, and for a score
  /// or a normaliser that goes on from query to query.
  StackOutput step(const Tensor& word, State& state, const Terms& terms = {}) const;
  /// All steps at once.
  StackOutput run(const Tensor& words, State& state, const Terms& terms = {},
                  const std::vector<Index>& lengths = {}) const;
  StackOutput operator()(const Tensor& words, const Memory& source, const Terms& terms = {},
                         const std::vector<Index>& lengths = {}) const;
};

}  // namespace heed::attention
