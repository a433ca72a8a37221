#include "../../../autograd/ops/index/index.h"

#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/index/mask_index.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Sizes = std::vector<Index>;

// Indices, on either side the same.
struct Ids {
  std::vector<std::int64_t> values;
  Sizes shape;

  Tensor ours() const { return ids(values, Shape(shape)); }
  torch::Tensor theirs() const { return torch_ids(values, shape); }
};

// A call with indices, the same on either side: call(x, index).
template <class Call>
Peer with_ids(const std::string& name, const std::vector<Sizes>& shapes, const Ids& at, Call call) {
  return peer(
      name, shapes, [=](H x) { return call(x, at.ours()); },
      [=](T x) { return torch::Tensor(call(x, at.theirs())); });
}

// Both forms of x[i, j, mask].
struct Places {
  std::vector<Ids> indices;

  std::vector<Tensor> ours() const {
    std::vector<Tensor> out;
    for (const Ids& one : indices) out.push_back(one.ours());
    return out;
  }
  c10::List<c10::optional<torch::Tensor>> theirs() const {
    c10::List<c10::optional<torch::Tensor>> out;
    for (const Ids& one : indices) out.push_back(one.theirs());
    return out;
  }
};

void places(std::vector<Peer>& out) {
  const Places rows = {{{{1, 0, -1}, {3}}}};
  const Places repeats = {{{{1, 1, 0, 1}, {4}}}};
  const Places pairs = {{{{0, 2, -1}, {3}}, {{1, 1, 0}, {3}}}};
  const Places grid = {{{{0, 4}, {2, 1}}, {{2, 0, 1}, {3}}}};
  for (const auto& one : {rows, repeats, pairs, grid}) {
    out.push_back(peer(
        "index", {{5, 3, 2}}, [one](H x) { return index(x[0], one.ours()); },
        [one](T x) { return torch::index(x[0], one.theirs()); }));
    for (const Sizes& values : {Sizes{}, {2}}) {
      out.push_back(peer(
          "index_put", {{5, 3, 2}, values},
          [one](H x) { return index_put(x[0], one.ours(), x[1], true); },
          [one](T x) { return torch::index_put(x[0], one.theirs(), x[1], true); }));
    }
  }
  // Without adding, theirs does not say which of a place's values stays.
  out.push_back(peer(
      "index_put", {{5, 3, 2}, {3, 2}}, [=](H x) { return index_put(x[0], pairs.ours(), x[1]); },
      [=](T x) { return torch::index_put(x[0], pairs.theirs(), x[1]); }));
  out.push_back(peer(
      "index_put", {{5, 3, 2}, {2}}, [=](H x) { return index_put(x[0], grid.ours(), x[1]); },
      [=](T x) { return torch::index_put(x[0], grid.theirs(), x[1]); }));
}

void masks(std::vector<Peer>& out) {
  out.push_back(peer(
      "index", {{5, 3}}, [](H x) { return index(x[0], std::vector<Tensor>{x[0] > 0}); },
      [](T x) { return x[0].index({x[0] > 0}); }));
  out.push_back(peer(
      "index", {{5, 3}},
      [](H x) { return index(x[0], std::vector<Tensor>{select(x[0], 1, 0) > 0}); },
      [](T x) { return x[0].index({x[0].select(1, 0) > 0}); }));
  out.push_back(peer(
      "index_put", {{5, 3}, {3}},
      [](H x) { return index_put(x[0], {select(x[0], 1, 0) > 0}, x[1]); },
      [](T x) { return x[0].index_put({x[0].select(1, 0) > 0}, x[1]); }));
  out.push_back(same("masked_select", {{5, 3}, {3}},
                     [](auto& x) { return masked_select(x[0], x[0] > x[1]); }));
  out.push_back(same("masked_select", {{5, 3}, {3}},
                     [](auto& x) { return masked_select(x[0], x[1] > 0.0); }));
  out.push_back(same("masked_select", {{3}, {5, 3}},
                     [](auto& x) { return masked_select(x[0], x[1] > 0.0); }));
  for (const Domain domain : {Domain::whole, Domain::special}) {
    out.push_back(same(
        "nonzero", {{5, 3}}, [](auto& x) { return nonzero(x[0]); }, domain));
    out.push_back(same(
        "nonzero", {{7}}, [](auto& x) { return nonzero(x[0] > 0.0); }, domain));
    out.push_back(same(
        "nonzero", {{}}, [](auto& x) { return nonzero(x[0]); }, domain));
  }
}

}  // namespace

std::vector<Peer> index_peers() {
  const Ids few = {{1, 0, 3, 1}, {4}}, square = {{1, 0, 3, 1}, {2, 2}};
  const Ids grid = {{2, 0, 1, 1, 2, 0}, {3, 2}}, small = {{2, 0, 1, 1}, {2, 2}};
  const Ids row = {{2, 0}, {1, 2}}, none = {{}, {0}};
  std::vector<Peer> out = {
      with_ids("embedding", {{5, 3}}, square,
               [](auto& x, const auto& at) { return embedding(x[0], at); }),
      // A padding gets no gradient.
      peer(
          "embedding", {{5, 3}}, [=](H x) { return embedding(x[0], few.ours(), false, 1); },
          [=](T x) { return torch::embedding(x[0], few.theirs(), 1); }),
      with_ids("take_along", {{3, 2}}, grid,
               [](auto& x, const auto& at) {
                 if constexpr (std::is_same_v<std::decay_t<decltype(at)>, Tensor>) {
                   return take_along(x[0], at, 0);
                 } else {
                   return torch::take_along_dim(x[0], at, 0);
                 }
               }),
      peer(
          "take_along", {{5, 1}}, [=](H x) { return take_along(x[0], row.ours(), 0); },
          [=](T x) { return torch::take_along_dim(x[0], row.theirs(), 0); }),
      with_ids("one_hot", {{1}}, square, [](auto&, const auto& at) { return one_hot(at, -1); }),
      with_ids("one_hot", {{1}}, square, [](auto&, const auto& at) { return one_hot(at, 7); }),
  };
  for (const Ids& at : {few, none}) {
    const auto n = static_cast<Index>(at.values.size());
    out.push_back(with_ids("index_select", {{2, 5}}, at,
                           [](auto& x, const auto& i) { return index_select(x[0], 1, i); }));
    out.push_back(with_ids("index_add", {{5, 3}, {n, 3}}, at,
                           [](auto& x, const auto& i) { return index_add(x[0], 0, i, x[1]); }));
    out.push_back(with_ids("index_add", {{2, 5}, {2, n}}, at,
                           [](auto& x, const auto& i) { return index_add(x[0], -1, i, x[1]); }));
  }
  for (const Ids& at : {grid, small}) {
    out.push_back(with_ids("gather", {{3, 2}}, at,
                           [](auto& x, const auto& i) { return gather(x[0], 0, i); }));
    out.push_back(with_ids("gather", {{5, 3}}, at,
                           [](auto& x, const auto& i) { return gather(x[0], -1, i); }));
    out.push_back(with_ids("scatter_add", {{3, 2}, at.shape}, at,
                           [](auto& x, const auto& i) { return scatter_add(x[0], 0, i, x[1]); }));
    out.push_back(with_ids("scatter_add", {{5, 3}, at.shape}, at,
                           [](auto& x, const auto& i) { return scatter_add(x[0], 1, i, x[1]); }));
  }
  places(out);
  masks(out);
  return out;
}

}  // namespace heed::parity
