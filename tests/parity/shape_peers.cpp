#include "../../autograd/ops/shape.h"

#include "parity.h"

namespace heed::parity {

std::vector<Peer> shape_peers() {
  return {
      peer(
          "reshape", {{2, 3, 5}},
          [](H x) {
            return reshape(transpose(x[0], 0, 1), {-1, 2});
          },
          [](T x) {
            return x[0].transpose(0, 1).reshape({-1, 2});
          }),
      peer(
          "transpose", {{2, 3, 5}}, [](H x) { return transpose(x[0], 0, -1); },
          [](T x) { return x[0].transpose(0, -1); }),
      peer(
          "permute", {{2, 3, 5}},
          [](H x) {
            return permute(x[0], {2, 0, 1});
          },
          [](T x) {
            return x[0].permute({2, 0, 1});
          }),
      peer(
          "expand", {{3, 1}},
          [](H x) {
            return expand(x[0], {2, 3, 5});
          },
          [](T x) {
            return x[0].expand({2, 3, 5});
          }),
      peer(
          "slice", {{7, 3}}, [](H x) { return slice(x[0], 0, 1, -1, 2); },
          [](T x) { return x[0].slice(0, 1, -1, 2); }),
      peer(
          "select", {{3, 5}}, [](H x) { return select(x[0], 1, -2); },
          [](T x) { return x[0].select(1, -2); }),
      peer(
          "squeeze", {{3, 1, 2}}, [](H x) { return squeeze(x[0], 1); },
          [](T x) { return x[0].squeeze(1); }),
      peer(
          "unsqueeze", {{3, 2}}, [](H x) { return unsqueeze(x[0], -1); },
          [](T x) { return x[0].unsqueeze(-1); }),
      peer(
          "concat", {{2, 3}, {2, 5}},
          [](H x) {
            return concat({x[0], x[1]}, 1);
          },
          [](T x) {
            return torch::cat({x[0], x[1]}, 1);
          }),
      peer(
          "stack", {{2, 3}, {2, 3}},
          [](H x) {
            return stack({x[0], x[1]}, 1);
          },
          [](T x) {
            return torch::stack({x[0], x[1]}, 1);
          }),
      peer(
          "to", {{2, 3}}, [](H x) { return to(x[0], DType::f64); },
          [](T x) { return x[0].to(torch::kFloat64); }),
      peer(
          "clone", {{2, 3}}, [](H x) { return clone(x[0]); }, [](T x) { return x[0].clone(); }),
  };
}

}  // namespace heed::parity
