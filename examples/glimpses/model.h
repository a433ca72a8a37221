// The recurrent attention model (Mnih et al. 2014): a network that sees an image only through
// glimpses, one after another, and says itself where to look next.
//
//   l_t ~ N(W h_{t-1} + b, sigma^2)           baseline_t = u . h_{t-1} + d
//   g_t = glimpse(image, l_t)                 h_t = core(g_t, h_{t-1}), h_0 = 0
//   class ~ softmax(V h_T + c)
//
// Places are held within the image as they are looked at; their chances are those of what was
// drawn. Location and baseline see h_t off the tape: the core learns from the classes, the
// location from the reward.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../attention/mechanisms/hard/glimpse.h"
#include "../../autograd/stochastic/samples.h"
#include "../../io/model_directory.h"
#include "../../nn/cells.h"
#include "digits.h"

namespace glimpses {

struct ModelOptions {
  Index size = kSide;  ///< of the images; the network itself fits any
  Index clutter = 0;   ///< pieces of other digits beside each
  Index count = 8;     ///< T, glimpses of an image
  Index glimpse = 8;
  Index scales = 1;
  Index hidden = 128;
  Index width = 256;
  std::string core = "rnn";
  double sigma = 0.2;
  bool bounded = false;
  DType dtype = DType::f32;
  void fields(io::Fields& f) {
    f.size("size", size, kSide, 1024,
           "of the images; above 28 each digit is at a place of its own, drawn anew each time");
    f.size("clutter", clutter, 0, 1000, "pieces of other digits in each image");
    f.size("glimpses", count, 1, 1000, "of each image");
    f.size("glimpse", glimpse, 1, 1024, "pixels across");
    f.size("scales", scales, 1, 8, "patches a glimpse, each twice as wide");
    f.size("hidden", hidden, 1, 1 << 14, "of what and of where");
    f.size("width", width, 1, 1 << 14, "of the core");
    f.choice("core", core, {"rnn", "lstm"}, "rnn or lstm");
    f.number("sigma", sigma, 1e-9, 1e9, "deviation of the places");
    f.flag("tanh", bounded, "around the means of the places; the paper's are linear");
  }
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
  /// Throws ValueError for options out of range.
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

/// What a run is worth: 1 where the last guess is right, or the probability that it gave the class.
enum class Reward : std::uint8_t { right, probability };

/// Cross-entropy, surrogate of the reward and the baselines' own loss, of an episode of `runs` runs
/// over images with these labels. `every` weighs the classes guessed before the last glimpse.
struct Losses {
  Tensor total;  ///< to differentiate
  double classes;
  double error;  ///< of the last guesses
};
Losses losses_of(const Episode& episode, const Tensor& labels, Index runs, double every,
                 Reward reward = Reward::right);

/// A model on disk, weights and configuration. load() throws IoError, FormatError.
io::DirectoryFiles files_of(const GlimpseModel& model);
std::unique_ptr<GlimpseModel> load(const std::string& folder);

}  // namespace glimpses
