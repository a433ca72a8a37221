// End-to-end memory network (Sukhbaatar et al. 2015): a question looks at the sentences of a story,
// hop after hop.
//
//   m_i = sum_j l_j o A x_ij + T_A(i),  c_i = sum_j l_j o C x_ij + T_C(i),  u_1 = sum_j l_j o B q_j
//   p_i = softmax_i(u . m_i),  o = sum_i p_i c_i,  u <- u + o,  answer = softmax(W u)
//   l_kj: position encoding of word j of J, number k of d
//
//   adjacent tying: A of a hop is C of the one before, B = A of the first, W^T = C of the last
//   layer-wise tying: all hops share A and C, and u <- H u + o; B and W stand for themselves
//   linear start: p without its softmax, for the first epochs
//   random noise: in training, time passes T as if up to a tenth of the memories were empty ones
//   somewhere among the sentences (which nobody can look at)
//   empty memories: a story always has `slots` memories; those without a sentence are zeros, whose
//   scores of zero take their share of p, so that a hop may look at nothing. The paper is silent
//   about them; the authors' program (MemN2N-babi-matlab) has them
//
// story i64 [B, N, J] and question i64 [B, L] are numbers of words, -1 where there is none; T
// counts back from the last sentence, those `slots` and more before it share the last place.
// Sentences become rows of a sparse matrix over the different words of the batch, so that one
// product with the tables of all hops, side by side, embeds them.
#pragma once

#include <cstdint>
#include <vector>

#include "../../../nn/module.h"
#include "../../masks/mask.h"

namespace heed {
class Generator;
}

namespace heed::attention {

enum class MemoryTying : std::uint8_t { adjacent, layer_wise };

/// What word j of a sentence of J counts for in number k of the d of its embedding.
enum class PositionEncoding : std::uint8_t {
  none,       ///< 1: a sentence is a bag of words
  published,  ///< (1 - j/J) - (k/d)(1 - 2j/J), the paper's: 1/2 on average
  centred,    ///< 1 + 4 (k - (d + 1)/2)(j - (J + 1)/2)/(d J), the authors' program's: 1 on average
};

struct MemoryNetworkOptions {
  Index vocabulary = 0;  ///< V: words and answers are 0 .. V - 1
  Index width = 20;      ///< d
  Index hops = 3;
  Index slots = 50;  ///< places of the temporal encoding; 0: none
  MemoryTying tying = MemoryTying::adjacent;
  PositionEncoding position_encoding = PositionEncoding::published;
  double noise = 0.1;           ///< share of empty memories between sentences in training; 0: none
  bool empty_memories = false;  ///< of `slots` those behind the sentences are looked at too
  DType dtype = DType::f32;
};

struct MemoryNetworkOutput {
  Tensor logits;  ///< [B, V]
  /// p of each hop, [B, N], whose rows lack to 1 what empty memories take; none unless asked for.
  std::vector<Tensor> weights = {};
};

class MemoryNetwork : public nn::Module {
 public:
  /// All numbers begin as N(0, 0.1). Throws ValueError for a vocabulary, width or hops that are not
  /// positive, negative slots, a noise outside [0, 1] and empty memories without slots.
  explicit MemoryNetwork(const MemoryNetworkOptions& options);

 private:
  MemoryNetworkOptions options_;
  bool linear_ = false;

 public:
  Tensor& words;   ///< [tables, V, d]: A, C; adjacent: A of the first hop, then C of each
  Tensor& times;   ///< [tables, slots, d]: T likewise; undefined without slots
  Tensor& asking;  ///< B [V, d] and
  Tensor& answer;  ///< W [V, d], and
  Tensor& turn;    ///< H [d, d], which is applied as u H^T: all three undefined when adjacent

  /// Linear start: while on, weights are scores without a softmax.
  void set_linear(bool on) { linear_ = on; }
  bool linear() const { return linear_; }

  /// Row b of the story has sentences[b] sentences; none given: all N. Without any, o is 0.
  /// `generator` draws the noise; null: the default one. Throws ShapeError, DTypeError, IndexError
  /// for a word outside [-1, V).
  MemoryNetworkOutput operator()(const Tensor& story, const Tensor& question,
                                 const std::vector<Index>& sentences = {},
                                 bool need_weights = false, Generator* generator = nullptr) const;

 private:
  /// From each table's memories [B, M, d] and the question [B, d].
  MemoryNetworkOutput hops(const std::vector<Tensor>& memories, Tensor u, const Mask& real,
                           const Mask& mask, Index N, bool need_weights) const;
};

}  // namespace heed::attention
