// The normalising layers against those of torch::nn; batch normalisation in all of its ways to keep
// running averages, or none.
#include <gtest/gtest.h>

#include <algorithm>

#include "../../nn/batch_norm.h"
#include "../../nn/group_norm.h"
#include "../../nn/layer_norm.h"
#include "../../nn/weight_norm.h"
#include "compare_layers.h"

namespace heed::parity {
namespace {

namespace tn = torch::nn;

TEST(NormLayerParity, LayerNorm) {
  unary(nn::LayerNorm({3, 5}, 1e-3), tn::LayerNorm(tn::LayerNormOptions({3, 5}).eps(1e-3)),
        {2, 3, 5});
  unary(nn::LayerNorm({5}, 1e-5, false),
        tn::LayerNorm(tn::LayerNormOptions({5}).elementwise_affine(false)), {2, 3, 5});
}

TEST(NormLayerParity, GroupNorm) { unary(nn::GroupNorm(2, 6), tn::GroupNorm(2, 6), {3, 6, 5}); }

// Options of the two libraries that mean the same.
struct Way {
  nn::BatchNormOptions ours;
  tn::BatchNormOptions theirs;
};

std::vector<Way> ways(Index channels) {
  const tn::BatchNormOptions plain(channels);
  return {
      {{}, plain},
      {{.eps = 1e-3, .momentum = 0.3}, tn::BatchNormOptions(plain).eps(1e-3).momentum(0.3)},
      {{.affine = false}, tn::BatchNormOptions(plain).affine(false)},
      {{.momentum = {}}, tn::BatchNormOptions(plain).momentum(c10::nullopt)},
      {{.track_running_stats = false}, tn::BatchNormOptions(plain).track_running_stats(false)},
      {{.momentum = {}, .affine = false, .track_running_stats = false},
       tn::BatchNormOptions(plain).momentum(c10::nullopt).affine(false).track_running_stats(false)},
  };
}

// The first batch and the fourth, with what becomes of the running averages; then in evaluation.
template <class Ours, class Holder>
void batch_norm(const std::vector<Index>& shape) {
  int place = 0;
  for (const Way& way : ways(shape[1])) {
    SCOPED_TRACE("way " + std::to_string(place++));
    Ours ours(shape[1], way.ours);
    Holder theirs(way.theirs);
    unary(ours, theirs, shape);
    for (int batch = 0; batch < 2; ++batch) {
      theirs->forward(torch::randn(shape, torch::kFloat64) * 3 + batch);
    }
    ours.zero_grad();
    theirs->zero_grad();
    unary(ours, theirs, shape);
    ours.eval();
    theirs->eval();
    ours.zero_grad();
    theirs->zero_grad();
    unary(ours, theirs, shape);
  }
}

TEST(NormLayerParity, BatchNorm1d) {
  batch_norm<nn::BatchNorm1d, tn::BatchNorm1d>({5, 3});
  batch_norm<nn::BatchNorm1d, tn::BatchNorm1d>({2, 3, 7});
}

TEST(NormLayerParity, BatchNorm2d) { batch_norm<nn::BatchNorm2d, tn::BatchNorm2d>({2, 3, 5, 2}); }

// Parameters and weight as torch.nn.utils.weight_norm leaves them; the C++ library has no more of
// it than the operator.
struct WeightNormed : tn::Module {
  explicit WeightNormed(const std::vector<Index>& weight)
      : bias(register_parameter("bias", torch::randn({weight[0]}))),
        g(register_parameter("weight_g", torch::randn(lengths(weight)))),
        v(register_parameter("weight_v", torch::randn(weight))) {}
  static std::vector<Index> lengths(std::vector<Index> shape) {
    std::fill(shape.begin() + 1, shape.end(), 1);
    return shape;
  }
  torch::Tensor weight() const { return torch::_weight_norm(v, g, 0); }

  torch::Tensor bias, g, v;
};

TEST(NormLayerParity, WeightNormLinear) {
  nn::WeightNormLinear ours(5, 7);
  WeightNormed theirs({7, 5});
  compare(
      ours, theirs, {{3, 5}}, [&](H x) { return ours(x[0]); },
      [&](T x) { return torch::linear(x[0], theirs.weight(), theirs.bias); });
}

TEST(NormLayerParity, WeightNormConv1d) {
  nn::WeightNormConv1d ours(3, 7, 2);
  WeightNormed theirs({7, 3, 2});
  compare(
      ours, theirs, {{2, 3, 11}}, [&](H x) { return ours(x[0]); },
      [&](T x) { return torch::conv1d(x[0], theirs.weight(), theirs.bias); });
}

}  // namespace
}  // namespace heed::parity
