// Speculative decoding (Leviathan et al. 2023, "Fast Inference from Transformers via Speculative
// Decoding", algorithm 1; Chen et al. 2023): a small model drafts some tokens, the large one looks
// at all of them at once, and keeps as many as it might have drawn itself.
//
//   the draft's token x, drawn from q, stays with probability min(1, p(x) / q(x)), p the target's;
//   the first that does not is replaced by one drawn from max(0, p - q), normalised; if all stay,
//   another comes of p
//
// Texts are distributed as the target's own, whatever the draft: at temperature 0 they are the same
// to the token. A good draft makes of lookahead + 1 steps of the target one.
#pragma once

#include <vector>

#include "sampling.h"

namespace heed::nn {

/// A model that reads a text and says what may come next.
class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Reads on; the scores (logits) of what may follow each of `tokens`, a row a token, as many in
  /// each.
  virtual std::vector<std::vector<double>> read(const std::vector<Index>& tokens) = 0;
  /// Forgets all but the first `length` tokens that it has read.
  virtual void rewind(Index length) = 0;
};

struct SpeculativeOptions {
  Index length = 100;   ///< tokens that are written at most
  Index lookahead = 4;  ///< tokens that are drafted at a time
  Index end = -1;       ///< a token that ends the text; -1: none does
  SamplingOptions choice = {};
};

struct SpeculativeText {
  std::vector<Index> tokens;  ///< what was written, its end included
  Index drafted = 0;          ///< tokens that the draft proposed
  Index kept = 0;             ///< those of them that stayed
  Index looks = 0;            ///< calls of the target's read(), but for the one at the prompt
};

/// Both models stand at their beginning, and share their tokens. Throws ValueError for an empty
/// prompt, a length or lookahead that is not positive, and as sample(); ShapeError where they
/// do not give a row of scores for each token, all of one length.
SpeculativeText write_speculatively(TokenModel& target, TokenModel& draft,
                                    const std::vector<Index>& prompt,
                                    const SpeculativeOptions& options, Generator& generator);

}  // namespace heed::nn
