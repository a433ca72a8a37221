#include "../autograd/ops/index/index.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"
#include "operators.h"

namespace bench::operators {
namespace {

// A matrix, and as many row numbers as it has rows.
std::vector<Input> with_rows(Index n) {
  const std::vector<Index> shape = matrix(n);
  return {{.shape = shape}, {.shape = {shape[0]}, .kind = Kind::ids, .below = shape[0]}};
}

// Matrices, and a place in its row for each of their elements.
Inputs with_places(std::size_t count) {
  return [count](Index n) {
    const std::vector<Index> shape = matrix(n);
    std::vector<Input> out(count, {.shape = shape});
    out.push_back({.shape = shape, .kind = Kind::ids, .below = shape[1]});
    return out;
  };
}

}  // namespace

std::vector<Operator> arrangements() {
  const Inputs words = [](Index n) {
    return std::vector<Input>{{.shape = {10000, 64}},
                              {.shape = {n / 64}, .kind = Kind::ids, .below = 10000}};
  };
  return {
      both(
          "transpose, contiguous", matrices(1),
          [](H x) { return contiguous(transpose(x[0], 0, 1)); },
          [](T x) { return x[0].transpose(0, 1).contiguous(); }),
      both(
          "concat, axis 0", matrices(2), [](H x) { return concat(x, 0); },
          [](T x) { return torch::cat(x, 0); }),
      both(
          "concat, axis 1", matrices(2), [](H x) { return concat(x, 1); },
          [](T x) { return torch::cat(x, 1); }),
      same("index_select", with_rows, [](auto& x) { return index_select(x[0], 0, x[1]); }),
      same("gather, axis 1", with_places(1), [](auto& x) { return gather(x[0], 1, x[1]); }),
      same("scatter_add, axis 1", with_places(2),
           [](auto& x) { return scatter_add(x[0], 1, x[2], x[1]); }),
      both(
          "embedding, 10,000 rows", words, [](H x) { return embedding(x[0], x[1]); },
          [](T x) { return torch::embedding(x[0], x[1]); })
          .from(100),
  };
}

}  // namespace bench::operators
