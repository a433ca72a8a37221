#include "../../../autograd/backward.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../autograd/ops/shape/triangle.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using at::indexing::TensorIndex;

Peer sliced(Index axis, Index start, Index stop, Index step) {
  return same("slice", {{7, 3}}, [=](auto& x) { return slice(x[0], axis, start, stop, step); });
}

Peer indexed(const std::vector<IndexEntry>& ours, const std::vector<TensorIndex>& theirs) {
  return peer(
      "index_slices", {{2, 7, 5}}, [ours](H x) { return index(x[0], ours); },
      [theirs](T x) { return x[0].index(theirs); });
}

torch::Tensor scattered(const torch::Tensor& part, const std::vector<Index>& shape, Index offset) {
  return torch::diagonal_scatter(torch::zeros(shape, part.options()), part, offset);
}

// The two adjoints are reached as derivatives, which are recorded in their turn.
Tensor derivative(const Tensor& whole, const Tensor& part, const Tensor& gradient) {
  return grad({part}, {whole}, {gradient}, {.create_graph = true})[0];
}

void adjoints(std::vector<Peer>& out) {
  out.push_back(peer(
      "slice_scatter", {{3, 3}},
      [](H x) {
        Tensor whole = zeros({7, 3}, x[0].dtype());
        whole.set_requires_grad();
        return derivative(whole, slice(whole, 0, 1, 7, 2), x[0]);
      },
      [](T x) {
        return torch::slice_scatter(torch::zeros({7, 3}, x[0].options()), x[0], 0, 1, 7, 2);
      }));
  out.push_back(peer(
      "diagonal_scatter", {{4}},
      [](H x) {
        Tensor whole = zeros({7, 5}, x[0].dtype());
        whole.set_requires_grad();
        return derivative(whole, diagonal(whole, 1), x[0]);
      },
      [](T x) {
        return scattered(x[0], {7, 5}, 1);
      }));
}

}  // namespace

std::vector<Peer> slicing_peers() {
  using at::indexing::Ellipsis;
  using at::indexing::None;
  constexpr Index kFar = Slice::kEnd;
  std::vector<Peer> out = {
      sliced(0, 1, -1, 2),
      sliced(0, -3, kFar, 1),
      sliced(-1, 0, 2, 1),
      sliced(0, 5, 2, 1),
      sliced(0, -100, 100, 3),
      same("narrow", {{7, 3}}, [](auto& x) { return narrow(x[0], 0, Index{2}, Index{3}); }),
      same("select", {{3, 5}}, [](auto& x) { return select(x[0], 1, -2); }),
      same("select", {{3, 5}}, [](auto& x) { return select(x[0], -2, 0); }),
      indexed({1}, {1}),
      indexed({-1, 2, 3}, {-1, 2, 3}),
      indexed({kEllipsis, -1}, {Ellipsis, -1}),
      indexed({Slice(), Slice(1, 5, 2), kNewAxis, 3},
              {at::indexing::Slice(), at::indexing::Slice(1, 5, 2), None, 3}),
      indexed({kNewAxis, 0, kEllipsis, Slice(-2, kFar)},
              {None, 0, Ellipsis, at::indexing::Slice(-2, None)}),
  };
  adjoints(out);
  for (const Index offset : {0, 1, -1, -2, 3}) {
    out.push_back(same("tril", {{2, 3, 5}}, [=](auto& x) { return tril(x[0], offset); }));
    out.push_back(same("triu", {{2, 3, 5}}, [=](auto& x) { return triu(x[0], offset); }));
    out.push_back(same("tril", {{7, 3}}, [=](auto& x) { return tril(x[0], offset); }));
    out.push_back(same(
        "triu", {{7, 3}}, [=](auto& x) { return triu(x[0], offset); }, Domain::special));
    out.push_back(same("diagonal", {{7, 5}}, [=](auto& x) { return diagonal(x[0], offset); }));
    out.push_back(
        same("diagonal", {{2, 5, 7}}, [=](auto& x) { return diagonal(x[0], offset, -1, 1); }));
    out.push_back(same("diag_embed", {{2, 3}}, [=](auto& x) { return diag_embed(x[0], offset); }));
  }
  return out;
}

}  // namespace heed::parity
