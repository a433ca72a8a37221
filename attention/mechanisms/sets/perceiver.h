// The Perceiver (Jaegle et al. 2021, "Perceiver: General Perception with Iterative Attention") and
// Perceiver IO (Jaegle et al. 2022): a few latents read an input of any length, think among
// themselves, read again, and answer any number of queries.
//
//   read     z = z + MultiHead(LN(z), LN(x), LN(x)),   z = z + MLP(LN(z))       O(N T)
//   think    a pre-norm Transformer's layers over z                             O(N^2) each
//   answer   o = MultiHead(LN(q), LN(z), LN(z)),       o = o + MLP(LN(o))       O(O N), IO
//
// z [N, width], learned; x [B, T, input_width]; q [B, O, query_width] -> [B, O, query_width].
// MLP(h) = W_2 gelu(W_1 h). One module reads: PerceiverRead, with or without a residual of its
// queries.
#pragma once

#include "../../../nn/module_list.h"
#include "../transformer/transformer_encoder.h"

namespace heed::attention {

struct PerceiverReadOptions {
  Index width = 0;        ///< of queries and results
  Index input_width = 0;  ///< of what is read
  Index heads = 1;
  Index hidden = 0;      ///< of the MLP; 0: 4 widths
  bool residual = true;  ///< z + .. in the attention's place
  DType dtype = DType::f32;
};

class PerceiverRead : public nn::Module {
 public:
  /// Throws ValueError for widths that are not positive, and as MultiHead.
  explicit PerceiverRead(const PerceiverReadOptions& options);

 private:
  PerceiverReadOptions options_;

 public:
  nn::LayerNorm &query_norm, &input_norm, &norm;
  MultiHead& attend;
  nn::Linear &linear1, &linear2;

  /// z [B, N, width] reads x [B, T, input_width]; the mask is that of x. Weights [B, H, N, T].
  /// Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& z, const Tensor& x, const Terms& terms = {}) const;
};

struct PerceiverOptions {
  Index input_width = 0;
  Index latents = 0;      ///< N
  Index width = 0;        ///< of a latent
  Index heads = 1;        ///< of all attentions
  Index blocks = 1;       ///< how often it reads
  Index layers = 1;       ///< of thinking after each reading
  bool shared = true;     ///< the readings after the first are one module, and so are the thoughts
  Index hidden = 0;       ///< of the MLPs; 0: 4 widths
  Index query_width = 0;  ///< of the answers' queries; 0: there are none
  DType dtype = DType::f32;
};

class Perceiver : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, and as its parts.
  explicit Perceiver(const PerceiverOptions& options);

 private:
  PerceiverOptions options_;

 public:
  Tensor& latents;  ///< z [N, width]
  nn::ModuleListOf<PerceiverRead>& read;
  nn::ModuleListOf<TransformerEncoder>& think;
  PerceiverRead* answer;  ///< null without queries

  /// The latents after the last thought, [B, N, width]; weights [B, H, N, T] of the last reading.
  Attended operator()(const Tensor& x, const Mask& mask = Mask(), bool need_weights = false) const;
  /// Answers [B, O, query_width] to queries, which know nothing of each other; weights [B, H, O,
  /// N]. Throws ValueError where there are none.
  Attended operator()(const Tensor& queries, const Tensor& x, const Mask& mask = Mask(),
                      bool need_weights = false) const;

 private:
  Attended latents_of(const Tensor& x, const Mask& mask, bool need_weights) const;
};

}  // namespace heed::attention
