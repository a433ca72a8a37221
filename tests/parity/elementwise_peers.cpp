#include "../../autograd/ops/elementwise.h"

#include "parity.h"

namespace heed::parity {
namespace {

Peer unary(const std::string& name, Tensor (*ours)(const Tensor&),
           torch::Tensor (*theirs)(const torch::Tensor&), Domain domain = Domain::any) {
  return peer(
      name, {{3, 5}}, [ours](H x) { return ours(x[0]); }, [theirs](T x) { return theirs(x[0]); },
      domain);
}

template <class Ours, class Theirs>
Peer binary(const std::string& name, Ours ours, Theirs theirs, Domain domain = Domain::any) {
  return peer(
      name, {{2, 1, 5}, {3, 1}}, [ours](H x) { return ours(x[0], x[1]); },
      [theirs](T x) { return theirs(x[0], x[1]); }, domain);
}

}  // namespace

std::vector<Peer> elementwise_peers() {
  return {
      binary(
          "add", [](auto& x, auto& y) { return x + y; }, [](auto& x, auto& y) { return x + y; }),
      binary(
          "sub", [](auto& x, auto& y) { return x - y; }, [](auto& x, auto& y) { return x - y; }),
      binary(
          "mul", [](auto& x, auto& y) { return x * y; }, [](auto& x, auto& y) { return x * y; }),
      binary(
          "div", [](auto& x, auto& y) { return x / y; }, [](auto& x, auto& y) { return x / y; },
          Domain::positive),
      binary("maximum", maximum, [](auto& x, auto& y) { return torch::maximum(x, y); }),
      binary("minimum", minimum, [](auto& x, auto& y) { return torch::minimum(x, y); }),
      peer(
          "neg", {{3, 5}}, [](H x) { return -x[0]; }, [](T x) { return -x[0]; }),
      unary("abs", abs, [](const torch::Tensor& x) { return torch::abs(x); }),
      unary("exp", exp, [](const torch::Tensor& x) { return torch::exp(x); }),
      unary(
          "log", log, [](const torch::Tensor& x) { return torch::log(x); }, Domain::positive),
      unary(
          "sqrt", sqrt, [](const torch::Tensor& x) { return torch::sqrt(x); }, Domain::positive),
      unary("square", square, [](const torch::Tensor& x) { return torch::square(x); }),
      unary(
          "reciprocal", reciprocal, [](const torch::Tensor& x) { return torch::reciprocal(x); },
          Domain::positive),
      unary("tanh", tanh, [](const torch::Tensor& x) { return torch::tanh(x); }),
      unary("sigmoid", sigmoid, [](const torch::Tensor& x) { return torch::sigmoid(x); }),
      unary("relu", relu, [](const torch::Tensor& x) { return torch::relu(x); }),
      peer(
          "where", {{3, 5}, {5}}, [](H x) { return where(x[0] > x[1], x[0], x[1] * x[1]); },
          [](T x) { return torch::where(x[0] > x[1], x[0], x[1] * x[1]); }),
  };
}

}  // namespace heed::parity
