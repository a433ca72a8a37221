#include "gru.h"

#include <algorithm>

#include "../parallel.h"
#include "elementwise_simd.h"
#include "gemm.h"
#include "gru_simd.h"
#include "packed_matrix.h"

namespace heed::kernels {
namespace {

using Block = PackedSequences::Block;

// Few rows leave much of a processor idle at each step, many leave no second block for another thread.
Index block_rows(Index batch, std::size_t directions) {
  return std::clamp<Index>(batch * static_cast<Index>(directions) / 8, 16, 64);
}

template <class T>
const T* data_or_null(const Array& array) {
  return array.defined() ? array.data<T>() : nullptr;
}

// c [m, b.columns()] = a b or += with `add`, in parallel.
template <class T>
void multiply(Index m, const T* a, Index a_step, const PackedMatrix<T>& b, bool add, T* c,
              Index c_step) {
  parallel_for(m, 64, [&](Index begin, Index end) {
    b.multiply(end - begin, a + begin * a_step, a_step, add, c + begin * c_step, c_step);
  });
}

// What gru_step adds: b_ir + b_hr, b_iz + b_hz, b_in, b_hn.
template <class T>
std::vector<T> step_bias(const GruWeights& weights, Index H) {
  std::vector<T> bias(static_cast<std::size_t>(4 * H), T{0});
  T* const to = bias.data();
  if (weights.b_ih.defined()) {
    const Array from = weights.b_ih.contiguous();
    std::copy_n(from.data<T>(), 3 * H, to);
  }
  if (weights.b_hh.defined()) {
    const Array from = weights.b_hh.contiguous();
    const T* const b = from.data<T>();
    for (Index i = 0; i < 2 * H; ++i) to[i] += b[i];
    std::copy_n(b + 2 * H, H, to + 3 * H);
  }
  return bias;
}

// Where the rows of one block in one direction are: the same in the forward and the backward pass.
struct Walk {
  const PackedSequences& sequences;
  const Block& block;
  Index direction, directions, H;

  Index row(Index i) const { return sequences.row(block.first + i); }
  Index length(Index i) const { return sequences.length(block.first + i); }
  // The second direction starts at each row's own last step; as many rows run at its step s.
  Index time(Index i, Index s) const { return direction == 0 ? s : length(i) - 1 - s; }
  Index token(Index i, Index s) const { return block.token(i, time(i, s)); }
  // In [B, T, D H] and in [D, B, H].
  Index output(Index i, Index t) const {
    return ((row(i) * sequences.steps() + t) * directions + direction) * H;
  }
  Index state(Index i) const { return (direction * sequences.batch() + row(i)) * H; }
  // Where the state before step s is kept, in out or in h0.
  template <class T>
  const T* before(Index i, Index s, const T* out, const T* h0, const T* zeros) const {
    if (s > 0) return out + output(i, time(i, s - 1));
    return h0 ? h0 + state(i) : zeros;
  }
};

// Calls body(walk, index of the block) for every block and direction, in parallel.
template <class Body>
void each_walk(const PackedSequences& sequences, Index directions, Index H, const Body& body) {
  const auto& blocks = sequences.blocks();
  parallel_for(static_cast<Index>(blocks.size()) * directions, 1, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index b = task / directions;
      body(Walk{sequences, blocks[static_cast<std::size_t>(b)], task % directions, directions, H}, b);
    }
  });
}

template <class T>
struct Forward {
  T* gates;
  Index gates_step;
  const T* bias;
  const PackedMatrix<T>* w_hh;  // transposed: [H, 3H]
};

template <class T>
void run_forward(const Walk& walk, const Forward<T>& to, const T* h0, T* out, T* h_n) {
  const Index H = walk.H;
  const Index rows = walk.block.rows;
  const Index width = to.w_hh->columns();
  Array states = Array::zeros(Shape{rows, H}, dtype_of<T>);
  Array products = Array::empty(Shape{rows, width}, dtype_of<T>);
  T* const h = states.mutable_data<T>();
  T* const recurrent = products.mutable_data<T>();
  for (Index i = 0; i < rows && h0; ++i) std::copy_n(h0 + walk.state(i), H, h + i * H);
  for (Index s = 0; s < walk.block.steps(); ++s) {
    const Index active = walk.block.active(s);
    to.w_hh->multiply(active, h, H, false, recurrent, width);
    for (Index i = 0; i < active; ++i) {
      simd::gru_step(to.gates + walk.token(i, s) * to.gates_step, recurrent + i * width, to.bias,
                     h + i * H, out + walk.output(i, walk.time(i, s)), H);
    }
  }
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(h + i * H, H, h_n + walk.state(i));
    for (Index t = walk.length(i); t < walk.sequences.steps(); ++t) {
      std::fill_n(out + walk.output(i, t), H, T{0});
    }
  }
}

