// The same call on heed and on libtorch, from the same numbers: values and gradients must agree. A
// peer is written as
//
//   peer("tanh", {{3, 5}}, [](H x) { return tanh(x[0]); }, [](T x) { return torch::tanh(x[0]); })
//
// with the name of the operator's row in the gradient table; several peers may share a name.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "../../autograd/ops/conv/per_axis.h"
#include "../../autograd/tensor.h"

namespace heed {
class Generator;
}

namespace heed::parity {

using H = const std::vector<Tensor>&;
using T = const std::vector<torch::Tensor>&;

/// Where the random inputs lie. `whole` numbers meet kinks, ties and zeros; `special` ones are
/// infinities, NaN, zeros of either sign and a few plain numbers.
enum class Domain { any, positive, unit, whole, special };

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

/// The same where one expression is either call: free functions of one name and one order of
/// arguments, which the compiler looks up beside their operands.
///
///   same("tanh", {{3, 5}}, [](auto& x) { return tanh(x[0]); })
template <class Call>
Peer same(std::string name, std::vector<std::vector<Index>> shapes, Call call,
          Domain domain = Domain::any) {
  return peer(
      std::move(name), std::move(shapes), [call](H x) { return Tensor(call(x)); },
      [call](T x) { return torch::Tensor(call(x)); }, domain);
}

/// A function of one tensor: on plain numbers, on kinks, on infinities and NaN; of rank 0, of no elements.
template <class Call>
void unary(std::vector<Peer>& out, const std::string& name, Call call,
           std::initializer_list<Domain> domains = {Domain::any, Domain::positive, Domain::whole,
                                                    Domain::special}) {
  for (const Domain domain : domains) out.push_back(same(name, {{5, 13}}, call, domain));
  out.push_back(same(name, {{}}, call, Domain::positive));
  out.push_back(same(name, {{0, 3}}, call));
}

/// As libtorch's functions take it.
inline std::vector<std::int64_t> sizes(PerAxis pair) { return {pair.y, pair.x}; }

/// The peer without its gradients.
inline Peer values_only(Peer whole) {
  whole.ours = [call = whole.ours](H x) { return call(x).detach(); };
  whole.theirs = [call = whole.theirs](T x) { return call(x).detach(); };
  return whole;
}

/// Rows of the gradient table that libtorch has no counterpart of, and why.
struct Without {
  std::string name, reason;
};
const std::vector<Without>& without_peer();

// The families; parity_test.cpp joins them.
std::vector<Peer> elementwise_peers();
std::vector<Peer> activation_peers();
std::vector<Peer> habit_peers();
std::vector<Peer> compare_peers();
std::vector<Peer> reduce_peers();
std::vector<Peer> statistics_peers();
std::vector<Peer> sort_peers();
std::vector<Peer> shape_peers();
std::vector<Peer> slicing_peers();
std::vector<Peer> arrange_peers();
std::vector<Peer> index_peers();
std::vector<Peer> grid_sample_peers();
std::vector<Peer> packed_peers();
std::vector<Peer> linalg_peers();
std::vector<Peer> normalise_peers();
std::vector<Peer> attention_peers();
std::vector<Peer> conv_peers();
std::vector<Peer> pool_peers();
std::vector<Peer> recurrent_peers();
std::vector<Peer> loss_peers();

/// Numbers of ours as theirs, and back; any dtype, copied.
torch::Tensor to_torch(const Tensor& tensor);
Tensor from_torch(const torch::Tensor& tensor);
/// i64 on either side.
Tensor ids(const std::vector<std::int64_t>& values, const Shape& shape);
torch::Tensor torch_ids(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape);

/// All results of a call as one vector.
Tensor joined(const std::vector<Tensor>& results);
torch::Tensor joined(const std::vector<torch::Tensor>& results);

/// Random numbers in that domain.
Tensor draw(const std::vector<Index>& shape, Domain domain, DType dtype, Generator& generator);
/// Fails the test unless shapes, dtypes and, up to tolerance (1 + |theirs|), all elements agree.
void expect_close(const Tensor& ours, const torch::Tensor& theirs, double tolerance,
                  const std::string& what);

}  // namespace heed::parity
