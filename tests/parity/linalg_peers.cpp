#include "../../autograd/ops/matmul.h"
#include "parity.h"

namespace heed::parity {
namespace {

Peer product(std::vector<Index> a, std::vector<Index> b) {
  return peer(
      "matmul", {std::move(a), std::move(b)}, [](H x) { return matmul(x[0], x[1]); },
      [](T x) { return torch::matmul(x[0], x[1]); });
}

}  // namespace

std::vector<Peer> linalg_peers() {
  return {
      product({3, 5}, {5, 2}),
      product({5}, {5}),
      product({5}, {2, 5, 3}),
      product({2, 3, 5}, {5}),
      product({2, 1, 3, 5}, {7, 5, 2}),
      product({2, 3, 5}, {5, 2}),
      peer(
          "linear", {{2, 3, 5}, {7, 5}, {7}}, [](H x) { return linear(x[0], x[1], x[2]); },
          [](T x) { return torch::linear(x[0], x[1], x[2]); }),
  };
}

}  // namespace heed::parity
