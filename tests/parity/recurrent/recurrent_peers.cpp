#include "../../../autograd/ops/recurrent/cells.h"
#include "../../../autograd/ops/recurrent/gru.h"
#include "../../../autograd/ops/recurrent/lstm.h"
#include "../../../autograd/ops/recurrent/rnn.h"
#include "../parity.h"

namespace heed::parity {
namespace {

constexpr Index kBatch = 2, kLength = 5, kInput = 3, kHidden = 4;

// x, the states, then w_ih, w_hh, b_ih, b_hh of each direction.
std::vector<std::vector<Index>> shapes(Index gates, Index states, Index directions) {
  std::vector<std::vector<Index>> out = {{kBatch, kLength, kInput}};
  for (Index i = 0; i < states; ++i) out.push_back({directions, kBatch, kHidden});
  for (Index i = 0; i < directions; ++i) {
    const Index rows = gates * kHidden;
    out.insert(out.end(), {{rows, kInput}, {rows, kHidden}, {rows}, {rows}});
  }
  return out;
}
std::vector<std::vector<Index>> cell_shapes(Index gates, Index states) {
  std::vector<std::vector<Index>> out = shapes(gates, states, 1);
  out[0] = {kBatch, kInput};
  for (Index i = 0; i < states; ++i) out[static_cast<std::size_t>(1 + i)] = {kBatch, kHidden};
  return out;
}

RnnWeights weights_at(H x, std::size_t i) { return {x[i], x[i + 1], x[i + 2], x[i + 3]}; }
std::vector<RnnWeights> weights_from(H x, std::size_t i) {
  std::vector<RnnWeights> out;
  for (; i < x.size(); i += 4) out.push_back(weights_at(x, i));
  return out;
}
std::vector<torch::Tensor> tail(T x, std::ptrdiff_t from) { return {x.begin() + from, x.end()}; }

using Ours = RnnResult (*)(const Tensor&, const Tensor&, const std::vector<RnnWeights>&,
                           const std::vector<Index>&);
using Theirs = std::tuple<torch::Tensor, torch::Tensor> (*)(const torch::Tensor&,
                                                            const torch::Tensor&, at::TensorList,
                                                            bool, std::int64_t, double, bool, bool,
                                                            bool);
using TheirsPacked = std::tuple<torch::Tensor, torch::Tensor> (*)(const torch::Tensor&,
                                                                  const torch::Tensor&,
                                                                  const torch::Tensor&,
                                                                  at::TensorList, bool,
                                                                  std::int64_t, double, bool, bool);

namespace rnn_utils = torch::nn::utils::rnn;

rnn_utils::PackedSequence pack(const torch::Tensor& x, const std::vector<Index>& lengths) {
  return rnn_utils::pack_padded_sequence(x, torch::tensor(lengths), /*batch_first=*/true);
}
torch::Tensor unpack(const torch::Tensor& output, const rnn_utils::PackedSequence& like) {
  return std::get<0>(rnn_utils::pad_packed_sequence(
      rnn_utils::PackedSequence(output, like.batch_sizes()), /*batch_first=*/true, 0, kLength));
}

const std::vector<Index> kLengths = {5, 3};  // PyTorch wants them to descend

// One and two directions, and rows of different lengths.
std::vector<Peer> layer_peers(const char* name, Index gates, Ours ours, Theirs theirs,
                              TheirsPacked packed) {
  std::vector<Peer> peers;
  for (const Index directions : {1, 2}) {
    const bool both = directions == 2;
    peers.push_back(peer(
        name, shapes(gates, 1, directions),
        [ours](H x) {
          const RnnResult out = ours(x[0], x[1], weights_from(x, 2), {});
          return joined({out.output, out.h_n});
        },
        [theirs, both](T x) {
          const auto [y, h] = theirs(x[0], x[1], tail(x, 2), true, 1, 0, false, both, true);
          return joined({y, h});
        }));
    peers.push_back(peer(
        name, shapes(gates, 1, directions),
        [ours](H x) {
          const RnnResult out = ours(x[0], x[1], weights_from(x, 2), kLengths);
          return joined({out.output, out.h_n});
        },
        [packed, both](T x) {
          const auto sequence = pack(x[0], kLengths);
          const auto [y, h] = packed(sequence.data(), sequence.batch_sizes(), x[1], tail(x, 2),
                                     true, 1, 0, false, both);
          return joined({unpack(y, sequence), h});
        }));
  }
  return peers;
}

std::vector<Peer> lstm_peers() {
  std::vector<Peer> peers;
  for (const Index directions : {1, 2}) {
    const bool both = directions == 2;
    for (const std::vector<Index>& lengths : {std::vector<Index>{}, kLengths}) {
      peers.push_back(peer(
          "lstm", shapes(4, 2, directions),
          [lengths](H x) {
            const LstmResult out = lstm(x[0], {x[1], x[2]}, weights_from(x, 3), lengths);
            return joined({out.output, out.h_n, out.c_n});
          },
          [lengths, both](T x) {
            if (lengths.empty()) {
              const auto [y, h, c] =
                  torch::lstm(x[0], {x[1], x[2]}, tail(x, 3), true, 1, 0, false, both, true);
              return joined({y, h, c});
            }
            const auto sequence = pack(x[0], lengths);
            const auto [y, h, c] = torch::lstm(sequence.data(), sequence.batch_sizes(),
                                               {x[1], x[2]}, tail(x, 3), true, 1, 0, false, both);
            return joined({unpack(y, sequence), h, c});
          }));
    }
  }
  return peers;
}

std::vector<Peer> cell_peers() {
  return {
      peer(
          "rnn_cell", cell_shapes(1, 1), [](H x) { return rnn_cell(x[0], x[1], weights_at(x, 2)); },
          [](T x) { return torch::rnn_tanh_cell(x[0], x[1], x[2], x[3], x[4], x[5]); }),
      peer(
          "rnn_cell", cell_shapes(1, 1),
          [](H x) { return rnn_cell(x[0], x[1], weights_at(x, 2), Nonlinearity::relu); },
          [](T x) { return torch::rnn_relu_cell(x[0], x[1], x[2], x[3], x[4], x[5]); }),
      peer(
          "gru_cell", cell_shapes(3, 1), [](H x) { return gru_cell(x[0], x[1], weights_at(x, 2)); },
          [](T x) { return torch::gru_cell(x[0], x[1], x[2], x[3], x[4], x[5]); }),
      peer(
          "lstm_cell", cell_shapes(4, 2),
          [](H x) {
            const LstmState out = lstm_cell(x[0], {x[1], x[2]}, weights_at(x, 3));
            return joined({out.h, out.c});
          },
          [](T x) {
            const auto [h, c] = torch::lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], x[5], x[6]);
            return joined({h, c});
          }),
  };
}

template <Nonlinearity nonlinearity>
RnnResult our_rnn(const Tensor& x, const Tensor& h0, const std::vector<RnnWeights>& directions,
                  const std::vector<Index>& lengths) {
  return rnn(x, h0, directions, lengths, nonlinearity);
}

}  // namespace

std::vector<Peer> recurrent_peers() {
  std::vector<Peer> all;
  for (auto& family :
       {layer_peers("rnn", 1, our_rnn<Nonlinearity::tanh>, torch::rnn_tanh, torch::rnn_tanh),
        layer_peers("rnn", 1, our_rnn<Nonlinearity::relu>, torch::rnn_relu, torch::rnn_relu),
        layer_peers("gru", 3, gru, torch::gru, torch::gru), lstm_peers(), cell_peers()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace heed::parity
