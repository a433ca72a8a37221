// The recurrent attention model (Mnih et al. 2014): a network that sees an image only through
// glimpses, one after another, and says itself where to look next.
//
//   l_t ~ N(tanh(W h_{t-1} + b), sigma^2)     baseline_t = u . h_{t-1} + d
//   g_t = glimpse(image, l_t)                 h_t = core(g_t, h_{t-1}), h_0 = 0
//   class ~ softmax(V h_T + c)
//
// Places are held within the image as they are looked at; their chances are those of what was
// drawn. Location and baseline see h_t off the tape: the core learns from the classes, the
// location from the reward.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../attention/mechanisms/hard/glimpse.h"
#include "../../autograd/stochastic/samples.h"
#include "../../nn/cells.h"

namespace glimpses {

using namespace heed;  // an application speaks the library's language

enum class Core : std::uint8_t { rnn, lstm };

/// "rnn", "lstm". Throws ValueError for other names.
Core core_of(const std::string& name);
const char* name(Core core);

struct ModelOptions {
  Index size = 28;  ///< of the images; the network itself fits any
  Index count = 8;  ///< T, glimpses of an image
  Index glimpse = 8;
  Index scales = 1;
  Index hidden = 128;
  Index width = 256;
  double sigma = 0.2;
  Core core = Core::rnn;
  Index classes = 10;
  DType dtype = DType::f32;
};

/// How places come about: drawn, or their means.
enum class Looking : std::uint8_t { sample, mean };

/// M runs over each of B images, the runs of an image side by side: rows [B M].
struct Episode {
  std::vector<Tensor> logits = {};     ///< T of [B M, classes], after each glimpse
  std::vector<Tensor> places = {};     ///< T of [B, M, 2], as they were looked at
  std::vector<Tensor> baselines = {};  ///< T of [B M]: the cost foreseen before each glimpse
  Samples samples = Samples();         ///< T draws of [B M, 2]; none for Looking::mean
};

class GlimpseModel : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, or a sigma that is not.
  explicit GlimpseModel(const ModelOptions& options);

  ModelOptions options;
  attention::GlimpseNetwork& look;
  nn::RNNCell* rnn = nullptr;    ///< null with an LSTM
  nn::LSTMCell* lstm = nullptr;  ///< null with an RNN
  attention::LocationNetwork& locate;
  nn::Linear& classify;
  nn::Linear& baseline;

  /// images [B, 1, H, W]. Draws from the default generator, or the one given.
  Episode operator()(const Tensor& images, Index runs, Looking looking = Looking::sample,
                     Generator* generator = nullptr) const;
};

}  // namespace glimpses
