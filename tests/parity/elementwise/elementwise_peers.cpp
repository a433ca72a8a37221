#include "../../../autograd/ops/elementwise/elementwise.h"

#include <cmath>

#include "../../../autograd/ops/elementwise/dropout.h"
#include "../../../autograd/ops/elementwise/power.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Shapes = std::vector<std::vector<Index>>;

// Broadcast either way and both ways.
template <class Call>
void broadcast(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Shapes& shapes :
       {Shapes{{2, 1, 5}, {3, 1}}, {{3, 5}, {5}}, {{}, {7}}, {{0, 3}, {3}}}) {
    for (const Domain domain : {Domain::any, Domain::positive, Domain::whole, Domain::special}) {
      out.push_back(same(name, shapes, call, domain));
    }
  }
}

// A number on either side.
template <class Call>
void numbers(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Domain domain : {Domain::any, Domain::whole, Domain::special}) {
    out.push_back(same(name, {{3, 5}}, call, domain));
  }
}

}  // namespace

std::vector<Peer> elementwise_peers() {
  std::vector<Peer> out;
  broadcast(out, "add", [](auto& x) { return x[0] + x[1]; });
  broadcast(out, "sub", [](auto& x) { return x[0] - x[1]; });
  broadcast(out, "mul", [](auto& x) { return x[0] * x[1]; });
  broadcast(out, "div", [](auto& x) { return x[0] / x[1]; });
  numbers(out, "add", [](auto& x) { return 1.5 + (x[0] + 0.1); });
  numbers(out, "sub", [](auto& x) { return 1.5 - (x[0] - 0.1); });
  numbers(out, "mul", [](auto& x) { return 1.5 * (x[0] * 0.1); });
  numbers(out, "div", [](auto& x) { return 1.5 / (x[0] / 0.7); });

  unary(out, "neg", [](auto& x) { return -x[0]; });
  unary(out, "abs", [](auto& x) { return abs(x[0]); });
  // Of NaN ours is NaN, theirs 0.
  unary(out, "sign", [](auto& x) { return sign(x[0]); },
        {Domain::any, Domain::positive, Domain::whole});
  unary(out, "exp", [](auto& x) { return exp(x[0]); });
  unary(out, "expm1", [](auto& x) { return expm1(x[0]); });
  unary(out, "log", [](auto& x) { return log(x[0]); });
  unary(out, "log1p", [](auto& x) { return log1p(x[0]); });
  unary(out, "log2", [](auto& x) { return log2(x[0]); });
  unary(out, "log10", [](auto& x) { return log10(x[0]); });
  unary(out, "sqrt", [](auto& x) { return sqrt(x[0]); });
  unary(out, "rsqrt", [](auto& x) { return rsqrt(x[0]); });
  unary(out, "sin", [](auto& x) { return sin(x[0]); });
  unary(out, "cos", [](auto& x) { return cos(x[0]); });
  unary(out, "erf", [](auto& x) { return erf(x[0]); });
  unary(out, "square", [](auto& x) { return square(x[0]); });
  unary(out, "reciprocal", [](auto& x) { return reciprocal(x[0]); });

  broadcast(out, "maximum", [](auto& x) { return maximum(x[0], x[1]); });
  broadcast(out, "minimum", [](auto& x) { return minimum(x[0], x[1]); });
  broadcast(out, "pow", [](auto& x) { return pow(x[0], x[1]); });
  for (const double exponent : {2.0, 3.0, -1.0, 0.5, 0.0, 1.0, 2.7, -0.5, -2.0}) {
    for (const Domain domain : {Domain::any, Domain::whole, Domain::special}) {
      // Theirs are roots then, NaN of -infinity; ours are powers as in IEEE, infinity and 0.
      if (domain == Domain::special && std::abs(exponent) == 0.5) continue;
      out.push_back(same(
          "pow", {{5, 13}}, [exponent](auto& x) { return pow(x[0], exponent); }, domain));
    }
  }
  for (const double base : {2.5, 1.0, 0.0, -1.5}) {
    numbers(out, "pow", [base](auto& x) { return pow(base, x[0]); });
  }

  broadcast(out, "where", [](auto& x) { return where(x[0] > x[1], x[0], x[1] * x[1]); });
  numbers(out, "where", [](auto& x) { return where(x[0] > 0.5, x[0], 0.25); });
  numbers(out, "where", [](auto& x) { return where(x[0] > 0.5, 0.25, x[0]); });
  numbers(out, "masked_fill", [](auto& x) { return masked_fill(x[0], x[0] > 0.5, 0.25); });

  // Not on infinities, where x + weight (y - x), which is theirs, is NaN.
  for (const Domain domain : {Domain::any, Domain::unit, Domain::whole}) {
    out.push_back(same(
        "lerp", {{3, 5}, {5}}, [](auto& x) { return lerp(x[0], x[1], 0.3); }, domain));
    out.push_back(same(
        "lerp", {{2, 1, 5}, {3, 1}, {5}}, [](auto& x) { return lerp(x[0], x[1], x[2]); }, domain));
  }
  // Everything kept, nothing kept: what lies between is drawn from generators of their own.
  for (const double p : {0.0, 1.0}) {
    out.push_back(peer(
        "dropout", {{3, 5}}, [p](H x) { return dropout(x[0], p); },
        [p](T x) { return torch::dropout(x[0], p, true); }));
  }
  return out;
}

}  // namespace heed::parity
