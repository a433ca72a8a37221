// The code of docs/recipes.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../nn/nn.h"
#include "../../optim/gradient_runs.h"
#include "../../optim/optim.h"
#include "../../optim/optimizer_of.h"

namespace heed {
namespace {

using attention::Mask;

// [docs: score]
// e = beta cos(q, k): beta learned, kept positive.
class Cosine : public attention::Score {
 public:
  Tensor& log_beta = parameter("log_beta", zeros({}));

  Tensor prepare(const Tensor& keys) const override { return unit(keys); }
  bool prepares() const override { return true; }
  std::optional<Form> form(const Tensor& query, const Tensor& prepared) const override {
    return Form{unit(query) * exp(log_beta), prepared, 1};
  }

 private:
  static Tensor unit(const Tensor& x) { return x / sqrt(sum(square(x), {-1}, true) + 1e-12); }
};
// [end]

TEST(Recipes, AScore) {
  // [docs: score test]
  Cosine score;
  score.to(DType::f64);
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        return attention::attend(score, x[0], x[1], x[2], {.mask = Mask::causal()}).context;
      },
      {randn({2, 3, 5}, DType::f64), randn({2, 7, 5}, DType::f64), randn({2, 7, 11}, DType::f64)});
  EXPECT_TRUE(report) << report.text();

  // In tiles and by its block the same.
  const Tensor q = randn({2, 3, 5}, DType::f64), k = randn({2, 7, 5}, DType::f64);
  const Tensor tiled = attention::attend(score, q, k, k, {.tiles_only = true}).context;
  const Tensor block = matmul(softmax(score(q, score.prepare(k)), -1), k);
  EXPECT_TRUE(allclose(tiled, block));
  // [end]
}

// [docs: distance score]
// e = -beta sum_d |q_d - k_d|: no product, so it has no form() and no tiles.
class Manhattan : public attention::Score {
 public:
  Tensor& log_beta = parameter("log_beta", zeros({}));

  Tensor operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const override {
    const Tensor apart = unsqueeze(query, -2) - unsqueeze(prepared, -3);  // [.., Q, K, d]
    return -exp(log_beta) * sum(abs(apart), {-1});
  }
};
// [end]

TEST(Recipes, AScoreOfDistances) {
  // [docs: distance score test]
  Manhattan score;
  score.to(DType::f64);
  // In each feature keys are multiples of 0.5 and queries lie 0.25 beside one: nobody meets.
  const auto apart = [](const Shape& shape, double beside) {
    return 0.5 * round(2 * randn(shape, DType::f64)) + beside;
  };
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        return attention::attend(score, x[0], x[1], x[2], {.mask = Mask::causal()}).context;
      },
      {apart({2, 3, 5}, 0.25), apart({2, 7, 5}, 0), randn({2, 7, 11}, DType::f64)});
  EXPECT_TRUE(report) << report.text();
  // [end]
}

// [docs: normaliser]
// relu(e)^2 / sum relu(e)^2: exact zeros, no exponential.
class Squares : public attention::Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* = nullptr) const override {
    // The inner one keeps what is masked out of the derivative.
    const Tensor seen = allowed.defined() ? where(allowed, scores, 0) : scores;
    const Tensor w = square(relu(seen));
    return w / (sum(w, {axis}, true) + 1e-12);
  }
};
// [end]

TEST(Recipes, ANormaliser) {
  // [docs: normaliser test]
  const Squares squares;
  const Tensor q = randn({3, 5}, DType::f64), k = randn({7, 5}, DType::f64);
  const Mask mask = Mask::causal() & Mask::rule([](auto, auto key) { return key != 2; });
  const auto seen =
      attention::attend(q, k, k, {.normaliser = &squares, .mask = mask, .need_weights = true});
  EXPECT_EQ(amax(narrow(seen.weights, -1, 2, 1)).item(), 0);  // exactly
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        return attention::attend(x[0], x[1], x[1], {.normaliser = &squares, .mask = mask}).context;
      },
      {q, k});
  EXPECT_TRUE(report) << report.text();
  // [end]
}

