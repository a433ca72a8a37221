#include "gru.h"

#include <algorithm>

#include "../parallel.h"
#include "gemm.h"
#include "gru_simd.h"
#include "packed_matrix.h"

namespace heed::kernels {
namespace {

using Block = PackedSequences::Block;

// With few rows a step costs the reading of the weights; with many there are too few blocks for all
// threads.
Index block_rows(Index batch, std::size_t directions) {
  return std::clamp<Index>(batch * static_cast<Index>(directions) / 8, 16, 64);
}

template <class T>
const T* data_or_null(const Array& array) {
  return array.defined() ? array.data<T>() : nullptr;
}

// Multiplications below which a parallel region costs more than it gains.
constexpr Index kSmallWork = 1 << 17;

// c = a b, or += with `add`, in parallel.
template <class T>
void multiply(Index m, const T* a, Index a_step, const PackedMatrix<T>& b, bool add, T* c,
              Index c_step) {
  const Index grain = std::max<Index>(64, kSmallWork / std::max<Index>(b.k() * b.n(), 1));
  parallel_for(m, grain, [&](Index begin, Index end) {
    b.multiply(end - begin, a + begin * a_step, a_step, add, c + begin * c_step, c_step);
  });
}

// What gru_step adds: b_ir + b_hr, b_iz + b_hz, b_in, b_hn.
template <class T>
std::vector<T> step_bias(const GruWeights& weights, Index H) {
  std::vector<T> bias(static_cast<std::size_t>(4 * H), T{0});
  T* const to = bias.data();
  if (weights.b_ih.defined()) std::copy_n(weights.b_ih.data<T>(), 3 * H, to);
  if (weights.b_hh.defined()) {
    const T* const b = weights.b_hh.data<T>();
    for (Index i = 0; i < 2 * H; ++i) to[i] += b[i];
    std::copy_n(b + 2 * H, H, to + 3 * H);
  }
  return bias;
}

// One direction through one block of rows, forward and backward alike.
struct Walk {
  const PackedSequences& sequences;
  const Block& block;
  Index direction, directions, H;

  const PackedSequences::Row& row(Index i) const { return sequences.row(block.first + i); }
  Index steps() const { return static_cast<Index>(block.active.size()); }
  Index active(Index s) const { return block.active[static_cast<std::size_t>(s)]; }
  // The second direction starts at each row's own last step; as many rows run at its step s.
  Index time(Index i, Index s) const { return direction == 0 ? s : row(i).length - 1 - s; }
  Index token(Index i, Index s) const { return row(i).token + time(i, s); }
  // In [B, T, D H] and in [D, B, H].
  Index output(Index i, Index t) const {
    return ((row(i).index * sequences.steps() + t) * directions + direction) * H;
  }
  Index state(Index i) const { return (direction * sequences.batch() + row(i).index) * H; }
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
  const Index tasks = static_cast<Index>(blocks.size()) * directions;
  const bool small = sequences.tokens() * directions * 3 * H * H < kSmallWork;
  parallel_for(tasks, small ? tasks : 1, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index b = task / directions;
      body(Walk{sequences, blocks[static_cast<std::size_t>(b)], task % directions, directions, H},
           b);
    }
  });
}

// The rows of one step lie far apart, which no processor foresees: asks for the next step's early.
template <class T>
void prefetch(const T* row, Index n) {
  constexpr Index kLine = 64 / static_cast<Index>(sizeof(T));
  for (Index i = 0; i < n; i += kLine) __builtin_prefetch(row + i, 1, 2);
}

template <class T>
struct Forward {
  PackedMatrix<T> w_hh;  // transposed: [H, 3H]
  std::vector<T> bias;   // of gru_step
  T* gates;              // [tokens, 4H]
};

template <class T>
void run(const Walk& walk, const Forward<T>& to, const T* h0, T* out, T* h_n) {
  const Index H = walk.H;
  Array states = Array::zeros(Shape{walk.block.rows, H}, dtype_of<T>);
  Array products = Array::empty(Shape{walk.block.rows, 3 * H}, dtype_of<T>);
  T* const h = states.mutable_data<T>();
  T* const recurrent = products.mutable_data<T>();
  for (Index i = 0; i < walk.block.rows && h0; ++i) std::copy_n(h0 + walk.state(i), H, h + i * H);
  for (Index s = 0; s < walk.steps(); ++s) {
    to.w_hh.multiply(walk.active(s), h, H, false, recurrent, 3 * H);
    for (Index i = 0; i < walk.active(s); ++i) {
      if (s + 1 < walk.row(i).length) prefetch(to.gates + walk.token(i, s + 1) * 4 * H, 4 * H);
      simd::gru_step(to.gates + walk.token(i, s) * 4 * H, recurrent + i * 3 * H, to.bias.data(),
                     h + i * H, out + walk.output(i, walk.time(i, s)), H);
    }
  }
  for (Index i = 0; i < walk.block.rows; ++i) {
    std::copy_n(h + i * H, H, h_n + walk.state(i));
    for (Index t = walk.row(i).length; t < walk.sequences.steps(); ++t) {
      std::fill_n(out + walk.output(i, t), H, T{0});
    }
  }
}

