// Beam search with unknown words: what a PointerGenerator may write is the extended vocabulary, the
// words that it knows and those of the sources (See et al. 2017, section 2.2). A word of a source
// alone is fed back as the unknown word.
//
//   Copying copying(decoder, decoder.start(annotations, ids, mask), {
//       .embed = [&](const Tensor& ids) { return words(ids); }, .extended = V + 3, .unknown = 1});
//   nn::beam_search(copying, B, {.begin = .., .end = ..});   // ids below `extended`
#pragma once

#include <functional>
#include <utility>

#include "../../../nn/beam_search.h"
#include "pointer_generator.h"

namespace heed::attention {

struct CopyingOptions {
  std::function<Tensor(const Tensor& ids)> embed;  ///< i64 [R], of the vocabulary -> [R, E]
  Index extended = 0;  ///< words that may be written: of all sources, the most that one has
  Index unknown = 0;   ///< what stands for words beyond the vocabulary
};

class Copying : public nn::Decoding {
 public:
  Copying(const PointerGenerator& decoder, PointerGenerator::State state, CopyingOptions options)
      : decoder_(decoder), state_(std::move(state)), options_(std::move(options)) {}

  /// Gives log P, [R, extended]. Throws as PointerGeneratorOutput::distribution().
  Tensor step(const Tensor& words, Tensor* weights) override;
  void reorder(const Tensor& rows, bool sources) override { state_.reorder(rows, sources); }

 private:
  const PointerGenerator& decoder_;
  PointerGenerator::State state_;
  CopyingOptions options_;
};

/// `ids` with `unknown` in place of those that are not below `vocabulary`: what an embedding takes.
Tensor known_ids(const Tensor& ids, Index vocabulary, Index unknown);

}  // namespace heed::attention