// [docs: layer]
// y = x + sigmoid(gate) * linear(x), the gate one number a feature.
class Gated : public nn::Layer<Gated> {
 public:
  explicit Gated(Index width, DType dtype = DType::f32) : width_(width), dtype_(dtype) {}

 private:
  Index width_;
  DType dtype_;

 public:
  nn::Linear& linear = child<nn::Linear>("linear", width_, width_);
  Tensor& gate = parameter("gate", zeros({width_}, dtype_));

  Tensor operator()(const Tensor& x) const {  // [.., width] -> [.., width]
    const Scope scope(*this);                 // errors and profiles name it
    return forwarded(x + sigmoid(gate) * linear(x));
  }
};
// [end]

TEST(Recipes, ALayer) {
  // [docs: layer test]
  Gated layer(5);
  layer.to(DType::f64);
  const auto report = nn::gradcheck(layer, randn({2, 3, 5}, DType::f64));
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(layer.named_parameters().size(), 3U);
  // [end]
}

// [docs: mechanism]
// Attention with a doubt: beside the context, how sure it was, 1 - entropy / log K.
class Doubting : public nn::Module {
 public:
  explicit Doubting(Index width) : width_(width) {}

 private:
  Index width_;

 public:
  attention::Additive& score = child<attention::Additive>("score", width_, width_, width_);
  nn::Linear& combine = child<nn::Linear>("combine", width_ + 1, width_);

  // query [B, Q, width], memory prepared by prepare() -> context [B, Q, width]
  attention::Memory prepare(const Tensor& keys, const Mask& mask = {}) const {
    return {score, keys, keys, mask};
  }
  attention::Attended operator()(const Tensor& query, const attention::Memory& memory,
                                 attention::Terms terms = {}) const {
    const Scope scope(*this);
    terms.need_weights = true;
    attention::Attended seen = attention::attend(query, memory, terms);
    const Tensor& w = seen.weights;
    const Tensor entropy = -sum(w * log(w + 1e-12), {-1}, true);  // [B, Q, 1]
    const Tensor sure = 1 - entropy / std::log(static_cast<double>(w.size(-1)));
    seen.context = forwarded(combine(concat({seen.context, sure}, -1)));
    return seen;
  }
};
// [end]

TEST(Recipes, AMechanism) {
  // [docs: mechanism test]
  Doubting look(5);
  look.to(DType::f64);
  const auto report =
      nn::gradcheck(look, [&, q = randn({2, 3, 5}, DType::f64), k = randn({2, 7, 5}, DType::f64)] {
        return look(q, look.prepare(k, Mask::lengths({7, 4}, 7))).context;
      });
  EXPECT_TRUE(report) << report.text();
  // [end]
}

// [docs: optimizer]
// p = p - lr sign(g)
struct SignOptions {
  double lr = 1e-3;
};

class Sign final : public optim::OptimizerOf<Sign, SignOptions> {
 public:
  using OptimizerOf::OptimizerOf;
  static constexpr const char* kName = "Sign";
  static std::vector<std::string> state_names(const SignOptions&) { return {}; }

 private:
  void update(Slot& slot, const Tensor& gradient, Array& numbers) override {
    visit_floating(kName, numbers.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T* const p = numbers.mutable_data<T>();
      const T rate = static_cast<T>(lr(slot.group));
      optim::for_each_run<T>(gradient,
                             [&](Index at, const T* g, Index n) {  // rows, if it is sparse
                               for (Index i = 0; i < n; ++i) {
                                 p[at + i] -= g[i] > 0 ? rate : g[i] < 0 ? -rate : T{0};
                               }
                             });
    });
  }
};
// [end]

TEST(Recipes, AnOptimizer) {
  // [docs: optimizer test]
  Tensor w = tensor({1.0, -2.0, 3.0}).set_requires_grad();
  Sign sign_of({w}, {.lr = 0.5});
  for (int step = 0; step < 6; ++step) {
    sign_of.zero_grad();
    sum(square(w)).backward();
    sign_of.step();
  }
  EXPECT_LE(amax(abs(w)).item(), 0.5);
  // [end]
}

}  // namespace
}  // namespace heed