template <class T>
struct Backward {
  PackedMatrix<T> w_hh;  // [3H, H]
  const T* gates;        // [tokens, 4H]
  T* grads;              // [tokens, 4H]: gru_step_grad's d
  T* before;             // [tokens, H]: the states that the steps began with
  T* sums;               // [blocks, 4H]: of grads
};

template <class T>
void run_back(const Walk& walk, Index block, const Backward<T>& to, const T* out, const T* h0,
              const T* g_out, const T* g_h_n, T* g_h0) {
  const Index H = walk.H;
  Array states = Array::zeros(Shape{walk.block.rows + 1, H}, dtype_of<T>);
  Array products = Array::empty(Shape{walk.block.rows, 3 * H}, dtype_of<T>);
  T* const dh = states.mutable_data<T>();
  T* const recurrent = products.mutable_data<T>();
  const T* const zeros = dh + walk.block.rows * H;
  T* const sums = to.sums + block * 4 * H;
  std::fill_n(sums, 4 * H, T{0});
  for (Index i = 0; i < walk.block.rows && g_h_n; ++i) {
    std::copy_n(g_h_n + walk.state(i), H, dh + i * H);
  }
  for (Index s = walk.steps() - 1; s >= 0; --s) {
    for (Index i = 0; i < walk.active(s); ++i) {
      const Index token = walk.token(i, s);
      const T* const h = walk.before(i, s, out, h0, zeros);
      const T* const g = g_out ? g_out + walk.output(i, walk.time(i, s)) : zeros;
      std::copy_n(h, H, to.before + token * H);
      if (s > 0) {
        prefetch(to.gates + walk.token(i, s - 1) * 4 * H, 4 * H);
        prefetch(to.grads + walk.token(i, s - 1) * 4 * H, 4 * H);
      }
      simd::gru_step_grad(to.gates + token * 4 * H, h, g, dh + i * H, to.grads + token * 4 * H,
                          recurrent + i * 3 * H, sums, H);
    }
    to.w_hh.multiply(walk.active(s), recurrent, 3 * H, true, dh, H);
  }
  for (Index i = 0; i < walk.block.rows; ++i) std::copy_n(dh + i * H, H, g_h0 + walk.state(i));
}

// The gradient of one bias: of the sums over all blocks, r and z, and of n the part at `n_part`.
template <class T>
Array bias_gradient(const T* sums, Index blocks, Index H, Index n_part) {
  Array out = Array::zeros(Shape{3 * H}, dtype_of<T>);
  T* const to = out.mutable_data<T>();
  for (Index b = 0; b < blocks; ++b) {
    const T* const from = sums + b * 4 * H;
    for (Index i = 0; i < 2 * H; ++i) to[i] += from[H + i];
    for (Index i = 0; i < H; ++i) to[2 * H + i] += from[n_part * H + i];
  }
  return out;
}

// The first `rows` rows moved behind the others.
Array rotated(const Array& x, Index rows) {
  Array out = Array::empty(x.shape(), x.dtype());
  const std::size_t all = static_cast<std::size_t>(x.numel()) * size_of(x.dtype());
  const std::size_t head = static_cast<std::size_t>(rows * x.size(1)) * size_of(x.dtype());
  std::copy_n(x.raw() + head, all - head, out.mutable_raw());
  std::copy_n(x.raw(), head, out.mutable_raw() + (all - head));
  return out;
}

Array dense(const Array& array) { return array.defined() ? array.contiguous() : array; }

}  // namespace

Gru::Gru(Index batch, Index steps, const std::vector<Index>& lengths,
         std::vector<GruWeights> weights)
    : weights_(std::move(weights)),
      H_(weights_[0].w_hh.size(1)),
      sequences_(batch, steps, lengths, block_rows(batch, weights_.size())) {
  for (GruWeights& w : weights_) w = {dense(w.w_ih), dense(w.w_hh), dense(w.b_ih), dense(w.b_hh)};
}

