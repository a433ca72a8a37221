// The gates of one row of a recurrent layer at one step, in one vectorised pass. H is the state's
// width; what is kept of a step, in parts of H numbers:
//
//   tanh, relu:  h'                                 h' = tanh or relu of W_ih x + W_hh h + b
//   GRU:         r, z, n, m                         m = W_hn h + b_hn; see autograd/ops/recurrent/gru.h
//   LSTM:        i, f, g, o, c'                     see autograd/ops/recurrent/lstm.h
#pragma once

#include "rnn_cell.h"

namespace heed::kernels::simd {

template <class T>
struct RnnStep {
  T* kept;             ///< on entry its first parts are W_ih x
  const T* recurrent;  ///< W_hh h [gates H]
  const T* bias;       ///< [terms H], in their order
  T* h;                ///< [H], steps on
  T* c;                ///< [H], steps on; of an LSTM alone
  T* out;              ///< [H], gets the new h too
};

/// The way back.
template <class T>
struct RnnStepGrad {
  const T* kept;
  const T *h, *c;  ///< before the step; c of an LSTM alone
  const T* g;      ///< of the step's output
  /// On entry the gradients of the states after the step, without g; on return what they hand to
  /// the states before it, W_hh h aside.
  T *dh, *dc;
  T* d;          ///< [terms H] of the terms: x's own, then the summed ones, then h's own
  T* recurrent;  ///< the last of them, those of W_hh h [gates H], once more
  T* sums;       ///< [terms H], d is added to it
};

template <class T>
struct RnnKernels {
  void (*step)(RnnCell cell, const RnnStep<T>& step, Index H);
  void (*step_grad)(RnnCell cell, const RnnStepGrad<T>& step, Index H);
};
template <class T>
const RnnKernels<T>& rnn();  // f32, f64

}  // namespace heed::kernels::simd
