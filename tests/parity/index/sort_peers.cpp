#include "../../../autograd/ops/index/sort.h"

#include <tuple>

#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../parity.h"

namespace heed::parity {
namespace {

const std::vector<Index> kShape = {2, 7, 5};

const Tensor& values(const Picked& both) { return both.values; }
const Tensor& indices(const Picked& both) { return both.indices; }
using Both = std::tuple<torch::Tensor, torch::Tensor>;
const torch::Tensor& values(const Both& both) { return std::get<0>(both); }
const torch::Tensor& indices(const Both& both) { return std::get<1>(both); }

// Both results, which have no gradient but the first.
template <class Call>
void picks(std::vector<Peer>& out, const std::string& name, Call call, Domain domain) {
  out.push_back(same(
      name, {kShape}, [call](auto& x) { return values(call(x[0])); }, domain));
  out.push_back(same(
      name, {kShape}, [call](auto& x) { return indices(call(x[0])); }, domain));
}

// libtorch's are stable where that is asked for, which comes first.
Picked sorted(const Tensor& x, Index axis, bool descending) { return sort(x, axis, descending); }
Both sorted(const torch::Tensor& x, Index axis, bool descending) {
  return torch::sort(x, true, axis, descending);
}
Tensor places(const Tensor& x, Index axis, bool descending) { return argsort(x, axis, descending); }
torch::Tensor places(const torch::Tensor& x, Index axis, bool descending) {
  return torch::argsort(x, true, axis, descending);
}

}  // namespace

std::vector<Peer> sort_peers() {
  std::vector<Peer> out;
  for (const Index axis : {0, 1, -1}) {
    for (const Domain domain : {Domain::any, Domain::whole, Domain::special}) {
      for (const bool flag : {false, true}) {
        picks(
            out, "sort", [=](auto& x) { return sorted(x, axis, flag); }, domain);
        out.push_back(same(
            "argsort", {kShape}, [=](auto& x) { return places(x[0], axis, flag); }, domain));
        picks(
            out, "max", [=](auto& x) { return max(x, axis, flag); }, domain);
        picks(
            out, "min", [=](auto& x) { return min(x, axis, flag); }, domain);
        // The rest says nothing of which of equals it picks.
        if (domain == Domain::any) {
          picks(
              out, "median", [=](auto& x) { return median(x, axis, flag); }, domain);
          picks(
              out, "topk", [=](auto& x) { return topk(x, 2, axis, flag, true); }, domain);
          picks(
              out, "topk", [=](auto& x) { return topk(x, 0, axis, flag, true); }, domain);
        }
      }
    }
  }
  for (const Domain domain : {Domain::whole, Domain::special}) {
    out.push_back(peer(
        "median", {kShape}, [](H x) { return clone(median(x[0], 1).values).detach(); },
        [](T x) { return std::get<0>(torch::median(x[0], 1)).detach(); }, domain));
    out.push_back(peer(
        "topk", {kShape}, [](H x) { return topk(x[0], 3, 1).values.detach(); },
        [](T x) { return std::get<0>(torch::topk(x[0], 3, 1)).detach(); }, domain));
  }
  out.push_back(same("median", {{3, 4}}, [](auto& x) { return median(x[0]); }));
  out.push_back(same("median", {{3, 5}}, [](auto& x) { return median(x[0]); }));
  out.push_back(peer(
      "sort", {{3, 7}}, [](H x) { return sort(to(x[0], DType::i64), 1).indices; },
      [](T x) { return indices(torch::sort(x[0].to(torch::kInt64), true, 1, false)); },
      Domain::whole));
  out.push_back(peer(
      "sort", {{3, 7}}, [](H x) { return sort(x[0] > 0, 1, true).values; },
      [](T x) { return values(torch::sort(x[0] > 0, true, 1, true)); }, Domain::whole));
  return out;
}

}  // namespace heed::parity
