#include "../autograd/ops/conv/conv.h"
#include "../autograd/ops/conv/pool.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/normalise/batch_norm.h"
#include "../autograd/ops/normalise/layer_norm.h"
#include "operators.h"

namespace bench::operators {
namespace {

// A matrix, and a weight and a bias for its columns.
std::vector<Input> with_affine(Index n) {
  const std::vector<Index> shape = matrix(n);
  return {{.shape = shape}, {.shape = {shape[1]}, .center = 1}, {.shape = {shape[1]}}};
}

std::vector<Input> squares(Index n) {
  const Index side = std::llround(std::sqrt(static_cast<double>(n)));
  return {{.shape = {side, side}}, {.shape = {side, side}}};
}

std::vector<Input> thin(Index n) { return {{.shape = {n / 64, 64}}, {.shape = {64, 64}}}; }

std::vector<Input> to_256(Index n) {
  return {{.shape = {std::max<Index>(1, n / 256), 256}}, {.shape = {256, 256}}, {.shape = {256}}};
}

// 16 channels of 16 x 16.
std::vector<Input> images(Index n) { return {{.shape = {n / 4096, 16, 16, 16}}}; }
std::vector<Input> filtered_images(Index n) {
  return {{.shape = {n / 4096, 16, 16, 16}}, {.shape = {16, 16, 3, 3}}, {.shape = {16}}};
}

// Scores, and the right column of each row.
std::vector<Input> classified(Index n) {
  const std::vector<Index> shape = matrix(n);
  return {{.shape = shape}, {.shape = {shape[0]}, .kind = Kind::ids, .below = shape[1]}};
}

}  // namespace

std::vector<Operator> layers() {
  return {
      same("matmul, square", squares, [](auto& x) { return matmul(x[0], x[1]); }),
      same("matmul, 64 wide", thin, [](auto& x) { return matmul(x[0], x[1]); }).from(100),
      same("linear, 256 to 256", to_256, [](auto& x) { return linear(x[0], x[1], x[2]); }),
      both(
          "layer_norm", with_affine,
          [](H x) { return layer_norm(x[0], {x[0].size(1)}, x[1], x[2]); },
          [](T x) { return torch::layer_norm(x[0], {x[0].size(1)}, x[1], x[2]); }),
      both(
          "batch_norm", with_affine,
          [](H x) { return batch_norm(x[0], {}, {}, x[1], x[2], /*training=*/true); },
          [](T x) { return torch::batch_norm(x[0], x[1], x[2], {}, {}, true, 0.1, 1e-5, false); })
          .from(100),
      both(
          "conv2d, 3 x 3", filtered_images,
          [](H x) { return conv2d(x[0], x[1], x[2], {.padding = 1}); },
          [](T x) { return torch::conv2d(x[0], x[1], x[2], 1, 1); })
          .from(10000),
      both(
          "max_pool2d, 2 x 2", images, [](H x) { return max_pool2d(x[0], {.kernel = 2}); },
          [](T x) { return torch::max_pool2d(x[0], 2); })
          .from(10000),
      both(
          "cross_entropy", classified, [](H x) { return cross_entropy(x[0], x[1]); },
          [](T x) { return torch::cross_entropy_loss(x[0], x[1]); }),
  };
}

}  // namespace bench::operators
