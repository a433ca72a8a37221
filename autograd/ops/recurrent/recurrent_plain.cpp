#include "recurrent_plain.h"

#include <algorithm>
#include <numeric>

#include "../index/index.h"
#include "../shape/shape.h"
#include "../shape/slicing.h"

namespace heed::detail {
namespace {

LstmState one_step(RnnCell cell, const Tensor& x, const LstmState& state, const RnnWeights& w) {
  switch (cell) {
    case RnnCell::tanh: return {rnn_cell(x, state.h, w), {}};
    case RnnCell::relu: return {rnn_cell(x, state.h, w, Nonlinearity::relu), {}};
    case RnnCell::gru: return {gru_cell_plain(x, state.h, w), {}};
    case RnnCell::lstm: break;
  }
  return lstm_cell_plain(x, state, w);
}

// A walk along sequences, the longest first, so that the rows still running at a step are the
// first.
struct Walk {
  explicit Walk(const std::vector<Index>& ends) : offsets(ends), rows(ends.size() - 1) {
    std::iota(rows.begin(), rows.end(), Index{0});
    std::stable_sort(rows.begin(), rows.end(),
                     [this](Index a, Index b) { return length(a) > length(b); });
  }
  Index length(Index row) const { return end(row) - offsets[static_cast<std::size_t>(row)]; }
  Index end(Index row) const { return offsets[static_cast<std::size_t>(row) + 1]; }
  // The tokens of step s, one for each row that has it; backward from each row's own last one.
  std::vector<Index> tokens(Index s, bool backward) const {
    std::vector<Index> out;
    for (const Index row : rows) {
      if (length(row) <= s) break;
      out.push_back(backward ? end(row) - 1 - s : end(row) - length(row) + s);
    }
    return out;
  }

  const std::vector<Index>& offsets;
  std::vector<Index> rows;
};

// x with row i moved to order[i], and back.
Tensor moved(const Tensor& x, const std::vector<Index>& order) {
  std::vector<Index> from(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    from[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }
  return index_select(x, 0, Tensor(Array::from(from)));
}
Tensor moved_back(const Tensor& x, const std::vector<Index>& order) {
  return index_select(x, 0, Tensor(Array::from(order)));
}

// One direction: the states after each token [N, H] and after each row's last step [B, H].
struct Direction {
  Tensor output;
  LstmState last;
};

Direction run(RnnCell cell, const Tensor& x, LstmState state, const RnnWeights& weights,
              const Walk& walk, bool backward) {
  const Tensor none = narrow(state.h, 0, 0, 0);
  std::vector<Tensor> outputs = {none}, h_ends = {none}, c_ends = {none};
  std::vector<Index> all;  // tokens, as they come
  for (Index s = 0;; ++s) {
    const std::vector<Index> tokens = walk.tokens(s, backward);
    const auto active = static_cast<Index>(tokens.size());
    const auto end_others = [&](Tensor& states, std::vector<Tensor>& ends) {
      if (!states.defined() || states.size(0) == active) return;
      ends.push_back(narrow(states, 0, active, states.size(0) - active));
      states = narrow(states, 0, 0, active);
    };
    end_others(state.h, h_ends);
    end_others(state.c, c_ends);
    if (active == 0) break;
    state = one_step(cell, index_select(x, 0, Tensor(Array::from(tokens))), state, weights);
    outputs.push_back(state.h);
    all.insert(all.end(), tokens.begin(), tokens.end());
  }
  const auto in_order = [&](std::vector<Tensor>& ends) {  // the shortest rows ended first
    std::reverse(ends.begin(), ends.end());
    return moved(concat(ends, 0), walk.rows);
  };
  return {moved(concat(outputs, 0), all),
          {in_order(h_ends), state.c.defined() ? in_order(c_ends) : Tensor()}};
}

}  // namespace

std::vector<Tensor> recurrent_plain(RnnCell cell, const Tensor& x, const RnnStart& start,
                                    const std::vector<RnnWeights>& directions,
                                    const Sequences& sequences) {
  check_recurrent(cell, x, start, directions, sequences);
  if (sequences.offsets.empty()) {
    const auto& [tokens, offsets] = pack(x, sequences.lengths);
    std::vector<Tensor> results =
        recurrent_plain(cell, tokens, start, directions, {.offsets = offsets});
    results[0] = unpack({results[0], offsets}, x.size(1));
    return results;
  }
  const Walk walk(sequences.offsets);
  std::vector<Tensor> outputs, h_n, c_n;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const auto first = [&](const Tensor& states) {
      return states.defined()
                 ? moved_back(select(states, 0, static_cast<Index>(d)), walk.rows)
                 : zeros(Shape{sequences.batch(x), directions[0].w_hh.size(1)}, x.dtype());
    };
    const bool has_c = cell == RnnCell::lstm;
    const Direction way = run(cell, x, {first(start.h), has_c ? first(start.c) : Tensor()},
                              directions[d], walk, d == 1);
    outputs.push_back(way.output);
    h_n.push_back(way.last.h);
    c_n.push_back(way.last.c);
  }
  std::vector<Tensor> results = {concat(outputs, 1), stack(h_n, 0)};
  if (cell == RnnCell::lstm) results.push_back(stack(c_n, 0));
  return results;
}

}  // namespace heed::detail
