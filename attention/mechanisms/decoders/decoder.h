// What every decoder over a source does, so that one beam search and one test suite serve all:
//
//   start(source ..)             -> State: the source's memory, and where the decoder stands
//   step(word, state, terms)     one step: word [B, E] -> output [B, width], weights [B, .., K]
//   run(words, state, terms, lengths)   whole targets [B, T, E] -> [B, T, width]: what the steps
//                                give, 0 beyond a row's length; the state goes on behind the last
//   State::reorder(rows, sources)       carries on with these rows of the batch, i64 [R]; `sources`
//                                false: each is of the source that stands in its place already
//
// Terms are those of the looks at the source; normalisers and scores that go on from query to query
// throw ValueError unless the state has their past (LocationAwareDecoder, PointerGenerator). The
// source's mask is that of keys. A reorder() that throws leaves the state as it was.
#pragma once

#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "../../../nn/beam_search.h"
#include "../../terms.h"

namespace heed::attention {

template <class D>
concept Decoder = requires(const D& decoder, typename D::State& state, const Tensor& words,
                           const Terms& terms, const std::vector<Index>& lengths) {
  { decoder.step(words, state, terms) } -> std::convertible_to<StackOutput>;
  { decoder.run(words, state, terms, lengths) } -> std::convertible_to<StackOutput>;
  state.reorder(words, true);
};

/// A decoder that writes, as nn::beam_search() drives it.
///
///   Writing writing(decoder, decoder.start(annotations, mask), {
///       .embed = [&](const Tensor& ids, Index t) { return target(ids); },     // [R] -> [R, E]
///       .logits = [&](const Tensor& output) { return out(output); }});        // [R, width] -> [R, V]
template <Decoder D>
class Writing : public nn::Decoding {
 public:
  struct Ends {
    std::function<Tensor(const Tensor& ids, Index t)> embed;
    std::function<Tensor(const Tensor& output)> logits;
    /// One weight a place, [R, K], of those of all looks; empty: the last look's.
    std::function<Tensor(const std::vector<Tensor>& looks)> weights = {};
  };
  Writing(const D& decoder, typename D::State state, Ends ends)
      : decoder_(decoder), state_(std::move(state)), ends_(std::move(ends)) {}

  Tensor step(const Tensor& ids, Tensor* weights) override {
    const StackOutput out =
        decoder_.step(ends_.embed(ids, t_++), state_, Terms{.need_weights = weights != nullptr});
    if (weights != nullptr && !out.weights.empty()) {  // some decoders have none
      *weights = ends_.weights ? ends_.weights(out.weights) : out.weights.back();
    }
    return ends_.logits(out.output);
  }
  void reorder(const Tensor& rows, bool sources) override { state_.reorder(rows, sources); }

 private:
  const D& decoder_;
  typename D::State state_;
  Ends ends_;
  Index t_ = 0;
};

}  // namespace heed::attention
