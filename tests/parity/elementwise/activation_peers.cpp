#include "../../../autograd/ops/elementwise/activation.h"

#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/glu.h"
#include "../../../autograd/ops/elementwise/prelu.h"
#include "../parity.h"

namespace heed::parity {
namespace {

constexpr Domain kDomains[] = {Domain::any, Domain::whole, Domain::special};

template <class Number>
void clamps(std::vector<Peer>& out, Number min, Number max) {
  for (const Domain domain : kDomains) {
    out.push_back(peer(
        "clamp", {{5, 13}}, [min, max](H x) { return clamp(x[0], min, max); },
        [min, max](T x) {
          c10::optional<at::Scalar> low, high;
          if (min) low = *min;
          if (max) high = *max;
          return torch::clamp(x[0], low, high);
        },
        domain));
  }
}

}  // namespace

std::vector<Peer> activation_peers() {
  std::vector<Peer> out;
  unary(out, "tanh", [](auto& x) { return tanh(x[0]); });
  unary(out, "sigmoid", [](auto& x) { return sigmoid(x[0]); });
  unary(out, "relu", [](auto& x) { return relu(x[0]); });
  unary(out, "log_sigmoid", [](auto& x) { return log_sigmoid(x[0]); });
  unary(out, "silu", [](auto& x) { return silu(x[0]); });
  for (const double slope : {0.01, 0.3, 0.0}) {
    unary(out, "leaky_relu", [slope](auto& x) { return leaky_relu(x[0], slope); });
  }
  for (const double alpha : {1.0, 0.3}) {
    unary(out, "elu", [alpha](auto& x) { return elu(x[0], alpha); });
  }
  for (const double beta : {1.0, 0.5}) {
    for (const double threshold : {20.0, 0.7}) {
      unary(out, "softplus", [=](auto& x) { return softplus(x[0], beta, threshold); });
    }
  }
  for (const Domain domain : kDomains) {
    out.push_back(peer(
        "gelu", {{3, 5}}, [](H x) { return gelu(x[0]); }, [](T x) { return torch::gelu(x[0]); },
        domain));
    out.push_back(peer(
        "gelu", {{3, 5}}, [](H x) { return gelu(x[0], Gelu::tanh); },
        [](T x) { return torch::gelu(x[0], "tanh"); }, domain));
    out.push_back(same(
        "glu", {{3, 4}}, [](auto& x) { return glu(x[0], -1); }, domain));
    out.push_back(same(
        "glu", {{2, 6, 3}}, [](auto& x) { return glu(x[0], 1); }, domain));
    for (const std::vector<Index>& weight : {std::vector<Index>{1}, {3}}) {
      out.push_back(same(
          "prelu", {{2, 3, 5}, weight}, [](auto& x) { return prelu(x[0], x[1]); }, domain));
    }
  }

  const std::optional<double> none;
  clamps(out, std::optional<double>(-1), std::optional<double>(1));
  clamps(out, std::optional<double>(1), std::optional<double>(-1));
  clamps(out, std::optional<double>(-1), none);
  clamps(out, none, std::optional<double>(1));
  for (const Domain domain : kDomains) {
    out.push_back(same(
        "clamp", {{2, 3, 5}, {3, 1}, {5}}, [](auto& x) { return clamp(x[0], x[1], x[2]); },
        domain));
    out.push_back(peer(
        "clamp", {{3, 5}, {5}}, [](H x) { return clamp(x[0], x[1], Tensor()); },
        [](T x) { return torch::clamp(x[0], at::optional<at::Tensor>(x[1])); }, domain));
    out.push_back(peer(
        "clamp", {{3, 5}, {5}}, [](H x) { return clamp(x[0], Tensor(), x[1]); },
        [](T x) { return torch::clamp(x[0], at::optional<at::Tensor>(), x[1]); }, domain));
  }
  return out;
}

}  // namespace heed::parity
