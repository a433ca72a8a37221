#include "../../../autograd/ops/reduce/reduce.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Axes = std::vector<Index>;
const std::vector<Index> kShape = {2, 3, 5};
constexpr Domain kDomains[] = {Domain::any, Domain::whole, Domain::special};

// The derivative of theirs divides, ours multiplies: not the same of infinities.
void add(std::vector<Peer>& out, Peer one) {
  const bool alone = one.domain == Domain::special && one.name == "prod";
  out.push_back(alone ? values_only(std::move(one)) : std::move(one));
}

// Over one axis, several and all, kept or not. A reduction takes (x, axes, keepdim).
template <class Call>
void reduction(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Axes& axes : {Axes{0}, {-1}, {0, 2}, {1, -1}, {0, 1, 2}}) {
    for (const bool keepdim : {false, true}) {
      for (const Domain domain : kDomains) {
        out.push_back(same(
            name, {kShape}, [=](auto& x) { return call(x[0], axes, keepdim); }, domain));
      }
    }
  }
}

// Over all elements: call(x).
template <class Call>
void whole(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Domain domain : kDomains) add(out, same(name, {kShape}, call, domain));
  out.push_back(same(name, {{}}, call));
}

// Over one axis: call(x, axis, keepdim).
template <class Call>
void along(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Index axis : {0, 1, -1}) {
    for (const bool keepdim : {false, true}) {
      for (const Domain domain : kDomains) {
        add(out, same(
                     name, {kShape}, [=](auto& x) { return call(x[0], axis, keepdim); }, domain));
      }
    }
  }
}

Tensor product(const Tensor& x, Index axis, bool keepdim) { return prod(x, {axis}, keepdim); }
torch::Tensor product(const torch::Tensor& x, Index axis, bool keepdim) {
  return torch::prod(x, axis, keepdim);
}
Tensor every(const Tensor& x, Index axis, bool keepdim) { return all(x, {axis}, keepdim); }
torch::Tensor every(const torch::Tensor& x, Index axis, bool keepdim) {
  return torch::all(x, axis, keepdim);
}
Tensor some(const Tensor& x, Index axis, bool keepdim) { return any(x, {axis}, keepdim); }
torch::Tensor some(const torch::Tensor& x, Index axis, bool keepdim) {
  return torch::any(x, axis, keepdim);
}

}  // namespace

std::vector<Peer> reduce_peers() {
  std::vector<Peer> out;
  reduction(out, "sum", [](auto& x, auto& axes, bool kept) { return sum(x, axes, kept); });
  reduction(out, "mean", [](auto& x, auto& axes, bool kept) { return mean(x, axes, kept); });
  reduction(out, "amax", [](auto& x, auto& axes, bool kept) { return amax(x, axes, kept); });
  reduction(out, "amin", [](auto& x, auto& axes, bool kept) { return amin(x, axes, kept); });
  reduction(out, "logsumexp",
            [](auto& x, auto& axes, bool kept) { return logsumexp(x, axes, kept); });
  whole(out, "sum", [](auto& x) { return sum(x[0]); });
  whole(out, "mean", [](auto& x) { return mean(x[0]); });
  whole(out, "amax", [](auto& x) { return amax(x[0]); });
  whole(out, "amin", [](auto& x) { return amin(x[0]); });
  whole(out, "prod", [](auto& x) { return prod(x[0]); });
  along(out, "prod", [](auto& x, Index axis, bool kept) { return product(x, axis, kept); });
  for (const Axes& shape : {Axes{3, 1}, {5}, {1, 3, 5}, {2, 1, 1}}) {
    out.push_back(peer(
        "sum_to", {kShape}, [shape](H x) { return sum_to(x[0], Shape(shape)); },
        [shape](T x) { return x[0].sum_to_size(shape); }));
  }
  // Over no elements.
  const Axes last = {1};
  out.push_back(same("sum", {{3, 0}}, [last](auto& x) { return sum(x[0], last); }));
  out.push_back(same("logsumexp", {{3, 0}}, [last](auto& x) { return logsumexp(x[0], last); }));
  out.push_back(same("prod", {{3, 0}}, [](auto& x) { return product(x[0], 1, true); }));
  out.push_back(same("all", {{3, 0}}, [](auto& x) { return every(x[0], 1, true); }));
  out.push_back(same("any", {{3, 0}}, [](auto& x) { return some(x[0], 1, true); }));

  along(out, "argmax", [](auto& x, Index axis, bool kept) { return argmax(x, axis, kept); });
  along(out, "argmin", [](auto& x, Index axis, bool kept) { return argmin(x, axis, kept); });
  whole(out, "argmax", [](auto& x) { return argmax(x[0]); });
  whole(out, "argmin", [](auto& x) { return argmin(x[0]); });
  along(out, "all", [](auto& x, Index axis, bool kept) { return every(x, axis, kept); });
  along(out, "any", [](auto& x, Index axis, bool kept) { return some(x, axis, kept); });
  along(out, "all", [](auto& x, Index axis, bool kept) { return every(x > -1.0, axis, kept); });
  along(out, "any", [](auto& x, Index axis, bool kept) { return some(x > 1.0, axis, kept); });
  whole(out, "all", [](auto& x) { return all(x[0]); });
  whole(out, "any", [](auto& x) { return any(x[0]); });
  return out;
}

}  // namespace heed::parity
