#include "../../../autograd/ops/elementwise/compare.h"

#include "../../../autograd/ops/shape/shape.h"
#include "../parity.h"

namespace heed::parity {
namespace {

template <class Call>
void predicate(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Domain domain : {Domain::any, Domain::whole, Domain::special}) {
    out.push_back(same(name, {{2, 1, 7}, {3, 1}}, call, domain));
  }
}

// Of integers as well.
template <class Call>
void comparison(std::vector<Peer>& out, const std::string& name, Call call) {
  predicate(out, name, [call](auto& x) { return call(x[0], x[1]); });
  predicate(out, name, [call](auto& x) { return call(x[0], 0.5); });
  predicate(out, name, [call](auto& x) { return call(1.0, x[0]); });
  out.push_back(peer(
      name, {{5, 7}, {7}}, [call](H x) { return call(to(x[0], DType::i64), to(x[1], DType::i64)); },
      [call](T x) { return call(x[0].to(torch::kInt64), x[1].to(torch::kInt64)); }, Domain::whole));
}

}  // namespace

std::vector<Peer> compare_peers() {
  std::vector<Peer> out;
  comparison(out, "equal", [](const auto& x, const auto& y) { return x == y; });
  comparison(out, "not_equal", [](const auto& x, const auto& y) { return x != y; });
  comparison(out, "less", [](const auto& x, const auto& y) { return x < y; });
  comparison(out, "less_equal", [](const auto& x, const auto& y) { return x <= y; });
  comparison(out, "greater", [](const auto& x, const auto& y) { return x > y; });
  comparison(out, "greater_equal", [](const auto& x, const auto& y) { return x >= y; });
  predicate(out, "logical_not", [](auto& x) { return logical_not(x[0] > x[1]); });
  predicate(out, "logical_and", [](auto& x) { return logical_and(x[0] > 0.0, x[1] > 0.0); });
  predicate(out, "logical_or", [](auto& x) { return logical_or(x[0] > 0.0, x[1] > 0.0); });
  predicate(out, "logical_xor", [](auto& x) { return logical_xor(x[0] > 0.0, x[1] > 0.0); });
  predicate(out, "isnan", [](auto& x) { return isnan(x[0]); });
  predicate(out, "isinf", [](auto& x) { return isinf(x[0]); });
  predicate(out, "isfinite", [](auto& x) { return isfinite(x[0]); });
  return out;
}

}  // namespace heed::parity
