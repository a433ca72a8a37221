#include "../../autograd/ops/gru.h"
#include "../../autograd/ops/shape.h"
#include "parity.h"

namespace heed::parity {

std::vector<Peer> recurrent_peers() {
  // x [2, 5, 3], h0 [2, 2, 4], then the weights of both directions.
  const std::vector<std::vector<Index>> shapes = {{2, 5, 3}, {2, 2, 4}, {12, 3}, {12, 4}, {12},
                                                  {12},      {12, 3},   {12, 4}, {12},    {12}};
  return {
      peer(
          "gru", shapes,
          [](H x) {
            return gru(x[0], x[1], {{x[2], x[3], x[4], x[5]}, {x[6], x[7], x[8], x[9]}}).output;
          },
          [](T x) {
            return std::get<0>(torch::gru(x[0], x[1],
                                          std::vector<torch::Tensor>(x.begin() + 2, x.end()), true,
                                          1, 0.0, false, true, true));
          }),
  };
}

}  // namespace heed::parity
