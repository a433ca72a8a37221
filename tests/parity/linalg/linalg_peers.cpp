#include "../../../autograd/ops/linalg/linalg.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/einsum.h"
#include "../../../autograd/ops/linalg/inverse.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/linalg/solve.h"
#include "../../../autograd/ops/shape/triangle.h"
#include "../parity.h"

namespace heed::parity {
namespace {

using Sizes = std::vector<Index>;

Peer product(const Sizes& a, const Sizes& b) {
  return same("matmul", {a, b}, [](auto& x) { return matmul(x[0], x[1]); });
}

Peer summed(const std::string& equation, const std::vector<Sizes>& shapes) {
  return peer(
      "einsum", shapes, [equation](H x) { return einsum(equation, x); },
      [equation](T x) { return torch::einsum(equation, x); });
}

// A diagonal far from 0; beside one of ones what stands off it is small, or errors double row by
// row.
Peer solved(const Sizes& a, const Sizes& b, bool upper, bool unit) {
  return peer(
      "solve_triangular", {a, b},
      [=](H x) {
        return solve_triangular((unit ? 0.1 : 1.0) * x[0] + 5 * eye(a.back(), x[0].dtype()), x[1],
                                {.upper = upper, .unit = unit});
      },
      [=](T x) {
        return torch::linalg_solve_triangular(
            (unit ? 0.1 : 1.0) * x[0] + 5 * torch::eye(a.back(), x[0].scalar_type()), x[1], upper,
            true, unit);
      });
}

}  // namespace

std::vector<Peer> linalg_peers() {
  return {
      product({3, 5}, {5, 2}),
      product({5}, {5}),
      product({5}, {2, 5, 3}),
      product({2, 3, 5}, {5}),
      product({2, 1, 3, 5}, {7, 5, 2}),
      product({2, 3, 5}, {5, 2}),
      product({1, 1}, {1, 1}),
      product({3, 0}, {0, 2}),
      product({0, 3, 5}, {5, 2}),
      product({67, 131}, {131, 71}),
      same("linear", {{2, 3, 5}, {7, 5}, {7}}, [](auto& x) { return linear(x[0], x[1], x[2]); }),
      same("linear", {{3, 5}, {7, 5}}, [](auto& x) { return linear(x[0], x[1]); }),
      same("linear", {{5}, {7, 5}, {7}}, [](auto& x) { return linear(x[0], x[1], x[2]); }),
      same("dot", {{5}, {5}}, [](auto& x) { return dot(x[0], x[1]); }),
      same("inner", {{3, 5}, {2, 7, 5}}, [](auto& x) { return inner(x[0], x[1]); }),
      same("outer", {{3}, {5}}, [](auto& x) { return outer(x[0], x[1]); }),
      same("mm", {{3, 5}, {5, 2}}, [](auto& x) { return mm(x[0], x[1]); }),
      same("mv", {{3, 5}, {5}}, [](auto& x) { return mv(x[0], x[1]); }),
      same("bmm", {{2, 3, 5}, {2, 5, 7}}, [](auto& x) { return bmm(x[0], x[1]); }),
      same("bilinear", {{2, 3, 5}, {2, 3, 4}, {7, 5, 4}, {7}},
           [](auto& x) { return bilinear(x[0], x[1], x[2], x[3]); }),
      same("bilinear", {{3, 5}, {3, 4}, {7, 5, 4}},
           [](auto& x) { return bilinear(x[0], x[1], x[2]); }),
      solved({5, 5}, {5, 3}, false, false),
      solved({5, 5}, {5, 3}, true, false),
      solved({2, 37, 37}, {2, 37, 7}, false, true),
      solved({2, 37, 37}, {2, 37, 7}, true, true),
      solved({5, 5}, {2, 5, 3}, true, true),
      peer(
          "inverse", {{2, 5, 5}},
          [](H x) { return inverse(x[0] + 7 * diag(ones({5}, x[0].dtype()))); },
          [](T x) { return torch::inverse(x[0] + 7 * torch::eye(5, x[0].options())); }),
      peer(
          "logdet", {{2, 5, 5}},
          [](H x) { return logdet(x[0] + 7 * diag(ones({5}, x[0].dtype()))); },
          [](T x) { return torch::logdet(x[0] + 7 * torch::eye(5, x[0].options())); }),
      summed("ik,kj->ij", {{3, 5}, {5, 2}}),
      summed("ii", {{5, 5}}),
      summed("ii->i", {{5, 5}}),
      summed("i,j->ij", {{3}, {5}}),
      summed("ij->ji", {{3, 5}}),
      summed("ij->", {{3, 5}}),
      summed("ij->j", {{3, 5}}),
      summed("ba", {{3, 5}}),
      summed("...ij->...ji", {{2, 3, 5}}),
      summed("b...,b...->...", {{2, 3, 5}, {2, 3, 5}}),
      summed("bhid,bhjd->bhij", {{2, 3, 5, 4}, {2, 3, 7, 4}}),
      summed("bi,oij,bj->bo", {{2, 3}, {7, 3, 5}, {2, 5}}),
      summed("...ij,...jk", {{2, 1, 3, 5}, {7, 5, 2}}),
      summed("iij,jk->ik", {{3, 3, 5}, {5, 2}}),
      summed("ij,ij,ij->i", {{3, 5}, {3, 5}, {3, 5}}),
      summed("ij,jk->ik", {{3, 1}, {5, 2}}),
      summed("aB,Bc", {{3, 5}, {5, 2}}),
      summed(" i j , j k -> i k ", {{3, 5}, {5, 2}}),
  };
}

}  // namespace heed::parity
