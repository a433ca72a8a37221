// A model that goes on learning, on any text.
#pragma once

#include <string>

#include "../../pretrained/pretrained.h"

namespace others {

using heed::Index;

struct TuningOptions {
  Index steps = 300, batch = 8, length = 128;
  double lr = 1e-3;
  std::uint64_t seed = 1;
  Index lora = 0;  ///< the rank of adapters, which learn in the place of the weights; 0: none
};

struct Tuned {
  /// Mean negative log-likelihood of a token of what was held out, in nats: `after` of the weights
  /// that the model has in the end, the best of those looked at.
  double before = 0, after = 0;
  bool interrupted = false;
  bool any = false;  ///< it came to a first look at what was held out
};

/// The last tenth of the text's tokens is held out. Throws IoError, FormatError; ValueError for a
/// text of too few tokens, or with characters that the model has no tokens for.
Tuned tune(heed::pretrained::DecoderOnly& model, const heed::pretrained::ScoredTokens& tokens,
           const std::string& text_file, const TuningOptions& options);

}  // namespace others
