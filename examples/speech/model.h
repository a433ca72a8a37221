// Listeners that differ in what follows the encoder: a pyramid of LSTMs over log-mel features, then
// a decoder that looks at it by content, by content and location, or monotonically in chunks, or a
// class for each place by CTC, without attention.
#pragma once

#include <memory>
#include <optional>

#include "../../attention/mechanisms/decoders/location_aware_decoder.h"
#include "../../attention/normalisers/monotonic.h"
#include "../../io/model_directory.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/pyramidal_lstm.h"
#include "corpus.h"

namespace speech {

struct ModelOptions {
  std::string attention = "location";
  Index hidden = 64;
  Index first = 4;
  Index levels = 2;
  Index state = 128;
  Index kernel = 31;
  Index window = 18;
  double dropout = 0.2;
  double joint = 0.8;
  void fields(io::Fields& f) {
    f.choice("attention", attention, {"location", "content", "mocha", "ctc"},
             "of the decoder; ctc: none, a digit or nothing for each place");
    f.size("hidden", hidden, 1, 1 << 12, "of the encoder's LSTMs, in each direction");
    f.size("first", first, 1, 16, "frames of 10 ms that the encoder's first level reads as one");
    f.size("levels", levels, 1, 6, "of the encoder; each but the first halves what it reads");
    f.size("state", state, 1, 1 << 12, "of the decoder");
    f.size("kernel", kernel, 1, 1001, "places that it sees; odd");
    f.size("window", window, 0, 1 << 20,
           "of location: places that a look may go to each side; 0: all");
    f.number("dropout", dropout, 0, 0.99, "probability");
    f.number("joint", joint, 0, 0.99, "part of the loss that is that of ctc, beside the decoder's");
  }
  Index frames() const { return first << (levels - 1); }  ///< of a place
};

/// What was heard, and where.
struct Heard {
  std::vector<Index> digits;
  double log_probability = 0;
  std::vector<double> seconds;  ///< where half of each digit's weight is reached
  Array weights;                ///< [digits, places]; of ctc 1 at the place of each
};

class Listener : public nn::Module {
  struct Source {
    Tensor annotations;  // [B, K, 2 hidden]
    std::vector<Index> lengths;
  };
  Source encode(const Batch& batch) const;
  Tensor ctc(const Source& source, const Batch& batch) const;
  Tensor spelling(const Source& source, const Batch& batch) const;
  attention::LocationAwareDecoder* make_decoder();
  std::shared_ptr<attention::Mocha> mocha_;

 public:
  /// Throws ValueError for options out of range.
  explicit Listener(const ModelOptions& options);

  const ModelOptions options;
  Tensor &mean, &scale;  ///< of the training's features: see data::FeatureScale
  nn::PyramidalLSTM& encoder;
  nn::Dropout& dropout;
  nn::Linear& places;                        ///< of ctc: a digit or none, [kDigits + 1]
  nn::Embedding* words;                      ///< null for ctc
  attention::LocationAwareDecoder* decoder;  ///< null for ctc
  nn::Linear* out;                           ///< null for ctc

  void standardise(const std::vector<Utterance>& some);
  /// The mean over the batch's digits.
  Tensor loss(const Batch& batch) const;
  std::vector<Heard> listen(const Batch& batch, Index beam) const;
};

io::DirectoryFiles files_of(const Listener& model);
/// Throws IoError; FormatError for a damaged folder.
std::unique_ptr<Listener> load(const std::string& folder);

}  // namespace speech
