#include "../../autograd/ops/cross_entropy.h"
#include "parity.h"

namespace heed::parity {

std::vector<Peer> loss_peers() {
  const std::vector<std::int64_t> targets = {1, 0, -100, 4};
  return {
      peer(
          "cross_entropy", {{4, 5}},
          [targets](H x) {
            return cross_entropy(x[0], ids(targets, {4}), {.label_smoothing = 0.1});
          },
          [targets](T x) {
            return torch::nn::functional::cross_entropy(
                x[0], torch_ids(targets, {4}),
                torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(0.1));
          }),
  };
}

}  // namespace heed::parity
