#include "rnn_gates.h"

#include <algorithm>

#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "rnn_simd.h"

namespace heed::kernels {
namespace {

// body(begin, end) over the rows; work small enough for one thread stays there.
template <class Body>
void for_rows(Index rows, Index H, const Body& body) {
  parallel_for(rows, std::max<Index>(1, kGrain / (8 * H)), body);
}

}  // namespace

GruGates gru_gates(const Array& from_x, const Array& from_h, const Array& h) {
  const Index B = h.size(0), H = h.size(1);
  GruGates out{Array::empty(h.shape(), h.dtype()), Array::empty(Shape{B, 4 * H}, h.dtype())};
  const Array bias = Array::zeros(Shape{4 * H}, h.dtype());
  visit_floating("gru", h.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = from_x.data<T>(), *s = from_h.data<T>(), *before = h.data<T>();
    const T* none = bias.data<T>();
    T *after = out.h.mutable_data<T>(), *kept = out.kept.mutable_data<T>();
    for_rows(B, H, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        std::copy_n(x + b * 3 * H, 3 * H, kept + b * 4 * H);
        std::copy_n(before + b * H, H, after + b * H);
        T* const state = after + b * H;
        simd::rnn<T>().step(
            RnnCell::gru,
            simd::RnnStep<T>{kept + b * 4 * H, s + b * 3 * H, none, state, nullptr, state}, H);
      }
    });
  });
  return out;
}

GruGatesGrad gru_gates_grad(const Array& g, const Array& kept, const Array& h) {
  const Index B = h.size(0), H = h.size(1);
  const Shape wide{B, 3 * H};
  GruGatesGrad out{Array::empty(wide, h.dtype()), Array::empty(wide, h.dtype()),
                   Array::zeros(h.shape(), h.dtype())};
  visit_floating("gru", h.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *given = g.data<T>(), *parts = kept.data<T>(), *before = h.data<T>();
    T *gx = out.from_x.mutable_data<T>(), *gs = out.from_h.mutable_data<T>();
    T* gh = out.h.mutable_data<T>();
    for_rows(B, H, [&](Index begin, Index end) {
      Array spare = Array::zeros(Shape{8 * H}, h.dtype());
      T* const terms = spare.mutable_data<T>();  // n of x, then r, z, n of h
      for (Index b = begin; b < end; ++b) {
        simd::rnn<T>().step_grad(
            RnnCell::gru,
            simd::RnnStepGrad<T>{parts + b * 4 * H, before + b * H, nullptr, given + b * H,
                                 gh + b * H, nullptr, terms, gs + b * 3 * H, terms + 4 * H},
            H);
        std::copy_n(terms + H, 2 * H, gx + b * 3 * H);
        std::copy_n(terms, H, gx + b * 3 * H + 2 * H);
      }
    });
  });
  return out;
}

LstmGates lstm_gates(const Array& sums, const Array& c) {
  const Index B = c.size(0), H = c.size(1);
  LstmGates out{Array::empty(c.shape(), c.dtype()), Array::empty(c.shape(), c.dtype()),
                Array::empty(Shape{B, 5 * H}, c.dtype())};
  const Array nothing = Array::zeros(Shape{4 * H}, c.dtype());
  visit_floating("lstm", c.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *given = sums.data<T>(), *before = c.data<T>(), *none = nothing.data<T>();
    T *h = out.h.mutable_data<T>(), *after = out.c.mutable_data<T>();
    T* kept = out.kept.mutable_data<T>();
    for_rows(B, H, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        std::copy_n(given + b * 4 * H, 4 * H, kept + b * 5 * H);
        std::copy_n(before + b * H, H, after + b * H);
        simd::rnn<T>().step(
            RnnCell::lstm,
            simd::RnnStep<T>{kept + b * 5 * H, none, none, h + b * H, after + b * H, h + b * H}, H);
      }
    });
  });
  return out;
}

LstmGatesGrad lstm_gates_grad(const Array& g_h, const Array& g_c, const Array& kept,
                              const Array& c) {
  const Index B = c.size(0), H = c.size(1);
  LstmGatesGrad out{Array::empty(Shape{B, 4 * H}, c.dtype()),
                    g_c.defined() ? g_c.clone() : Array::zeros(c.shape(), c.dtype())};
  const Array g = g_h.defined() ? g_h : Array::zeros(c.shape(), c.dtype());
  visit_floating("lstm", c.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *given = g.data<T>(), *parts = kept.data<T>(), *before = c.data<T>();
    T *gs = out.sums.mutable_data<T>(), *gc = out.c.mutable_data<T>();
    for_rows(B, H, [&](Index begin, Index end) {
      Array spare = Array::zeros(Shape{9 * H}, c.dtype());
      T* const terms = spare.mutable_data<T>();
      T* const dh = terms + 8 * H;  // stays zero
      for (Index b = begin; b < end; ++b) {
        simd::rnn<T>().step_grad(
            RnnCell::lstm,
            simd::RnnStepGrad<T>{parts + b * 5 * H, nullptr, before + b * H, given + b * H, dh,
                                 gc + b * H, terms, gs + b * 4 * H, terms + 4 * H},
            H);
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
