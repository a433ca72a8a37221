#include "../../autograd/ops/softmax.h"
#include "parity.h"

namespace heed::parity {

std::vector<Peer> normalise_peers() {
  return {
      peer(
          "softmax", {{2, 7, 3}}, [](H x) { return softmax(x[0], 1); },
          [](T x) { return torch::softmax(x[0], 1); }),
      peer(
          "log_softmax", {{2, 7}}, [](H x) { return log_softmax(x[0], -1); },
          [](T x) { return torch::log_softmax(x[0], -1); }),
  };
}

}  // namespace heed::parity