template <class T>
struct Backward {
  const T* gates;
  Index gates_step;
  const PackedMatrix<T>* w_hh;  // [3H, H]
  T* grads;                     // [tokens, 4H], as gru_step_grad's d
  T* before;                    // [tokens, H]: the states that the steps began with
  T* sums;                      // [blocks, 4H]: of grads
};

template <class T>
void run_backward(const Walk& walk, Index block, const Backward<T>& to, const T* out, const T* h0,
                  const T* g_out, const T* g_h_n, T* g_h0) {
  const Index H = walk.H;
  const Index rows = walk.block.rows;
  const Index width = to.w_hh->columns();
  Array states = Array::zeros(Shape{rows, width}, dtype_of<T>);
  Array products = Array::empty(Shape{rows, 3 * H}, dtype_of<T>);
  const Array none = Array::zeros(Shape{H}, dtype_of<T>);
  T* const dh = states.mutable_data<T>();
  T* const recurrent = products.mutable_data<T>();
  const T* const zeros = none.data<T>();
  T* const sums = to.sums + block * 4 * H;
  std::fill_n(sums, 4 * H, T{0});
  for (Index i = 0; i < rows && g_h_n; ++i) std::copy_n(g_h_n + walk.state(i), H, dh + i * width);
  for (Index s = walk.block.steps() - 1; s >= 0; --s) {
    const Index active = walk.block.active(s);
    for (Index i = 0; i < active; ++i) {
      const Index token = walk.token(i, s);
      const T* const h = walk.before(i, s, out, h0, zeros);
      std::copy_n(h, H, to.before + token * H);
      simd::gru_step_grad(to.gates + token * to.gates_step, h,
                          g_out ? g_out + walk.output(i, walk.time(i, s)) : zeros, dh + i * width,
                          to.grads + token * 4 * H, recurrent + i * 3 * H, sums, H);
    }
    to.w_hh->multiply(active, recurrent, 3 * H, true, dh, width);
  }
  for (Index i = 0; i < rows; ++i) std::copy_n(dh + i * width, H, g_h0 + walk.state(i));
}

// The gradient of one bias: the parts of the sums over all blocks that belong to r, z and n.
template <class T>
Array bias_gradient(const T* sums, Index blocks, Index H, Index n_part) {
  Array out = Array::zeros(Shape{3 * H}, dtype_of<T>);
  T* const to = out.mutable_data<T>();
  for (Index b = 0; b < blocks; ++b) {
    const T* const from = sums + b * 4 * H;
    for (Index i = 0; i < 2 * H; ++i) to[i] += from[i];
    for (Index i = 0; i < H; ++i) to[2 * H + i] += from[n_part * H + i];
  }
  return out;
}

}  // namespace

Gru::Gru(Index batch, Index steps, const std::vector<Index>& lengths, std::vector<GruWeights> weights)
    : weights_(std::move(weights)),
      H_(weights_[0].w_hh.size(1)),
      sequences_(batch, steps, lengths, block_rows(batch, weights_.size())) {
  for (GruWeights& w : weights_) {
    w.w_ih = w.w_ih.contiguous();
    w.w_hh = w.w_hh.contiguous();
  }
}

Gru::Result Gru::forward(const Array& x, const Array& h0) const {
  const Index H = H_;
  const Index directions = static_cast<Index>(weights_.size());
  const Index tokens = sequences_.tokens();
  const Index inputs = x.size(2);
  const DType dtype = x.dtype();
  Result result{Array::empty(Shape{x.size(0), x.size(1), directions * H}, dtype),
                Array::empty(Shape{directions, x.size(0), H}, dtype),
                {}};
  const Array start = h0.defined() ? h0.contiguous() : h0;
  const Array packed = sequences_.pack(x);
  visit_floating("gru", dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<std::vector<T>> biases;
    std::vector<PackedMatrix<T>> recurrent;
    std::vector<Forward<T>> parts;
    for (const GruWeights& w : weights_) {
      const PackedMatrix<T> w_ih(inputs, 3 * H, {w.w_ih.template data<T>(), inputs, true});
      const Index step = std::max(4 * H, w_ih.columns());
      result.gates.push_back(Array::empty(Shape{tokens, step}, dtype));
      T* const gates = result.gates.back().template mutable_data<T>();
      multiply(tokens, packed.data<T>(), inputs, w_ih, false, gates, step);
      biases.push_back(step_bias<T>(w, H));
      recurrent.emplace_back(H, 3 * H, Matrix<const T>{w.w_hh.template data<T>(), H, true});
      parts.push_back({gates, step, biases.back().data(), nullptr});
    }
    for (std::size_t d = 0; d < parts.size(); ++d) parts[d].w_hh = &recurrent[d];
    each_walk(sequences_, directions, H, [&](const Walk& walk, Index) {
      run_forward(walk, parts[static_cast<std::size_t>(walk.direction)], data_or_null<T>(start),
                  result.out.mutable_data<T>(), result.h_n.mutable_data<T>());
    });
  });
  return result;
}

