// Long short-term memory-network (Cheng, Dong, Lapata 2016): an LSTM whose state is not its last
// step but a summary of all steps, found by attention over a hidden tape and a memory tape.
//
//   a_i = v^T tanh(W_h h_i + W_x x_t + W_t htilde_{t-1}), i < t,     s = softmax(a)
//   [htilde_t; ctilde_t] = sum_i s_i [h_i; c_i]
//   c_t = f o ctilde_t + i o chat,  h_t = o o tanh(c_t),  gates from x_t and htilde_t as an LSTM's
//
// With a span only the last so many steps are on the tapes. The first step finds them empty: its
// htilde and ctilde are 0. Layers stand on each other: the x of one are the h of that below. The
// paper's htilde in a is our W_t times the summary of the step before; gates stand in an LSTMCell,
// whose h is htilde and whose c is ctilde.
#pragma once

#include <vector>

#include "../../../nn/cells.h"
#include "../../../nn/linear.h"
#include "../../../nn/module_list.h"
#include "tape.h"

namespace heed::attention {

struct LSTMNOptions {
  Index input = 0;   ///< I
  Index hidden = 0;  ///< H
  Index layers = 1;
  Index attention = 0;  ///< A, width of the scores; 0: H
  Index span = -1;      ///< steps on the tapes; -1: all
  /// r: scores get - r (t - 1 - i), so that a new layer looks back little further than an LSTM; ours.
  double recency = 0;
  DType dtype = DType::f32;
};

/// Where a sequence stands in one layer.
struct LSTMNState {
  Tape keys;            ///< W_h h_i, [B, t, A]
  Tape values;          ///< [h_i; c_i], [B, t, 2 H]
  Tensor summary = {};  ///< htilde of the last step, [B, H]; undefined: 0
  /// Carries on with these rows of the batch, i64 [R].
  void reorder(const Tensor& rows);
};

/// One layer, step by step.
class LSTMNCell : public nn::Module {
 public:
  /// `options.layers` is not looked at. Throws ValueError as LSTMN does.
  explicit LSTMNCell(const LSTMNOptions& options);

 private:
  LSTMNOptions options_;

 public:
  nn::LSTMCell& gates;
  nn::Linear& hidden_attention;   ///< W_h [A, H]
  nn::Linear& input_attention;    ///< W_x [A, I]
  nn::Linear& summary_attention;  ///< W_t [A, H]
  Tensor& score_vector;           ///< v [A]

  /// x [B, I] -> h and c [B, H]; the state becomes that after the step. `weights`: s, [B, t] (of
  /// the last `span` steps), undefined at the first. Throws ShapeError, DTypeError.
  LstmState operator()(const Tensor& x, LSTMNState& state, Tensor* weights = nullptr) const;

  /// Its parts: htilde and ctilde, from x and W_x x, which a layer computes for all steps at once;
  LstmState summarise(const Tensor& x, const Tensor& projected, LSTMNState& state,
                      Tensor* weights = nullptr) const;
  /// and what is put on the tapes after the gates.
  void remember(const LstmState& after, LSTMNState& state) const;
};

struct LSTMNOutput {
  Tensor output;                     ///< the last layer's hidden tape [B, T, H]; 0 in the padding
  Tensor memory;                     ///< its memory tape c, likewise
  std::vector<Tensor> weights = {};  ///< of each layer [B, T, T], 0 where i >= t; if asked for
};

class LSTMN : public nn::Module {
 public:
  /// Throws ValueError unless sizes and layers are positive, for a span of 0 and a recency that is
  /// negative or not finite.
  explicit LSTMN(const LSTMNOptions& options);

 private:
  LSTMNOptions options_;

 public:
  nn::ModuleListOf<LSTMNCell>& layers;

  /// x [B, T, I], of which row b has lengths[b] steps; none: all T. Forward hooks of a layer and of
  /// its gates are not called: no step goes through their operator(), as what x says to all steps
  /// is computed at once. Throws ShapeError, DTypeError.
  LSTMNOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                         bool need_weights = false) const;
  /// The same of a stream that goes on behind `states`, one a layer, none at its begin; they become
  /// those behind its last step. Throws also ValueError for another number of states.
  LSTMNOutput operator()(const Tensor& x, std::vector<LSTMNState>& states) const;

 private:
  // The rows of each layer's tapes that x adds, and with them the weights.
  LSTMNOutput run(const Tensor& x, std::vector<LSTMNState>& states, bool need_weights) const;
  void check_input(const Tensor& x) const;
};

/// Weights of steps t = 0 .. T - 1, each over the steps before it ([B, n], the last n of them; or
/// undefined) -> [B, T, T].
Tensor past_weights(const std::vector<Tensor>& steps, Index batch, DType dtype);

}  // namespace heed::attention
