// Show, Attend and Tell (Xu et al. 2015) in small: a convolutional network makes annotations of an
// image's cells, an LSTM writes the caption and looks at the cells before each word.
//
//   a = ConvNet(image) + positions                    annotations [B, L, D], L = 6 x 6 cells
//   h_0, c_0 = tanh(W mean_i a_i)
//   alpha_t = softmax(v^T tanh(W1 h_{t-1} + W2 a_i)),  z_t = beta_t sum_i alpha_ti a_i   (soft)
//                                                      z_t = beta_t a_s, s ~ alpha_t     (hard)
//   beta_t = sigmoid(f_beta(h_{t-1})),  h_t = LSTM([E y_{t-1}; z_t], h_{t-1})
//   p(y_t) = softmax(L_o (E y_{t-1} + L_h h_t + L_z z_t))
#pragma once

#include <optional>
#include <string>

#include "../../attention/attend.h"
#include "../../attention/mechanisms/hard/hard_attention.h"
#include "../../attention/scores/additive.h"
#include "../../nn/batch_norm.h"
#include "../../nn/cells.h"
#include "../../nn/conv.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"

namespace captioning {

namespace nn = heed::nn;
namespace attention = heed::attention;
using heed::Index;
using heed::Tensor;

enum class Look { soft, hard };

/// "soft", "hard". Throws ValueError for other names.
Look look_of(const std::string& name);
const char* name(Look look);

struct ModelOptions {
  Index vocabulary = 0;
  Index channels = 16;  ///< of the first convolution; 2 and 4 times as many of the others
  Index width = 32;     ///< of a word
  Index hidden = 96;    ///< of the LSTM
  Look look = Look::soft;
  double mean_probability = 0.5;  ///< of hard attention in training
  heed::DType dtype = heed::DType::f32;
};

inline constexpr Index kCells = 6;  // along each side of the annotations' grid

class Captioner : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit Captioner(const ModelOptions& options);

  ModelOptions options;
  nn::Conv2d& conv1;
  nn::BatchNorm2d& norm1;
  nn::Conv2d& conv2;
  nn::BatchNorm2d& norm2;
  nn::Conv2d& conv3;
  nn::BatchNorm2d& norm3;
  Tensor& positions;  ///< [L, D]
  nn::Linear &start_h, &start_c;
  nn::Embedding& words;
  attention::HardAttention& hard;
  nn::Linear& gate;
  nn::LSTMCell& cell;
  nn::Linear &from_state, &from_context, &out;

  /// images [B, 3, 48, 48] -> annotations [B, L, D].
  Tensor annotate(const Tensor& images) const;

  /// A caption being written.
  struct Writing {
    heed::LstmState state;
    std::optional<attention::Memory> soft;
    std::optional<attention::HardMemory> hard;
  };
  struct Step {
    Tensor logits;  ///< [B, V], of the next word
    Tensor looked;  ///< [B, L]: alpha_t; of a hard choice 1 at its place
    Tensor alpha;   ///< [B, L]
  };
  /// `choices` chooses for hard attention, in training; null: the likeliest. Where it draws K times
  /// a scene, all that a step gives has a first axis K.
  Writing begin(const Tensor& annotations, heed::Choices* choices = nullptr) const;
  /// After the word y_{t-1}, i64 [B].
  Step step(const Tensor& word, Writing& writing) const;
};

}  // namespace captioning
