// The code of docs/autograd.md, docs/gradcheck.md, docs/hard_attention.md, docs/precision.md,
// docs/explanations.md and the first lines of docs/attention.md: what no test of a folder has
// already.
#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <map>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../io/io.h"
#include "../../nn/nn.h"
#include "../../optim/optim.h"
#include "../../train/train.h"
#include "../io/temporary_folder.h"

namespace heed {
namespace {

using attention::Mask;

TEST(AutogradGuide, GradientsAddUp) {
  const Tensor x = randn({7, 5}), y = randn({7, 3});
  Tensor w = randn({5, 3});
  w.set_requires_grad();
  sum(square(matmul(x, w) - y)).backward();
  w.grad();  // summed over passes until w.zero_grad()
  const Tensor once = w.grad().clone();
  sum(square(matmul(x, w) - y)).backward();
  EXPECT_TRUE(allclose(w.grad(), 2 * once));
}

TEST(AutogradGuide, HooksSeeEachParameter) {
  nn::Linear model(3, 5);
  std::map<std::string, double> norms;
  const auto norm_of = [](const Tensor& g) { return sum(square(g)).item(); };
  model.register_hook([&](const std::string& name, const Tensor& gradient) {
    norms[name] = norm_of(gradient);
    return Tensor();
  });
  sum(model(randn({2, 3}))).backward();
  EXPECT_EQ(norms.size(), 2U);
  EXPECT_NEAR(norms["bias"], 5 * 4, 1e-5);
}

TEST(AutogradGuide, CheckpointsGiveTheSame) {
  using Block = nn::Linear;
  std::list<Block> blocks;
  for (int i = 0; i < 3; ++i) blocks.emplace_back(5, 5);
  const Tensor begin = randn({2, 5}).set_requires_grad();
  Tensor x = begin, plain = begin;
  for (const Block& block : blocks) plain = block(plain);
  for (Block& block : blocks) x = checkpoint([&](const Tensor& h) { return block(h); }, x);
  EXPECT_TRUE(allclose(grad(sum(square(x)), begin), grad(sum(square(plain)), begin)));
}

TEST(AutogradGuide, AnomaliesAreNamed) {
  const DetectAnomaly anomaly;
  const AnomalyScope scope("encoder");
  const Tensor x = tensor({-1.0}).set_requires_grad();
  EXPECT_THROW(log(x), AnomalyError);
}

TEST(AutogradGuide, JacobiansAndProducts) {
  const auto f = [](const Tensor& t) { return tanh(t) * t; };
  const auto loss = [](const Tensor& t) { return sum(tanh(t) * square(t)); };
  const Tensor x = randn({5}, DType::f64), v = randn({5}, DType::f64);
  const Tensor j = jacobian(f, x);            // the value's shape, then x's
  const Tensor h = hessian(loss, x);          // x's shape twice
  const auto [value, vj] = vjp(f, x, v);      // v J: one backward pass
  const auto [value2, jv] = jvp(f, x, v);     // J v: two, by differentiating v J along v
  const auto [value3, hv] = hvp(loss, x, v);  // H v, without H
  EXPECT_TRUE(allclose(vj, matmul(v, j)));
  EXPECT_TRUE(allclose(jv, matmul(j, v)));
  EXPECT_TRUE(allclose(hv, matmul(h, v)));
  EXPECT_TRUE(allclose(value, value2));
  EXPECT_NEAR(value3.item(), loss(x).item(), 1e-12);
}

TEST(AutogradGuide, HessiansOfParameters) {
  nn::Linear model(3, 2);
  const Tensor loss = sum(square(tanh(model(randn({7, 3})))));
  const std::vector<Tensor> params = model.parameters();
  const std::vector<Tensor> v = {randn({2, 3}), randn({2})};
  const auto g = grad({loss}, params, {}, {.create_graph = true});
  const auto hv = grad(g, params, v);
  ASSERT_EQ(hv.size(), 2U);
  EXPECT_EQ(hv[0].shape(), (Shape{2, 3}));
}

TEST(GradcheckGuide, ChecksFunctionsAndModels) {
  auto report =
      heed::gradcheck([](const std::vector<Tensor>& x) { return tanh(matmul(x[0], x[1])); },
                      {randn({3, 5}, DType::f64), randn({5, 2}, DType::f64)});
  if (!report) std::puts(report.text().c_str());
  EXPECT_TRUE(report);
}

TEST(GradcheckGuide, ChecksModels) {
  nn::Sequential model(nn::Linear(3, 5), nn::Tanh(), nn::Linear(5, 2));
  const Tensor x = randn({7, 3}, DType::f64), ids = x, y = randint(0, 2, {7});
  const auto loss = [](const Tensor& logits, const Tensor& labels) {
    return cross_entropy(logits, labels);
  };
  model.to(DType::f64);
  model.eval();                                                            // no dropout
  auto report = nn::gradcheck(model, x);                                   // model(x)
  auto other = nn::gradcheck(model, [&] { return loss(model(ids), y); });  // whatever it takes
  EXPECT_TRUE(report) << report.text();
  EXPECT_TRUE(other) << other.text();
}

TEST(HardAttentionGuide, TheLeastOneHasToWrite) {
  constexpr Index B = 3, L = 5, D = 2;
  const Tensor scores = randn({B, L}).set_requires_grad();
  const Tensor values = randn({B, L, D}), target = randn({B, D});
  const auto loss = [](const Tensor& a, const Tensor& b) { return sum(square(a - b), {-1}); };
  MovingAverage average;
  Samples samples;                                                  // records what is drawn
  const Tensor s = samples.draw(Categorical::from_logits(scores));  // i64 [B], scores [B, L]
  const Tensor seen = Choice::hard(s, L, DType::f32).pick(values);  // [B, L, D] -> [B, D], a gather
  const Tensor cost = loss(seen, target);                           // [B]
  samples.add_cost(cost);
  samples.surrogate(average.value()).backward();  // MovingAverage average;
  average.update(cost);
  EXPECT_EQ(scores.grad().shape(), (Shape{B, L}));
  EXPECT_NEAR(average.value().item(), mean(cost).item(), 1e-5);
}

TEST(HardAttentionGuide, ACostOfItsChoices) {
  const attention::Dot dot;
  const Tensor query = randn({3, 1, 7}).set_requires_grad(), keys = randn({3, 5, 7});
  const Tensor values = randn({3, 5, 2}), target = randn({3, 2});
  const auto score = [&](const Tensor& q, const Tensor& k) { return squeeze(dot(q, k), 1); };
  const auto loss = [](const Tensor& a, const Tensor& b) { return sum(square(a - b), {-1}); };
  const auto cost = [&](Choices& choices) {                   // -> [B]
    const Choice where = choices.choose(score(query, keys));  // logits [B, L]
    return loss(where.pick(values), target);
  };
  LeaveOneOut estimator(4);
  estimator(cost).backward();
  EXPECT_TRUE(query.grad().defined());
}

TEST(HardAttentionGuide, IsItUnbiased) {
  const Tensor theta = randn({1, 3}, DType::f64);
  const Tensor costs = tensor({0.3, -1.0, 2.0}).to(DType::f64);
  const auto cost = [&](Choices& choices, const Tensor& rows) {
    return choices.choose(rows).pick_number(costs);
  };
  LeaveOneOut estimator(4);
  const auto report = stochastic_gradcheck(estimator, cost, theta);  // cost(choices, rows of theta)
  if (!report) std::puts(report.text().c_str());
  EXPECT_TRUE(report);
}

TEST(PrecisionGuide, RunsAndLoads) {
  nn::Sequential model(nn::Linear(3, 5), nn::Tanh(), nn::Linear(5, 2));
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  const Tensor x = randn({7, 3}), y = randint(0, 2, {7});
  train::Run run(model, adam, {.epochs = 3, .precision = Precision::bf16});
  Tensor loss;
  {
    const PrecisionScope scope(Precision::bf16);
    loss = cross_entropy(model(x), y);
  }
  loss.backward();  // each derivative has the precision of what it belongs to
  EXPECT_TRUE(model.parameters()[0].grad().defined());

  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  const Tensor before = model(x).detach();
  io::save(path, model);
  io::load(path, model, io::Quantize::int8);  // or nn::to_int8(model)
  EXPECT_TRUE(allclose(model(x), before, 0.1, 0.1));
}

TEST(PrecisionGuide, LoadsWeightsInBf16) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  nn::Sequential model(nn::Linear(3, 5), nn::Tanh(), nn::Linear(5, 2));
  const Tensor x = randn({7, 3}), before = model(x).detach();
  io::save(path, model);
  io::load(path, model, io::Quantize::bf16);  // or, of a model that is there: nn::to_bf16(model)
  EXPECT_TRUE(allclose(model(x), before, 0.1, 0.1));
}

TEST(PrecisionGuide, Holds) {
  const Tensor x = randn({7, 3});
  const Tensor held = to(x, DType::bf16);  // half of the bytes; to the nearest, ties to even
  const Tensor y = held + 1;               // f32
  EXPECT_EQ(held.dtype(), DType::bf16);
  EXPECT_EQ(y.dtype(), DType::f32);
}

TEST(AttentionGuide, ThreeNounsAndAFunction) {
  const Tensor query = randn({2, 7, 64}), keys = randn({2, 7, 128}), values = randn({2, 7, 3});
  const Tensor bias = randn({7, 7});
  const attention::Alibi alibi(1);
  const attention::Additive score(64, 128, 32);  // query width, key width, hidden
  const attention::Sparsemax normaliser;
  const attention::Attended out = attention::attend(
      score, query, keys, values,
      {
          // without score: scaled dot
          .normaliser = &normaliser,  // null: softmax
          .mask = Mask::causal() & Mask::lengths({7, 5}, 7),
          .bias = bias,             // any tensor, sums of several included
          .position_bias = &alibi,  // a bias by offset alone: no block is made of it
          .need_weights = true,     // out.weights; else they are never made
      });
  EXPECT_EQ(out.context.shape(), (Shape{2, 7, 3}));
  EXPECT_TRUE(allclose(sum(out.weights, {-1}), ones({2, 7})));
}

// docs/architecture.md
TEST(ArchitectureGuide, OneCall) {
  Tensor x = randn({1, 4, 512, 32}).set_requires_grad();
  const auto mask = attention::Mask::causal();
  const Tensor y = attention::attend(x, x, x, {.mask = mask}).context;
  sum(square(y)).backward();
  EXPECT_EQ(x.grad().shape(), x.shape());
}

TEST(ExplanationsGuide, RelevanceOfPatches) {
  constexpr Index N = 4;
  attention::VisionTransformer vit({.height = 6,
                                    .width = 6,
                                    .channels = 1,
                                    .patch = 3,
                                    .classes = 5,
                                    .layers = 2,
                                    .embedding = 8,
                                    .heads = 2});
  const Tensor images = randn({2, 1, 6, 6});
  const auto out = vit(images, {.need_weights = true});               // recorded: not under NoGrad
  const Tensor score = select(out.logits, 1, 3);                      // [B]: why class 3?
  const Tensor map = train::attention_relevance(out.weights, score);  // [B, T, T]
  const Tensor patches = narrow(select(map, 1, 0), 1, 1, N);
  EXPECT_EQ(patches.shape(), (Shape{2, N}));
}

TEST(AttentionGuide, StepByStep) {
  const Tensor keys = randn({2, 7, 5}), values = randn({2, 7, 3}), state = randn({2, 5});
  const std::vector<Index> lengths = {7, 4};
  constexpr Index K = 7;
  constexpr int steps = 3;
  const attention::LocationAware score({.query_width = 5, .key_width = 5, .hidden = 11});
  const attention::Memory memory(score, keys, values, Mask::lengths(lengths, K));
  attention::Past past;
  for (int t = 0; t < steps; ++t) {
    const Tensor context = memory.step(state, past).context;  // state [B, dq] -> [B, dv]
    EXPECT_EQ(context.shape(), (Shape{2, 3}));
  }
}

}  // namespace
}  // namespace heed