Gru::Gradients Gru::backward(const Array& x, const Array& h0, const Result& result,
                             const Array& g_out, const Array& g_h_n, const Needs& needs) const {
  const Index H = H_;
  const std::size_t directions = weights_.size();
  const Index tokens = sequences_.tokens();
  const Index blocks = static_cast<Index>(sequences_.blocks().size());
  const Index inputs = x.size(2);
  const DType dtype = x.dtype();
  const auto dense = [](const Array& array) { return array.defined() ? array.contiguous() : array; };
  const Array start = dense(h0);
  const Array g_outs = dense(g_out);
  const Array g_ends = dense(g_h_n);
  Gradients grads;
  grads.weights.resize(directions);
  Array g_h0 = Array::empty(Shape{static_cast<Index>(directions), x.size(0), H}, dtype);
  visit_floating("gru", dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<Array> memory;
    const auto block_of = [&](Index rows, Index columns) {
      memory.push_back(Array::empty(Shape{rows, columns}, dtype));
      return memory.back().template mutable_data<T>();
    };
    std::vector<PackedMatrix<T>> recurrent;
    std::vector<Backward<T>> parts;
    for (std::size_t d = 0; d < directions; ++d) {
      recurrent.emplace_back(3 * H, H, Matrix<const T>{weights_[d].w_hh.template data<T>(), H});
      parts.push_back({result.gates[d].template data<T>(), result.gates[d].size(1), nullptr,
                       block_of(tokens, 4 * H), block_of(tokens, H), block_of(blocks, 4 * H)});
    }
    for (std::size_t d = 0; d < directions; ++d) parts[d].w_hh = &recurrent[d];
    each_walk(sequences_, static_cast<Index>(directions), H, [&](const Walk& walk, Index block) {
      run_backward(walk, block, parts[static_cast<std::size_t>(walk.direction)],
                   result.out.data<T>(), data_or_null<T>(start), data_or_null<T>(g_outs),
                   data_or_null<T>(g_ends), g_h0.mutable_data<T>());
    });

    // Of a row of 4H, the first 3H belong to the recurrent sums; those of r, z and the last H to the input's.
    const Array packed = sequences_.pack(x);
    Array g_packed;
    for (std::size_t d = 0; d < directions; ++d) {
      const T* const g = parts[d].grads;
      const T* const g_n = g + 3 * H;
      GruWeights& to = grads.weights[d];
      if (needs.weights[d][0]) {
        to.w_ih = Array::empty(Shape{3 * H, inputs}, dtype);
        T* const c = to.w_ih.template mutable_data<T>();
        const Matrix<const T> b{packed.data<T>(), inputs};
        gemm(2 * H, inputs, tokens, T{1}, {g, 4 * H, true}, b, T{0}, c, inputs);
        gemm(H, inputs, tokens, T{1}, {g_n, 4 * H, true}, b, T{0}, c + 2 * H * inputs, inputs);
      }
      if (needs.weights[d][1]) {
        to.w_hh = Array::empty(Shape{3 * H, H}, dtype);
        gemm(3 * H, H, tokens, T{1}, {g, 4 * H, true}, {parts[d].before, H}, T{0},
             to.w_hh.template mutable_data<T>(), H);
      }
      if (needs.weights[d][2]) to.b_ih = bias_gradient(parts[d].sums, blocks, H, 3);
      if (needs.weights[d][3]) to.b_hh = bias_gradient(parts[d].sums, blocks, H, 2);
      if (needs.x) {
        const T* const w = weights_[d].w_ih.template data<T>();
        const PackedMatrix<T> both(2 * H, inputs, {w, inputs});
        const PackedMatrix<T> last(H, inputs, {w + 2 * H * inputs, inputs});
        const Index step = both.columns();
        if (!g_packed.defined()) g_packed = Array::empty(Shape{tokens, step}, dtype);
        T* const c = g_packed.mutable_data<T>();
        multiply(tokens, g, 4 * H, both, d > 0, c, step);
        multiply(tokens, g_n, 4 * H, last, true, c, step);
      }
    }
    if (needs.x) grads.x = sequences_.unpack(g_packed, inputs);
  });
  if (needs.h0) grads.h0 = g_h0;
  return grads;
}

}  // namespace heed::kernels
