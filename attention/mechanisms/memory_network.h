// End-to-end memory network (Sukhbaatar et al. 2015): a question looks at the sentences of a story,
// hop after hop.
//
//   m_i = sum_j l_j o A x_ij + T_A(i),  c_i = sum_j l_j o C x_ij + T_C(i),  u_1 = sum_j l_j o B q_j
//   p_i = softmax_i(u . m_i),  o = sum_i p_i c_i,  u <- u + o,  answer = softmax(W u)
//   l_kj = (1 - j/J) - (k/d)(1 - 2j/J): position encoding of word j of J, number k of d; or 1
//
//   adjacent tying: A of a hop is C of the one before, B = A of the first, W^T = C of the last
//   layer-wise tying: all hops share A and C, and u <- H u + o; B and W stand for themselves
//   linear start: p without its softmax, for the first epochs
//   random noise: in training, time passes T as if up to a tenth of the memories were empty ones
//   somewhere among the sentences (which nobody can look at)
//
// story i64 [B, N, J] and question i64 [B, L] are numbers of words, -1 where there is none; T
// counts back from the last sentence, those `slots` and more before it share the last place. The
// words of a batch become rows of a matrix, so that one matrix product embeds all sentences; it
// grows with the number of different words in the batch.
#pragma once

#include <cstdint>
#include <vector>

#include "../../nn/module.h"

namespace heed {
class Generator;
}

namespace heed::attention {

enum class MemoryTying : std::uint8_t { adjacent, layer_wise };

struct MemoryNetworkOptions {
  Index vocabulary = 0;  ///< V: words and answers are 0 .. V - 1
  Index width = 20;      ///< d
  Index hops = 3;
  Index slots = 50;  ///< places of the temporal encoding; 0: none
  MemoryTying tying = MemoryTying::adjacent;
  bool position_encoding = true;  ///< else a sentence is a bag of words
  double noise = 0.1;             ///< share of empty memories in training; 0: none
  DType dtype = DType::f32;
};

struct MemoryAnswer {
  Tensor logits;                     ///< [B, V]
  std::vector<Tensor> weights = {};  ///< p of each hop, [B, N]; empty unless asked for
};

class MemoryNetwork : public nn::Module {
 public:
  /// All numbers begin as N(0, 0.1). Throws ValueError for a vocabulary, width or hops that are not
  /// positive, negative slots and a noise outside [0, 1].
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
  MemoryAnswer operator()(const Tensor& story, const Tensor& question,
                          const std::vector<Index>& sentences = {}, bool need_weights = false,
                          Generator* generator = nullptr) const;
};

}  // namespace heed::attention
