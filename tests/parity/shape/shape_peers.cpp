#include "../../../autograd/ops/shape/shape.h"

#include "../parity.h"

namespace heed::parity {
namespace {

using Sizes = std::vector<Index>;

Peer shaped(const std::string& name, const Sizes& from, const Sizes& to,
            Tensor (*ours)(const Tensor&, const Shape&),
            torch::Tensor (*theirs)(const torch::Tensor&, at::IntArrayRef)) {
  return peer(
      name, {from}, [=](H x) { return ours(x[0], Shape(to)); },
      [=](T x) { return theirs(x[0], to); });
}

Peer reshaped(const Sizes& from, const Sizes& to) {
  return shaped("reshape", from, to, reshape, at::reshape);
}
Peer viewed(const Sizes& from, const Sizes& to) {
  return shaped("view", from, to, view,
                [](const torch::Tensor& x, at::IntArrayRef sizes) { return x.view(sizes); });
}
Peer expanded(const Sizes& from, const Sizes& to) {
  return shaped("expand", from, to, expand,
                [](const torch::Tensor& x, at::IntArrayRef sizes) { return x.expand(sizes); });
}

}  // namespace

std::vector<Peer> shape_peers() {
  const Sizes order = {2, 0, 1};
  return {
      reshaped({2, 3, 5}, {-1, 2}),
      reshaped({2, 3, 5}, {5, 1, 6}),
      reshaped({1}, {}),
      reshaped({0, 3}, {3, 0, 2}),
      peer(
          "reshape", {{2, 3, 5}},
          [](H x) {
            return reshape(transpose(x[0], 0, 1), Shape({-1, 2}));
          },
          [](T x) {
            return x[0].transpose(0, 1).reshape(at::IntArrayRef({-1, 2}));
          }),
      viewed({2, 3, 5}, {6, 5}),
      viewed({2, 3, 5}, {2, -1, 1}),
      expanded({3, 1}, {2, 3, 5}),
      expanded({3, 1}, {-1, 7}),
      expanded({}, {2, 3}),
      shaped("broadcast_to", {3, 1}, {2, 3, 5}, broadcast_to, at::broadcast_to),
      same("flatten", {{2, 3, 5}}, [](auto& x) { return flatten(x[0], 1, -1); }),
      same("flatten", {{2, 3, 5}}, [](auto& x) { return flatten(x[0], 0, 1); }),
      same("flatten", {{}}, [](auto& x) { return flatten(x[0]); }),
      same("transpose", {{2, 3, 5}}, [](auto& x) { return transpose(x[0], 0, -1); }),
      same("transpose", {{2, 3, 5}}, [](auto& x) { return transpose(x[0], 1, 1); }),
      same("permute", {{2, 3, 5}}, [order](auto& x) { return permute(x[0], order); }),
      same("squeeze", {{3, 1, 2}}, [](auto& x) { return squeeze(x[0], 1); }),
      same("squeeze", {{1, 3, 1, 2, 1}}, [](auto& x) { return squeeze(x[0]); }),
      same("unsqueeze", {{3, 2}}, [](auto& x) { return unsqueeze(x[0], -1); }),
      same("unsqueeze", {{3, 2}}, [](auto& x) { return unsqueeze(x[0], 0); }),
      same("unsqueeze", {{}}, [](auto& x) { return unsqueeze(x[0], 0); }),
      peer(
          "to", {{2, 3}}, [](H x) { return to(x[0], DType::f64); },
          [](T x) { return x[0].to(torch::kFloat64); }),
      peer(
          "to", {{2, 3}}, [](H x) { return to(x[0], DType::f32); },
          [](T x) { return x[0].to(torch::kFloat32); }),
      peer(
          "to", {{5, 7}}, [](H x) { return to(x[0], DType::i64); },
          [](T x) { return x[0].to(torch::kInt64); }),
      peer(
          "to", {{5, 7}}, [](H x) { return to(x[0], DType::boolean); },
          [](T x) { return x[0].to(torch::kBool); }, Domain::special),
      same("clone", {{2, 3}}, [](auto& x) { return clone(x[0]); }),
      peer(
          "contiguous", {{2, 3}}, [](H x) { return contiguous(transpose(x[0], 0, 1)); },
          [](T x) { return x[0].transpose(0, 1).contiguous(); }),
  };
}

}  // namespace heed::parity
