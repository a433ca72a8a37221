// A pointer network (Vinyals et al. 2015) that points to some of its places, each once, and then to
// an end of its own, as an extractive summary picks sentences (Chen and Bansal 2018, "Fast
// Abstractive Summarization with Reinforce-Selected Sentence Rewriting", has the end, too):
//
//   p(C_t | C_1 .. C_{t-1}) over the K places and the end     (pointer_network.h)
//   loss = - sum_t log sum_{c in S - {C_1 .. C_{t-1}}} p(c | C_1 .. C_{t-1}),   then  - log p(end)
//
// S: the places that are wanted, in whichever order: a step is right where it points to any of
// those that are left. Keys are what is read, too: [B, K, W].
#pragma once

#include "pointer_network.h"

namespace heed::attention {

class SubsetPointer : public nn::Module {
 public:
  /// Throws ValueError for widths that are not positive.
  SubsetPointer(Index width, Index state_width, DType dtype = DType::f32);

  Tensor& end;  ///< its key, [W]
  PointerNetwork& point;

  /// `lengths`: places of each row; `wanted`: of each row S, in the order in which the steps point.
  /// -> [B]. Throws ShapeError, DTypeError; IndexError for places beyond a row's length; ValueError
  /// for one twice.
  Tensor loss(const Tensor& keys, const std::vector<Index>& lengths,
              const std::vector<std::vector<Index>>& wanted) const;
  /// The likeliest places one after the other, `count` of each row, or as many as it has; 0: until
  /// it points to the end, one at least. Without gradients.
  std::vector<std::vector<Index>> pick(const Tensor& keys, const std::vector<Index>& lengths,
                                       Index count) const;

 private:
  PointerNetwork::State start(const Tensor& keys, const std::vector<Index>& lengths) const;
};

}  // namespace heed::attention
