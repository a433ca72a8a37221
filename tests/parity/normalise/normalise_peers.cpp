#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/batch_norm.h"
#include "../../../autograd/ops/normalise/group_norm.h"
#include "../../../autograd/ops/normalise/layer_norm.h"
#include "../../../autograd/ops/normalise/normalize.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../parity.h"

namespace heed::parity {
namespace {

// Running averages after a batch, as one tensor: x [N, 3, ..].
Tensor our_averages(const Tensor& x) {
  Tensor mean = zeros({3}, x.dtype()), variance = ones({3}, x.dtype());
  batch_norm(x, mean, variance, Tensor(), Tensor(), /*training=*/true, 0.3);
  return mean + 10 * variance;
}
torch::Tensor their_averages(const torch::Tensor& x) {
  torch::Tensor mean = torch::zeros({3}, x.options()), variance = torch::ones({3}, x.options());
  torch::batch_norm(x, {}, {}, mean, variance, true, 0.3, 1e-5, false);
  return mean + 10 * variance;
}

std::vector<Peer> batch_norm_peers() {
  const auto training = [](const std::vector<Index>& shape) {
    return peer(
        "batch_norm", {shape, {3}, {3}},
        [](H x) { return batch_norm(x[0], Tensor(), Tensor(), x[1], x[2], /*training=*/true); },
        [](T x) { return torch::batch_norm(x[0], x[1], x[2], {}, {}, true, 0.1, 1e-5, false); });
  };
  return {
      training({5, 3}),
      training({2, 3, 7}),
      training({2, 3, 5, 2}),
      peer(
          "batch_norm", {{5, 3, 2}},
          [](H x) {
            return batch_norm(x[0], Tensor(), Tensor(), Tensor(), Tensor(), true, 0.1, 0.5);
          },
          [](T x) { return torch::batch_norm(x[0], {}, {}, {}, {}, true, 0.1, 0.5, false); }),
      peer(
          "batch_norm", {{2, 3, 5}, {3}, {3}},
          [](H x) {
            const DType dtype = x[0].dtype();
            return batch_norm(x[0], full({3}, 0.3, dtype), full({3}, 1.7, dtype), x[1], x[2]);
          },
          [](T x) {
            const auto options = x[0].options();
            return torch::batch_norm(x[0], x[1], x[2], torch::full({3}, 0.3, options),
                                     torch::full({3}, 1.7, options), false, 0.1, 1e-5, false);
          }),
      peer(
          "batch_norm", {{5, 3, 2}}, [](H x) { return our_averages(x[0].detach()); },
          [](T x) { return their_averages(x[0].detach()); }),
  };
}

}  // namespace

std::vector<Peer> normalise_peers() {
  std::vector<Peer> peers = {
      peer(
          "layer_norm", {{3, 11}, {11}, {11}},
          [](H x) { return layer_norm(x[0], {11}, x[1], x[2]); },
          [](T x) { return torch::layer_norm(x[0], {11}, x[1], x[2]); }),
      peer(
          "layer_norm", {{2, 3, 5}},
          [](H x) {
            return layer_norm(x[0], {3, 5}, {}, {}, 0.5);
          },
          [](T x) {
            return torch::layer_norm(x[0], {3, 5}, {}, {}, 0.5);
          }),
      peer(
          "group_norm", {{2, 6, 5}, {6}, {6}}, [](H x) { return group_norm(x[0], 3, x[1], x[2]); },
          [](T x) { return torch::group_norm(x[0], 3, x[1], x[2]); }),
      peer(
          "group_norm", {{2, 6, 3, 2}}, [](H x) { return group_norm(x[0], 2, {}, {}, 0.5); },
          [](T x) { return torch::group_norm(x[0], 2, {}, {}, 0.5); }),
      peer(
          "cosine_similarity", {{3, 5}, {3, 5}}, [](H x) { return cosine_similarity(x[0], x[1]); },
          [](T x) { return torch::cosine_similarity(x[0], x[1]); }),
      peer(
          "cosine_similarity", {{3, 5, 2}, {5, 1}},
          [](H x) { return cosine_similarity(x[0], x[1], 1); },
          [](T x) { return torch::cosine_similarity(x[0], x[1], 1); }),
      peer(  // values only: below eps the gradients are not the same, see normalize.h
          "cosine_similarity", {{3, 5}, {3, 5}},
          [](H x) { return cosine_similarity(x[0].detach(), x[1].detach(), 1, 2.9); },
          [](T x) { return torch::cosine_similarity(x[0].detach(), x[1].detach(), 1, 2.9); }),
  };
  for (const Index axis : {1, -1}) {
    peers.push_back(peer(
        "softmax", {{11, 7, 3}}, [axis](H x) { return softmax(x[0], axis); },
        [axis](T x) { return torch::softmax(x[0], axis); }));
    peers.push_back(peer(
        "log_softmax", {{11, 7, 3}}, [axis](H x) { return log_softmax(x[0], axis); },
        [axis](T x) { return torch::log_softmax(x[0], axis); }));
  }
  // Values only: at -infinity the gradients are not the same, see softmax.h.
  peers.push_back(peer(
      "softmax", {{11, 3}}, [](H x) { return softmax(x[0].detach(), 1); },
      [](T x) { return torch::softmax(x[0].detach(), 1); }, Domain::special));
  peers.push_back(peer(
      "log_softmax", {{11, 3}}, [](H x) { return log_softmax(x[0].detach(), 1); },
      [](T x) { return torch::log_softmax(x[0].detach(), 1); }, Domain::special));
  for (const double p : {1.0, 2.0, 3.0}) {
    peers.push_back(peer(
        "normalize", {{3, 5, 2}}, [p](H x) { return normalize(x[0], p, 1); },
        [p](T x) {
          namespace F = torch::nn::functional;
          return F::normalize(x[0], F::NormalizeFuncOptions().p(p).dim(1));
        }));
  }
  for (Peer& peer : batch_norm_peers()) peers.push_back(std::move(peer));
  return peers;
}

}  // namespace heed::parity
