#include "rnn.h"

#include <algorithm>

#include "../../parallel.h"
#include "../gemm/gemm.h"
#include "../gemm/packed_matrix.h"
#include "rnn_simd.h"

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

// The bias of each term: b_ih + b_hh of the summed gates, then b_ih, then b_hh of the others.
template <class T>
std::vector<T> step_bias(const RnnWeights& weights, const RnnParts& parts, Index H) {
  std::vector<T> bias(static_cast<std::size_t>(parts.terms() * H), T{0});
  T* const to = bias.data();
  if (weights.b_ih.defined()) std::copy_n(weights.b_ih.data<T>(), parts.gates * H, to);
  if (weights.b_hh.defined()) {
    const T* const b = weights.b_hh.data<T>();
    const Index summed = parts.summed * H;
    for (Index i = 0; i < summed; ++i) to[i] += b[i];
    std::copy_n(b + summed, parts.gates * H - summed, to + parts.gates * H);
  }
  return bias;
}

// One direction through one block of rows, forward and backward alike.
struct Walk {
  const PackedSequences& sequences;
  const Block& block;
  Index direction, directions, H;

  const PackedSequences::Row& row(Index i) const { return sequences.row(block.first + i); }
  Index steps() const { return row(0).length; }
  Index active(Index s) const { return sequences.active(block, s); }
  // The second direction starts at each row's own last step; as many rows run at its step s.
  Index time(Index i, Index s) const { return direction == 0 ? s : row(i).length - 1 - s; }
  Index token(Index i, Index s) const { return row(i).token + time(i, s); }
  // In [B, T, D H] or [tokens, D H], and in [D, B, H].
  Index output(Index i, Index t) const { return ((row(i).place + t) * directions + direction) * H; }
  Index state(Index i) const { return (direction * sequences.batch() + row(i).index) * H; }

  // The block's states [rows, H] from and to [D, B, H]; zeros where `from` is null.
  template <class T>
  Array gather(const T* from) const {
    Array states = Array::zeros(Shape{block.rows, H}, dtype_of<T>);
    T* const to = states.mutable_data<T>();
    for (Index i = 0; i < block.rows && from; ++i) std::copy_n(from + state(i), H, to + i * H);
    return states;
  }
  template <class T>
  void scatter(const Array& states, T* to) const {
    const T* const from = states.data<T>();
    for (Index i = 0; i < block.rows; ++i) std::copy_n(from + i * H, H, to + state(i));
  }
};

// Calls body(walk, index of the block) for every block and direction, in parallel.
template <class Body>
void each_walk(const PackedSequences& sequences, Index directions, Index gates, Index H,
               const Body& body) {
  const auto& blocks = sequences.blocks();
  const Index tasks = static_cast<Index>(blocks.size()) * directions;
  const bool small = sequences.tokens() * directions * gates * H * H < kSmallWork;
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
  PackedMatrix<T> w_hh;  // transposed: [H, gates H]
  std::vector<T> bias;   // of rnn_step
  T* kept;               // [tokens, kept H]
};

// Both states of a layer, [D, B, H]; c is null unless it is an LSTM.
template <class T>
struct States {
  T *h, *c;
};

template <class T>
void run(RnnCell cell, const Walk& walk, const Forward<T>& to, const States<const T>& start, T* out,
         const States<T>& last) {
  const Index H = walk.H;
  const Index gates = parts_of(cell).gates * H, kept = parts_of(cell).kept * H;
  Array h_rows = walk.gather(start.h), c_rows = walk.gather(start.c);
  Array products = Array::empty(Shape{walk.block.rows, gates}, dtype_of<T>);
  T* const h = h_rows.mutable_data<T>();
  T* const c = c_rows.mutable_data<T>();
  T* const recurrent = products.mutable_data<T>();
  for (Index s = 0; s < walk.steps(); ++s) {
    const Index active = walk.active(s);
    to.w_hh.multiply(active, h, H, false, recurrent, gates);
    for (Index i = 0; i < active; ++i) {
      if (s + 1 < walk.row(i).length) prefetch(to.kept + walk.token(i, s + 1) * kept, kept);
      const simd::RnnStep<T> step{.kept = to.kept + walk.token(i, s) * kept,
                                  .recurrent = recurrent + i * gates,
                                  .bias = to.bias.data(),
                                  .h = h + i * H,
                                  .c = c + i * H,
                                  .out = out + walk.output(i, walk.time(i, s))};
      simd::rnn<T>().step(cell, step, H);
    }
  }
  walk.scatter(h_rows, last.h);
  if (last.c) walk.scatter(c_rows, last.c);
  for (Index i = 0; i < walk.block.rows; ++i) {
    const auto& [index, length, token, place, padding] = walk.row(i);
    for (Index t = length; t < length + padding; ++t) {
      std::fill_n(out + walk.output(i, t), H, T{0});
    }
  }
}

