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

#include <memory>
#include <optional>
#include <string>

#include "../../attention/attend.h"
#include "../../attention/mechanisms/hard/hard_attention.h"
#include "../../attention/scores/additive.h"
#include "../../io/fields.h"
#include "../../io/model_directory.h"
#include "../../nn/batch_norm.h"
#include "../../nn/cells.h"
#include "../../nn/conv.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "corpus.h"

namespace captioning {

struct ModelOptions {
  std::string data = "shapes";
  Index vocabulary = 0;
  Index channels = 16;  ///< of the first convolution; 2 and 4 times as many of the others
  Index width = 32;
  Index hidden = 96;
  std::string attention = "soft";
  double mean = 0.5;
  DType dtype = DType::f32;
  bool hard() const { return attention == "hard"; }
  void fields(io::Fields& f) {
    f.choice("data", data, {"shapes", "mnist"}, "shapes, generated, or mnist, digits of --path");
    f.size("channels", channels, 1, 1 << 12, "of the first convolution");
    f.size("width", width, 1, 1 << 14, "of a word");
    f.size("hidden", hidden, 1, 1 << 14, "of the LSTM");
    f.choice("attention", attention, {"soft", "hard"}, "soft or hard");
    f.number("mean", mean, 0, 1,
             "hard attention: probability with which a scene is looked at as a whole");
  }
};

inline constexpr Index kCells = 6;  // along each side of the annotations' grid

class Captioner : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit Captioner(const ModelOptions& model) : options(model) {}

  ModelOptions options;

 private:
  const Index C = options.channels, D = 4 * C, H = options.hidden, W = options.width;
  const DType type = options.dtype;
  nn::Conv2d& conv(const std::string& name, Index in, Index to) {
    return child<nn::Conv2d>(name, in, to, 3, Conv2dOptions{.padding = 1}, false, type);
  }
  nn::BatchNorm2d& norm(const std::string& name, Index width) {
    return child<nn::BatchNorm2d>(name, width, nn::BatchNormOptions{.dtype = type});
  }
  nn::Linear& linear(const std::string& name, Index in, Index to, bool bias = true) {
    return child<nn::Linear>(name, in, to, bias, type);
  }

 public:
  nn::Conv2d& conv1 = conv("conv1", 3, C);
  nn::BatchNorm2d& norm1 = norm("norm1", C);
  nn::Conv2d& conv2 = conv("conv2", C, 2 * C);
  nn::BatchNorm2d& norm2 = norm("norm2", 2 * C);
  nn::Conv2d& conv3 = conv("conv3", 2 * C, D);
  nn::BatchNorm2d& norm3 = norm("norm3", D);
  Tensor& positions = parameter("positions", randn({kCells * kCells, D}, type) * 0.5);
  nn::Linear& start_h = linear("start_h", D, H);
  nn::Linear& start_c = linear("start_c", D, H);
  nn::Embedding& words = child<nn::Embedding>(
      "words", nn::EmbeddingOptions{.count = options.vocabulary, .width = W, .dtype = type});
  attention::HardAttention& hard = child<attention::HardAttention>(
      "hard",
      attention::HardOptions{.score = std::make_shared<attention::Additive>(H, D, H, true, type),
                             .mean_probability = options.mean});
  nn::Linear& gate = linear("gate", H, 1);
  nn::LSTMCell& cell = child<nn::LSTMCell>("cell", W + D, H, true, type);
  nn::Linear& from_state = linear("from_state", H, W);
  nn::Linear& from_context = linear("from_context", D, W, false);
  nn::Linear& out = linear("out", W, options.vocabulary);

  /// images [B, 3, 48, 48] -> annotations [B, L, D].
  Tensor annotate(const Tensor& images) const;

  /// A caption being written.
  struct Writing {
    LstmState state;
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
  /// `soft`: whatever the options say.
  Writing begin(const Tensor& annotations, Choices* choices = nullptr, bool soft = false) const;
  /// After the word y_{t-1}, i64 [B].
  Step step(const Tensor& word, Writing& writing) const;
};

/// All that it takes to describe an image.
struct Describer {
  data::Vocabulary vocabulary;
  std::unique_ptr<Captioner> model;
};

/// A describer on disk: weights, vocabulary and configuration. load() throws IoError; FormatError
/// for a damaged one, or a vocabulary that does not fit the weights.
io::DirectoryFiles files_of(const Describer& describer);
Describer load(const std::string& folder);

}  // namespace captioning