Gru::Result Gru::forward(const Array& x, const Array& h0) const {
  const Index H = H_;
  const Index directions = static_cast<Index>(weights_.size());
  const Index tokens = sequences_.tokens();
  const Index inputs = x.size(2);
  Result result{Array::empty(Shape{x.size(0), x.size(1), directions * H}, x.dtype()),
                Array::empty(Shape{directions, x.size(0), H}, x.dtype()),
                {}};
  const Array start = dense(h0);
  const Array packed = sequences_.pack(x);
  visit_floating("gru", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<Forward<T>> parts;
    for (const GruWeights& w : weights_) {
      result.gates.push_back(Array::empty(Shape{tokens, 4 * H}, x.dtype()));
      T* const gates = result.gates.back().template mutable_data<T>();
      const PackedMatrix<T> w_ih(inputs, 3 * H, {w.w_ih.template data<T>(), inputs, true});
      multiply(tokens, packed.data<T>(), inputs, w_ih, false, gates, 4 * H);
      parts.push_back(
          {{H, 3 * H, {w.w_hh.template data<T>(), H, true}}, step_bias<T>(w, H), gates});
    }
    T* const out = result.out.mutable_data<T>();
    T* const h_n = result.h_n.mutable_data<T>();
    each_walk(sequences_, directions, H, [&](const Walk& walk, Index) {
      run(walk, parts[static_cast<std::size_t>(walk.direction)], data_or_null<T>(start), out, h_n);
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
  const Array start = dense(h0), g_outs = dense(g_out), g_ends = dense(g_h_n);
  Array g_start = Array::empty(Shape{static_cast<Index>(directions), x.size(0), H}, dtype);
  Gradients grads;
  grads.weights.resize(directions);
  visit_floating("gru", dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<Array> memory;
    const auto make = [&](Index rows, Index columns) {
      memory.push_back(Array::empty(Shape{rows, columns}, dtype));
      return memory.back().template mutable_data<T>();
    };
    std::vector<Backward<T>> parts;
    for (std::size_t d = 0; d < directions; ++d) {
      parts.push_back({{3 * H, H, {weights_[d].w_hh.template data<T>(), H}},
                       result.gates[d].template data<T>(),
                       make(tokens, 4 * H),
                       make(tokens, H),
                       make(blocks, 4 * H)});
    }
    T* const g_h0 = g_start.mutable_data<T>();
    each_walk(sequences_, static_cast<Index>(directions), H, [&](const Walk& walk, Index block) {
      run_back(walk, block, parts[static_cast<std::size_t>(walk.direction)], result.out.data<T>(),
               data_or_null<T>(start), data_or_null<T>(g_outs), data_or_null<T>(g_ends), g_h0);
    });

    // Of a row of grads, the first three parts (n, r, z) belong to W_ih x, the last three (r, z, m)
    // to W_hh h: one product each, with the thirds of w_ih turned round.
    const Array packed = sequences_.pack(x);
    Array g_packed;
    for (std::size_t d = 0; d < directions; ++d) {
      const T* const g = parts[d].grads;
      GruWeights& to = grads.weights[d];
      if (needs.weights[d][0]) {
        Array turned = Array::empty(Shape{3 * H, inputs}, dtype);
        gemm(3 * H, inputs, tokens, T{1}, {g, 4 * H, true}, {packed.data<T>(), inputs}, T{0},
             turned.mutable_data<T>(), inputs);
        to.w_ih = rotated(turned, H);
      }
      if (needs.weights[d][1]) {
        to.w_hh = Array::empty(Shape{3 * H, H}, dtype);
        gemm(3 * H, H, tokens, T{1}, {g + H, 4 * H, true}, {parts[d].before, H}, T{0},
             to.w_hh.template mutable_data<T>(), H);
      }
      if (needs.weights[d][2]) to.b_ih = bias_gradient(parts[d].sums, blocks, H, 0);
      if (needs.weights[d][3]) to.b_hh = bias_gradient(parts[d].sums, blocks, H, 3);
      if (needs.x) {
        const Array turned = rotated(weights_[d].w_ih, 2 * H);
        const PackedMatrix<T> w_ih(3 * H, inputs, {turned.data<T>(), inputs});
        if (d == 0) g_packed = Array::empty(Shape{tokens, inputs}, dtype);
        multiply(tokens, g, 4 * H, w_ih, d > 0, g_packed.mutable_data<T>(), inputs);
      }
    }
    if (needs.x) grads.x = sequences_.unpack(g_packed);
  });
  if (needs.h0) grads.h0 = g_start;
  return grads;
}

}  // namespace heed::kernels
