// A Memory is what is attended to: keys that a score has prepared, values, a mask of the keys, and
// what was not finite in them. It is made once and asked any number of times; decoders carry one
// along, a beam search takes rows of it, local attention takes places of it.
//
// What was not finite stays so in the row where it stood, and no parameter of the score meets it.
#pragma once

#include <vector>

#include "score.h"
#include "terms.h"

namespace heed::attention {

/// What a query leaves to the next one of its sequence.
struct Past {
  Tensor weights = {};  ///< what Score::remember() made of them, [.., 1, K]
  Tensor state = {};    ///< of a normaliser that is stateful
  Tensor spoiled = {};  ///< bool [.., 1, 1]: these should be NaN

  /// Carries on with these rows of the batch, i64 [R].
  void reorder(const Tensor& rows);
};

class Memory {
 public:
  /// Of nothing: everything throws.
  Memory() = default;
  /// keys [.., K, dk], values [.., K, dv]; the mask is that of the keys, for every query, and
  /// causal and window masks align each call's last query with the last key. The score must live as
  /// long as this. What is in bf16 is held in f32, and attended to in f32. Throws ShapeError,
  /// DTypeError.
  Memory(const Score& score, const Tensor& keys, const Tensor& values, const Mask& mask = Mask());
  /// Of the scaled dot product.
  Memory(const Tensor& keys, const Tensor& values, const Mask& mask = Mask());

  /// A whole sequence of queries from its beginning: query [.., Q, dq]. Throws ShapeError,
  /// DTypeError, ValueError.
  Attended attend(const Tensor& query, const Terms& terms = {}) const;
  /// One step of a sequence: query [.., dq] -> context [.., dv], weights [.., K], log_sums [..].
  /// Scores that use previous weights and normalisers that are stateful go on from `past` and leave
  /// theirs there. A bias broadcasts to [.., K].
  Attended step(const Tensor& query, Past& past, const Terms& terms = {}) const;
  /// The same for those that need no past. Throws ValueError for others.
  Attended step(const Tensor& query, const Terms& terms = {}) const;

  /// The memory of a batch made of these rows, i64 [R]. Of a boolean mask with as many axes as the
  /// keys the first one is the batch. Throws IndexError, ShapeError.
  Memory rows(const Tensor& index) const;
  /// Of each row b of the batch the places index[b], i64 [B, ..]: keys and values become
  /// [B, .., d]. The mask stays behind, what lies beyond the score's reach() stays hidden. Throws
  /// IndexError, ShapeError.
  Memory places(const Tensor& index, const Mask& mask = Mask()) const;
  /// For many calls of places(): their gradients are then added up as they come, not one by one
  /// over the whole memory.
  void lay_out_places();

  /// Other keys, as prepared, and values; score and mask as here. Throws as the first one does.
  Memory with(const Tensor& keys, const Tensor& values) const;
  /// The same with an axis of 1 before the places, over which several heads of queries share them.
  Memory beside_groups() const;
  /// The same under another mask.
  Memory masked(const Mask& mask) const;
  /// Which keys the score's reach() hides from all; Mask() where it hides none.
  Mask within_reach() const;
  /// This memory, whose keys do not stand in their places: reach() hides none.
  Memory out_of_place() const;
  /// This memory with the values multiplied by a factor [.., K, 1] each.
  Memory weighted(const Tensor& factor) const;

  bool defined() const { return keys_.defined(); }
  const Tensor& keys() const { return keys_; }  ///< as prepared
  const Tensor& values() const { return values_; }
  const Mask& mask() const { return mask_; }
  const Score& score() const { return *score_; }

 private:
  friend Attended attend(const Score&, const Tensor&, const Tensor&, const Tensor&, const Terms&);
  friend Attended attend(const Tensor&, const Tensor&, const Tensor&, const Terms&);
  Attended look(const Tensor& query, const Terms& terms, const Mask& mask, Past& past) const;
  Tensor weigh(const Tensor& query, const Tensor& keys, Tensor bias, const Tensor& allowed,
               const Shape& shape, const Terms& terms, Past& past, Tensor* log_sums) const;
  Tensor sum_up(Tensor weights, const Tensor& values, const Terms& terms) const;

  const Score* score_ = nullptr;
  Tensor keys_, values_;
  Tensor flat_keys_, flat_values_;  // [B K, d]: see lay_out_places()
  bool shared_ = false;             // several queries have copies of a key: see places()
  bool out_of_place_ = false;
  Mask mask_;
};

}  // namespace heed::attention