template <class T>
struct Backward {
  PackedMatrix<T> w_hh;  // [gates H, H]
  const T* kept;         // [tokens, kept H]
  T* grads;              // [tokens, terms H]: rnn_step_grad's d
  T* before;             // [tokens, H]: the states h that the steps began with
  double* sums;          // [blocks, terms H]: of grads
};

template <class T>
void run_back(RnnCell cell, const Walk& walk, Index block, const Backward<T>& to, const T* out,
              const States<const T>& start, const T* g_out, const States<const T>& g_last,
              const States<T>& g_start) {
  const Index H = walk.H;
  const RnnParts parts = parts_of(cell);
  const Index gates = parts.gates * H, kept = parts.kept * H, terms = parts.terms() * H;
  Array dh_rows = walk.gather(g_last.h), dc_rows = walk.gather(g_last.c);
  Array products = Array::empty(Shape{walk.block.rows, gates}, dtype_of<T>);
  const Array nothing = Array::zeros(Shape{H}, dtype_of<T>);
  T* const dh = dh_rows.mutable_data<T>();
  T* const dc = dc_rows.mutable_data<T>();
  T* const recurrent = products.mutable_data<T>();
  const T* const zeros = nothing.data<T>();
  double* const sums = to.sums + block * terms;
  std::fill_n(sums, terms, 0.0);
  constexpr Index kFew = 32;  // rows that are added as they are; what comes of them in doubles
  Array few_rows = Array::zeros(Shape{terms}, dtype_of<T>);
  T* const few = few_rows.mutable_data<T>();
  Index added = 0;
  const auto move = [&] {
    for (Index i = 0; i < terms; ++i) sums[i] += static_cast<double>(few[i]);
    std::fill_n(few, terms, T{0});
    added = 0;
  };
  const auto first = [&](const T* states, Index i) {
    return states ? states + walk.state(i) : zeros;
  };
  for (Index s = walk.steps() - 1; s >= 0; --s) {
    const Index active = walk.active(s);
    for (Index i = 0; i < active; ++i) {
      const Index token = walk.token(i, s);
      const T* h = first(start.h, i);
      const T* c = first(start.c, i);
      if (s > 0) {
        const Index earlier = walk.token(i, s - 1);
        h = out + walk.output(i, walk.time(i, s - 1));
        c = to.kept + (earlier + 1) * kept - H;  // the last part; an LSTM's c'
        prefetch(to.kept + earlier * kept, kept);
        prefetch(to.grads + earlier * terms, terms);
      }
      std::copy_n(h, H, to.before + token * H);
      const simd::RnnStepGrad<T> step{.kept = to.kept + token * kept,
                                      .h = h,
                                      .c = c,
                                      .g = g_out ? g_out + walk.output(i, walk.time(i, s)) : zeros,
                                      .dh = dh + i * H,
                                      .dc = dc + i * H,
                                      .d = to.grads + token * terms,
                                      .recurrent = recurrent + i * gates,
                                      .sums = few};
      simd::rnn<T>().step_grad(cell, step, H);
      if (++added == kFew) move();
    }
    to.w_hh.multiply(active, recurrent, gates, true, dh, H);
  }
  move();
  walk.scatter(dh_rows, g_start.h);
  if (g_start.c) walk.scatter(dc_rows, g_start.c);
}

