// The same call on heed and on libtorch, from the same numbers: values and gradients must agree. A
// peer is written as
//
//   peer("tanh", {{3, 5}}, [](H x) { return tanh(x[0]); }, [](T x) { return torch::tanh(x[0]); })
//
// with the name of the operator's row in the gradient table; several peers may share a name.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"

namespace heed::parity {

using H = const std::vector<Tensor>&;
using T = const std::vector<torch::Tensor>&;

/// Where the random inputs lie.
enum class Domain { any, positive, unit };

struct Peer {
  std::string name;
  std::vector<std::vector<Index>> shapes;  ///< of the inputs that get gradients
  std::function<Tensor(H)> ours;
  std::function<torch::Tensor(T)> theirs;
  Domain domain = Domain::any;
};
inline Peer peer(std::string name, std::vector<std::vector<Index>> shapes,
                 std::function<Tensor(H)> ours, std::function<torch::Tensor(T)> theirs,
                 Domain domain = Domain::any) {
  return {std::move(name), std::move(shapes), std::move(ours), std::move(theirs), domain};
}

// The families; peers.cpp joins them.
std::vector<Peer> elementwise_peers();
std::vector<Peer> reduce_peers();
std::vector<Peer> shape_peers();
std::vector<Peer> index_peers();
std::vector<Peer> linalg_peers();
std::vector<Peer> normalise_peers();
std::vector<Peer> recurrent_peers();
std::vector<Peer> loss_peers();

/// Numbers of ours as theirs, and back; any dtype, copied.
torch::Tensor to_torch(const Tensor& tensor);
Tensor from_torch(const torch::Tensor& tensor);
/// i64 on either side.
Tensor ids(const std::vector<std::int64_t>& values, const Shape& shape);
torch::Tensor torch_ids(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape);

}  // namespace heed::parity
