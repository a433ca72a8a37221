#include "../../../autograd/ops/reduce/statistics.h"

#include <limits>

#include "../../../autograd/ops/reduce/cumulative.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Axes = std::vector<Index>;
const std::vector<Index> kMatrices = {2, 3, 5};
const double kInf = std::numeric_limits<double>::infinity();
const std::vector<Axes> kAxes = {{0}, {-1}, {0, 2}, {1, -1}, {0, 1, 2}};

void spreads(std::vector<Peer>& out, const Axes& axes, bool keepdim, Index correction,
             Domain domain) {
  out.push_back(peer(
      "var", {kMatrices}, [=](H x) { return var(x[0], axes, keepdim, correction); },
      [=](T x) { return torch::var(x[0], axes, correction, keepdim); }, domain));
  out.push_back(peer(
      "stddev", {kMatrices}, [=](H x) { return stddev(x[0], axes, keepdim, correction); },
      [=](T x) { return torch::std(x[0], axes, correction, keepdim); }, domain));
}

}  // namespace

std::vector<Peer> statistics_peers() {
  std::vector<Peer> out;
  for (const Axes& axes : kAxes) {
    for (const bool keepdim : {false, true}) {
      for (const Domain domain : {Domain::any, Domain::whole}) {
        for (const Index correction : {0, 1}) spreads(out, axes, keepdim, correction, domain);
        for (const double p : {2.0, 1.0, 0.0, 3.0, 0.5, 1.5, -1.0, kInf, -kInf}) {
          // A negative power of 0 is infinite: compared away from it alone.
          if (p < 0 && p != -kInf && domain == Domain::whole) continue;
          const Peer one = peer(
              "norm", {kMatrices}, [=](H x) { return norm(x[0], p, axes, keepdim); },
              [=](T x) { return torch::norm(x[0], p, axes, keepdim); }, domain);
          // A count: theirs has a gradient of zeros, ours has none.
          out.push_back(p == 0 ? values_only(one) : one);
        }
      }
    }
  }
  out.push_back(peer(
      "var", {kMatrices}, [](H x) { return var(x[0]); }, [](T x) { return torch::var(x[0]); }));
  out.push_back(peer(
      "stddev", {kMatrices}, [](H x) { return stddev(x[0]); },
      [](T x) { return torch::std(x[0]); }));
  out.push_back(same("norm", {kMatrices}, [](auto& x) { return norm(x[0]); }));
  // Without spread.
  out.push_back(peer(
      "stddev", {{3, 1}}, [](H x) { return stddev(x[0], {1}, false, 0); },
      [](T x) { return torch::std(x[0], Axes{1}, 0, false); }));

  for (const Index axis : {0, 1, -1}) {
    for (const Domain domain : {Domain::any, Domain::whole, Domain::special}) {
      out.push_back(same(
          "cumsum", {kMatrices}, [axis](auto& x) { return cumsum(x[0], axis); }, domain));
      // Theirs divides, ours multiplies: not the same of infinities.
      const Peer one = same(
          "cumprod", {kMatrices}, [axis](auto& x) { return cumprod(x[0], axis); }, domain);
      out.push_back(domain == Domain::special ? values_only(one) : one);
    }
  }
  return out;
}

}  // namespace heed::parity
