// Sentence pairs as numbers, and batches of them: padded, or one behind the other.
#pragma once

#include <cstdint>
#include <vector>

#include "../../autograd/ops/packed/packed.h"
#include "../../data/loader.h"
#include "translator.h"

namespace translation {

/// A pair; the source with its end mark, the target without marks.
struct Example {
  std::vector<Index> source, target;
};

struct Batch {
  Rows source;
  Rows before;     ///< the target behind the begin mark: what is known before each word
  Tensor places;   ///< i64 [N]: where real words are in the flattened [B T]
  Tensor targets;  ///< i64 [N]: the words there, end marks among them
};

struct PackedBatch {
  Packed source, before;  ///< as in Batch, without padding
  Tensor targets;         ///< i64 [N]
};

/// Of these examples. Throws ValueError without any.
Batch batch_of(const std::vector<Example>& examples, const std::vector<Index>& chosen);
PackedBatch packed_batch_of(const std::vector<Example>& examples, const std::vector<Index>& chosen);
/// Sources alone, to be translated. Throws ValueError without any.
Rows rows_of(const std::vector<std::vector<Index>>& rows);

/// What batches are cut by: the target's words and its end mark, then the source's.
std::vector<data::LengthKey> lengths_of(const std::vector<Example>& examples);

/// Batches of about so many tokens, each of make(examples, rows); those of an epoch follow from
/// seed and epoch alone.
template <class Make>
auto epochs_of(const std::vector<Example>& examples, Index tokens, bool packed, std::uint64_t seed,
               Make make) {
  using Made = std::decay_t<
      std::invoke_result_t<Make&, const std::vector<Example>&, const std::vector<Index>&>>;
  return data::Loader<Made>(
      [=, &examples](Generator&, Index epoch) {
        Generator order(seed * 1000003 + static_cast<std::uint64_t>(epoch));
        const auto cut = packed ? data::batches_packed : data::batches_by_tokens;
        return data::pass_over<Made>(
            cut(lengths_of(examples), tokens, &order),
            [=, &examples](const auto& rows) { return make(examples, rows); });
      },
      Generator(0));
}

/// What the model knows before each real word, [N, R].
Tensor features_of(const Translator& model, const Batch& batch);
Tensor features_of(const Translator& model, const PackedBatch& batch);

}  // namespace translation
