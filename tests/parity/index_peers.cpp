#include "../../autograd/ops/index.h"

#include "parity.h"

namespace heed::parity {

std::vector<Peer> index_peers() {
  const std::vector<std::int64_t> some = {1, 0, 3, 1};
  const std::vector<std::int64_t> grid = {2, 0, 1, 1, 2, 0};
  return {
      peer(
          "embedding", {{5, 3}},
          [some](H x) {
            return embedding(x[0], ids(some, {2, 2}));
          },
          [some](T x) {
            return torch::embedding(x[0], torch_ids(some, {2, 2}));
          }),
      peer(
          "index_select", {{2, 5}}, [some](H x) { return index_select(x[0], 1, ids(some, {4})); },
          [some](T x) { return x[0].index_select(1, torch_ids(some, {4})); }),
      peer(
          "index_add", {{5, 3}, {4, 3}},
          [some](H x) { return index_add(x[0], 0, ids(some, {4}), x[1]); },
          [some](T x) { return x[0].index_add(0, torch_ids(some, {4}), x[1]); }),
      peer(
          "gather", {{3, 2}},
          [grid](H x) {
            return gather(x[0], 0, ids(grid, {3, 2}));
          },
          [grid](T x) {
            return x[0].gather(0, torch_ids(grid, {3, 2}));
          }),
      peer(
          "scatter_add", {{3, 2}, {3, 2}},
          [grid](H x) {
            return scatter_add(x[0], 0, ids(grid, {3, 2}), x[1]);
          },
          [grid](T x) {
            return x[0].scatter_add(0, torch_ids(grid, {3, 2}), x[1]);
          }),
  };
}

}  // namespace heed::parity
