#include "../../autograd/ops/reduce.h"

#include "parity.h"

namespace heed::parity {

std::vector<Peer> reduce_peers() {
  return {
      peer(
          "sum", {{2, 3, 5}},
          [](H x) {
            return sum(x[0], {0, 2});
          },
          [](T x) {
            return x[0].sum(at::IntArrayRef({0, 2}));
          }),
      peer(
          "sum", {{2, 3}}, [](H x) { return sum(x[0]); }, [](T x) { return torch::sum(x[0]); }),
      peer(
          "mean", {{2, 3, 5}}, [](H x) { return mean(x[0], {1}, true); },
          [](T x) { return x[0].mean(at::IntArrayRef({1}), true); }),
      peer(
          "amax", {{2, 3, 5}}, [](H x) { return amax(x[0], {-1}); },
          [](T x) { return torch::amax(x[0], {-1}); }),
      peer(
          "amin", {{2, 3, 5}},
          [](H x) {
            return amin(x[0], {0, 1});
          },
          [](T x) {
            return torch::amin(x[0], {0, 1});
          }),
      peer(
          "sum_to", {{2, 3, 5}},
          [](H x) {
            return sum_to(x[0], {3, 1});
          },
          [](T x) {
            return x[0].sum_to_size({3, 1});
          }),
  };
}

}  // namespace heed::parity