// The first `rows` rows moved behind the others.
Array rotated(const Array& x, Index rows) {
  if (rows == 0 || rows == x.size(0)) return x;
  Array out = Array::empty(x.shape(), x.dtype());
  const std::size_t all = static_cast<std::size_t>(x.numel()) * size_of(x.dtype());
  const std::size_t head =
      static_cast<std::size_t>(x.numel() / x.size(0) * rows) * size_of(x.dtype());
  std::copy_n(x.raw() + head, all - head, out.mutable_raw());
  std::copy_n(x.raw(), head, out.mutable_raw() + (all - head));
  return out;
}

// Over all blocks, of `count` terms from `first`.
Array sum_of(const double* sums, Index blocks, Index step, Index first, Index count, DType dtype) {
  Array out = Array::zeros(Shape{count}, DType::f64);
  double* const to = out.mutable_data<double>();
  for (Index b = 0; b < blocks; ++b) {
    for (Index i = 0; i < count; ++i) to[i] += sums[b * step + first + i];
  }
  return out.to(dtype);
}

Array dense(const Array& array) { return array.defined() ? array.contiguous() : array; }
RnnStates dense(const RnnStates& states) { return {dense(states.h), dense(states.c)}; }

template <class T>
States<const T> read(const RnnStates& states) {
  return {data_or_null<T>(states.h), data_or_null<T>(states.c)};
}
template <class T>
States<T> write(RnnStates& states) {
  return {states.h.mutable_data<T>(), states.c.defined() ? states.c.mutable_data<T>() : nullptr};
}

RnnStates empty_states(RnnCell cell, const Shape& shape, DType dtype) {
  return {Array::empty(shape, dtype), cell == RnnCell::lstm ? Array::empty(shape, dtype) : Array()};
}

}  // namespace

Rnn::Rnn(RnnCell cell, PackedSequences sequences, std::vector<RnnWeights> weights)
    : cell_(cell),
      weights_(std::move(weights)),
      H_(weights_[0].w_hh.size(1)),
      sequences_(std::move(sequences)) {
  for (RnnWeights& w : weights_) w = {dense(w.w_ih), dense(w.w_hh), dense(w.b_ih), dense(w.b_hh)};
}

Rnn::Rnn(RnnCell cell, Index batch, Index steps, const std::vector<Index>& lengths,
         const std::vector<RnnWeights>& weights)
    : Rnn(cell, {batch, steps, lengths, block_rows(batch, weights.size())}, weights) {}

Rnn::Rnn(RnnCell cell, const std::vector<Index>& offsets, const std::vector<RnnWeights>& weights)
    : Rnn(cell, {offsets, block_rows(static_cast<Index>(offsets.size()) - 1, weights.size())},
          weights) {}

Rnn::Result Rnn::forward(const Array& x, const RnnStates& start) const {
  const Index H = H_;
  const RnnParts parts = parts_of(cell_);
  const Index gates = parts.gates * H, kept = parts.kept * H;
  const Index directions = static_cast<Index>(weights_.size());
  const Index tokens = sequences_.tokens();
  const Index inputs = x.size(-1);
  Result result{Array::empty(sequences_.shape(directions * H), x.dtype()),
                empty_states(cell_, Shape{directions, sequences_.batch(), H}, x.dtype()),
                {}};
  const RnnStates first = dense(start);
  const Array packed = sequences_.pack(x);
  visit_floating("rnn", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<Forward<T>> ways;
    for (const RnnWeights& w : weights_) {
      result.kept.push_back(Array::empty(Shape{tokens, kept}, x.dtype()));
      T* const to = result.kept.back().template mutable_data<T>();
      const PackedMatrix<T> w_ih(inputs, gates, {w.w_ih.template data<T>(), inputs, true});
      multiply(tokens, packed.data<T>(), inputs, w_ih, false, to, kept);
      ways.push_back(
          {{H, gates, {w.w_hh.template data<T>(), H, true}}, step_bias<T>(w, parts, H), to});
    }
    T* const out = result.out.mutable_data<T>();
    const States<T> last = write<T>(result.last);
    each_walk(sequences_, directions, parts.gates, H, [&](const Walk& walk, Index) {
      run(cell_, walk, ways[static_cast<std::size_t>(walk.direction)], read<T>(first), out, last);
    });
  });
  return result;
}

