#include "../../../autograd/ops/packed/packed.h"

#include "../../../autograd/ops/packed/segment.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Sizes = std::vector<Index>;

// Their sequences, each by itself.
std::vector<torch::Tensor> sequences(const torch::Tensor& tokens, const Sizes& lengths) {
  return torch::split_with_sizes(tokens, lengths);
}

// A reduction of each sequence's tokens.
template <class Ours, class Theirs>
Peer reduced(const char* name, const Sizes& lengths, Ours ours, Theirs theirs) {
  return peer(
      name, {{offsets_of(lengths).back(), 3}},
      [=](H x) {
        return ours(Packed{x[0], offsets_of(lengths)});
      },
      [=](T x) {
        std::vector<torch::Tensor> rows;
        for (const torch::Tensor& one : sequences(x[0], lengths)) rows.push_back(theirs(one));
        return torch::stack(rows);
      });
}

}  // namespace

std::vector<Peer> packed_peers() {
  std::vector<Peer> out;
  for (const Sizes& lengths : {Sizes{2, 5, 3}, Sizes{5, 5}, Sizes{1}}) {
    const auto B = static_cast<Index>(lengths.size());
    const Index N = offsets_of(lengths).back();
    out.push_back(peer(
        "pack", {{B, 5, 3}}, [=](H x) { return pack(x[0], lengths).tokens; },
        [=](T x) {
          std::vector<torch::Tensor> rows;
          for (Index b = 0; b < B; ++b) {
            rows.push_back(x[0].select(0, b).narrow(0, 0, lengths[static_cast<std::size_t>(b)]));
          }
          return torch::cat(rows);
        }));
    out.push_back(peer(
        "unpack", {{N, 3}},
        [=](H x) {
          return unpack({x[0], offsets_of(lengths)});
        },
        [=](T x) {
          return torch::nn::utils::rnn::pad_sequence(sequences(x[0], lengths),
                                                     /*batch_first=*/true);
        }));
    out.push_back(peer(
        "repeat_segments", {{B, 3}},
        [=](H x) { return repeat_segments(x[0], offsets_of(lengths)); },
        [=](T x) { return torch::repeat_interleave(x[0], torch::tensor(lengths), 0); }));
    out.push_back(peer(
        "segment_softmax", {{N, 3}},
        [=](H x) {
          return segment_softmax({x[0], offsets_of(lengths)});
        },
        [=](T x) {
          std::vector<torch::Tensor> rows;
          for (const torch::Tensor& one : sequences(x[0], lengths)) {
            rows.push_back(torch::softmax(one, 0));
          }
          return torch::cat(rows);
        }));
    out.push_back(reduced("segment_sum", lengths, segment_sum,
                          [](const torch::Tensor& x) { return x.sum(0); }));
    out.push_back(reduced("segment_mean", lengths, segment_mean,
                          [](const torch::Tensor& x) { return x.mean(0); }));
    out.push_back(reduced("segment_max", lengths, segment_max,
                          [](const torch::Tensor& x) { return x.amax(0); }));
  }
  return out;
}

}  // namespace heed::parity