Rnn::Gradients Rnn::backward(const Array& x, const RnnStates& start, const Result& result,
                             const Array& g_out, const RnnStates& g_last,
                             const Needs& needs) const {
  const Index H = H_;
  const RnnParts parts = parts_of(cell_);
  const Index gates = parts.gates * H, terms = parts.terms() * H;
  const std::size_t directions = weights_.size();
  const Index tokens = sequences_.tokens();
  const Index blocks = static_cast<Index>(sequences_.blocks().size());
  const Index inputs = x.size(-1);
  const DType dtype = x.dtype();
  const RnnStates first = dense(start), g_ends = dense(g_last);
  const Array g_outs = dense(g_out);
  RnnStates g_start =
      empty_states(cell_, Shape{static_cast<Index>(directions), sequences_.batch(), H}, dtype);
  Gradients grads;
  grads.weights.resize(directions);
  visit_floating("rnn", dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<Array> memory;
    const auto make = [&]<class S>(S, Index rows, Index columns) {
      memory.push_back(Array::empty(Shape{rows, columns}, dtype_of<S>));
      return memory.back().template mutable_data<S>();
    };
    std::vector<Backward<T>> ways;
    for (std::size_t d = 0; d < directions; ++d) {
      ways.push_back({{gates, H, {weights_[d].w_hh.template data<T>(), H}},
                      result.kept[d].template data<T>(),
                      make(zero, tokens, terms),
                      make(zero, tokens, H),
                      make(0.0, blocks, terms)});
    }
    const States<T> g_firsts = write<T>(g_start);
    each_walk(sequences_, static_cast<Index>(directions), parts.gates, H,
              [&](const Walk& walk, Index block) {
                run_back(cell_, walk, block, ways[static_cast<std::size_t>(walk.direction)],
                         result.out.data<T>(), read<T>(first), data_or_null<T>(g_outs),
                         read<T>(g_ends), g_firsts);
              });

    // Of a row of grads, the first `gates` terms belong to W_ih x, the last ones to W_hh h: one
    // product each. The first come with x's own in front, and are turned into the gates' order.
    const Index own = terms - gates;
    const Array packed = sequences_.pack(x);
    Array g_packed;
    for (std::size_t d = 0; d < directions; ++d) {
      const T* const g = ways[d].grads;
      RnnWeights& to = grads.weights[d];
      if (needs.weights[d][0]) {
        Array turned = Array::empty(Shape{gates, inputs}, dtype);
        gemm(gates, inputs, tokens, {g, terms, true}, {packed.data<T>(), inputs}, false,
             turned.mutable_data<T>(), inputs);
        to.w_ih = rotated(turned, own);
      }
      if (needs.weights[d][1]) {
        to.w_hh = Array::empty(Shape{gates, H}, dtype);
        gemm(gates, H, tokens, {g + own, terms, true}, {ways[d].before, H}, false,
             to.w_hh.template mutable_data<T>(), H);
      }
      const double* const sums = ways[d].sums;
      if (needs.weights[d][2]) to.b_ih = rotated(sum_of(sums, blocks, terms, 0, gates, dtype), own);
      if (needs.weights[d][3]) to.b_hh = sum_of(sums, blocks, terms, own, gates, dtype);
      if (needs.x) {
        const Array turned = rotated(weights_[d].w_ih, gates - own);
        const PackedMatrix<T> w_ih(gates, inputs, {turned.data<T>(), inputs});
        if (d == 0) g_packed = Array::empty(Shape{tokens, inputs}, dtype);
        multiply(tokens, g, terms, w_ih, d > 0, g_packed.mutable_data<T>(), inputs);
      }
    }
    if (needs.x) grads.x = sequences_.unpack(g_packed);
  });
  if (needs.h0) grads.start.h = g_start.h;
  if (needs.c0) grads.start.c = g_start.c;
  return grads;
}

}  // namespace heed::kernels
