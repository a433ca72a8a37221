#include "../../optim/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "../support/throws.h"
#include "all_optimizers.h"

namespace heed {
namespace {

using optim::Adam;
using optim::AdamW;
using optim::Optimizer;
using optim::SGD;
using testing::ElementsAre;

TEST(Optimizer, SparseAndDenseAgreeWhereAllRowsCome) {
  for (std::size_t which = 0; which < kAll; ++which) {
    Generator generator(4);
    const Tensor start = randn({5, 3}, DType::f32, generator);
    Tensor sparse = Tensor(start.array().clone()).set_requires_grad();
    Tensor dense = Tensor(start.array().clone()).set_requires_grad();
    const auto first = std::move(all_of({sparse})[which]);
    const auto second = std::move(all_of({dense})[which]);
    for (int step = 0; step < 5; ++step) {
      const Tensor g = rows_only({3, 0, 4, 1, 2, 2}, 5, 3, generator);
      dense.set_grad(g.sparse_rows().to_dense());
      sparse.set_grad(g);
      first->step();
      second->step();
    }
    EXPECT_EQ(floats(sparse), floats(dense));
    EXPECT_NE(floats(sparse), floats(start));
  }
}

TEST(Optimizer, RowsMayBeWide) {
  constexpr Index kWide = 20011;  // a piece of work by itself
  Tensor table = zeros({3, kWide}).set_requires_grad();
  SGD sgd({table}, {.lr = 1});
  table.set_grad(Tensor(SparseRows{Array::from(std::vector<std::int64_t>{0, 2}),
                                   Array::full({2, kWide}, 1, DType::f32),
                                   {3, kWide}}));
  sgd.step();
  for (const Index row : {0, 1, 2}) {
    EXPECT_THAT(table.array().select(0, row).to_vector<float>(),
                testing::Each(row == 1 ? 0.0f : -1.0f));
  }
}

TEST(Optimizer, RowsThatDoNotComeStayBitForBit) {
  for (std::size_t which = 0; which < kAll; ++which) {
    Generator generator(5);
    Tensor table = randn({7, 3}, DType::f32, generator).set_requires_grad();
    const auto optimizer = std::move(all_of({table})[which]);
    table.set_grad(rows_only({0, 1, 2, 3, 4, 5, 6}, 7, 3, generator));
    optimizer->step();  // all rows have momentum now
    const Array before = table.array().clone();
    const auto state = optimizer->state_dict();
    std::vector<Array> state_before;
    for (const auto& entry : state) state_before.push_back(entry.second.clone());
    table.set_grad(rows_only({5, 2}, 7, 3, generator));
    optimizer->step();
    for (Index row = 0; row < 7; ++row) {
      const bool came = row == 2 || row == 5;
      EXPECT_EQ(table.array().select(0, row).to_vector<float>() ==
                    before.select(0, row).to_vector<float>(),
                !came);
      for (std::size_t k = 0; k < state.size(); ++k) {
        if (state[k].second.rank() != 2) continue;
        EXPECT_EQ(state[k].second.select(0, row).to_vector<float>() ==
                      state_before[k].select(0, row).to_vector<float>(),
                  !came)
            << state[k].first;
      }
    }
  }
}

TEST(Optimizer, ATiedTableTrainsAsItWouldDensely) {
  std::vector<float> results[2];
  for (const bool sparse : {true, false}) {
    manual_seed(6);
    nn::Embedding words({.count = 7, .width = 5, .sparse = sparse});
    Adam adam(words.parameters(), {.lr = 0.1});
    const Tensor ids = Array::from(std::vector<std::int64_t>{1, 4, 1});
    for (int step = 0; step < 3; ++step) {
      adam.zero_grad();
      sum(square(linear(words(ids), words.weight))).backward();
      adam.step();
    }
    results[sparse] = floats(words.weight);
  }
  EXPECT_THAT(results[0], testing::Pointwise(testing::FloatNear(1e-5f), results[1]));
}

TEST(Optimizer, GoesOnToTheSameBitsFromItsState) {
  for (std::size_t which = 0; which < kAll; ++which) {
    std::vector<float> results[2];
    for (const bool interrupted : {false, true}) {
      Generator generator(7);
      Tensor table = randn({5, 3}, DType::f32, generator).set_requires_grad();
      Tensor never = ones({2}).set_requires_grad();
      auto optimizer = std::move(all_of({never, table})[which]);
      for (int step = 0; step < 6; ++step) {
        if (step == 3) optimizer->set_lr(0.03);
        if (step == 4 && interrupted) {
          auto resumed = std::move(all_of({never, table})[which]);
          resumed->load_state_dict(optimizer->state_dict());
          table.set_grad(ones({5, 3}));
          optimizer->step();  // must not reach into the copy
          table.set_array(Array::from(results[0], {5, 3}));
          optimizer = std::move(resumed);
        }
        table.set_grad(rows_only({step % 5, 2}, 5, 3, generator));
        optimizer->step();
        if (step == 3) results[0] = floats(table);
      }
      EXPECT_EQ(optimizer->lr(), 0.03);
      EXPECT_EQ(floats(never), (std::vector<float>{1, 1}));
      if (interrupted) {
        EXPECT_EQ(floats(table), results[1]);
      } else {
        results[1] = floats(table);
      }
    }
  }
}

TEST(Optimizer, NamesItsStateAsPyTorchDoes) {
  Tensor a = ones({2}).set_requires_grad(), b = ones({3}).set_requires_grad();
  Adam adam({a, b}, {.lr = 0.5});
  b.set_grad(ones({3}));
  adam.step();
  std::vector<std::string> names;
  for (const auto& entry : adam.state_dict()) names.push_back(entry.first);
  EXPECT_THAT(names, ElementsAre("groups.0.lr", "parameters.1.step", "parameters.1.exp_avg",
                                 "parameters.1.exp_avg_sq"));
}

TEST(Optimizer, HoldsNoStateThatItsOptionsDoNotAskFor) {
  const auto names = [](auto&& optimizer, Tensor p) {
    p.set_grad(ones({2}));
    optimizer.step();
    std::string out;
    for (const auto& entry : optimizer.state_dict()) {
      const std::string begin = "parameters.0.";
      if (entry.first.starts_with(begin)) out += entry.first.substr(begin.size()) + " ";
    }
    return out;
  };
  const Tensor p = ones({2}).set_requires_grad();
  using optim::RMSprop;
  EXPECT_EQ(names(SGD({p}, {.dampening = 0.5}), p), "step ");
  EXPECT_EQ(names(SGD({p}, 0.1, 0.5), p), "step momentum_buffer ");
  EXPECT_EQ(names(RMSprop({p}), p), "step square_avg ");
  EXPECT_EQ(names(RMSprop({p}, {.momentum = 0.1}), p), "step square_avg momentum_buffer ");
  EXPECT_EQ(names(RMSprop({p}, {.centered = true}), p), "step square_avg grad_avg ");
}

TEST(Optimizer, LoadingListsFaultsAndChangesNothing) {
  Tensor p = ones({3}).set_requires_grad();
  SGD sgd({p}, {.lr = 0.5, .momentum = 0.9});
  p.set_grad(ones({3}));
  sgd.step();
  const optim::NamedArrays entries = {
      {"groups.0.lr", Array::full({}, -2, DType::f64)},
      {"parameters.0.step", Array::from(std::vector<std::int64_t>{0}, {})},
      {"parameters.0.momentum_buffer", Array::zeros({5}, DType::f32)},
      {"parameters.1.step", Array::from(std::vector<std::int64_t>{1}, {})}};
  EXPECT_ERROR(ValueError,
               "SGD: the entries do not fit: \"groups.0.lr\" is -2, not finite or negative; "
               "\"parameters.0.step\" is 0, not in [1, 2^53]; \"parameters.0.momentum_buffer\" is "
               "f32[5], not f32[3]; and 1 more",
               sgd.load_state_dict(entries));
  EXPECT_ERROR(ValueError,
               "SGD: the entries do not fit: \"groups.0.lr\" is missing; \"parameters.1.step\" is "
               "unexpected",
               sgd.load_state_dict({entries[3]}));
  EXPECT_EQ(sgd.lr(), 0.5);
  EXPECT_EQ(sgd.state_dict()[2].second.to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(Optimizer, LoadsAStateFromBeforeTheFirstStep) {
  Tensor p = ones({3}).set_requires_grad();
  SGD fresh({p}, {.lr = 0, .momentum = 0.9}), stepped({p}, {.lr = 0.5, .momentum = 0.9});
  p.set_grad(ones({3}));
  stepped.step();
  ASSERT_EQ(stepped.state_dict().size(), 3U);
  stepped.load_state_dict(fresh.state_dict());
  EXPECT_EQ(stepped.state_dict().size(), 1U);
  EXPECT_EQ(stepped.lr(), 0);
  stepped.set_lr(1);
  p.set_array(Array::full({3}, 5, DType::f32));
  p.set_grad(ones({3}));
  stepped.step();
  EXPECT_THAT(floats(p), testing::Each(4.0f)) << "without what it had gathered";
}

TEST(Optimizer, LoadingChecksEachEntry) {
  Tensor p = ones({3}).set_requires_grad();
  SGD sgd({p}, {.lr = 0.5, .momentum = 0.9});
  p.set_grad(ones({3}));
  sgd.step();
  const auto good = sgd.state_dict();
  const auto refused = [&](std::size_t which, const Array& entry, const std::string& text) {
    auto entries = good;
    entries[which].second = entry;
    EXPECT_ERROR(ValueError, "SGD: the entries do not fit: " + text, sgd.load_state_dict(entries));
  };
  const auto steps = [](std::int64_t count) {
    return Array::from(std::vector<std::int64_t>{count}, {});
  };
  const std::string lr = "\"groups.0.lr\" is ", step = "\"parameters.0.step\" is ",
                    buffer = "\"parameters.0.momentum_buffer\" is ";
  refused(0, Array::full({}, INFINITY, DType::f64), lr + "inf, not finite or negative");
  refused(0, Array::full({}, NAN, DType::f64), lr + "nan, not finite or negative");
  refused(0, Array::full({}, 1, DType::f32), lr + "f32[], not f64[]");
  refused(1, Array::full({}, 1, DType::f64), step + "f64[], not i64[]");
  refused(1, steps((std::int64_t{1} << 53) + 1), step + "9007199254740993, not in [1, 2^53]");
  refused(2, Array(), buffer + "undefined, not f32[3]");
  refused(2, Array::zeros({3}, DType::f64), buffer + "f64[3], not f32[3]");
  auto twice = good;
  twice.push_back(good[0]);
  EXPECT_ERROR(ValueError, "SGD: the entries do not fit: \"groups.0.lr\" is named twice",
               sgd.load_state_dict(twice));
  auto most = good;
  most[1].second = steps(std::int64_t{1} << 53);
  sgd.load_state_dict(most);
  EXPECT_EQ(sgd.state_dict()[1].second.item(), std::ldexp(1, 53));
}

TEST(Optimizer, GroupsHaveTheirOwnOptions) {
  Tensor a = ones({2}).set_requires_grad(), b = ones({2}).set_requires_grad();
  SGD sgd(std::vector<optim::ParameterGroup<optim::SGDOptions>>{
      {.parameters = {a}, .options = {.lr = 0.5}},
      {.parameters = {b}, .options = {.lr = 0.25, .weight_decay = 1}}});
  EXPECT_EQ(sgd.group_count(), 2U);
  a.set_grad(ones({2}));
  b.set_grad(ones({2}));
  sgd.step();
  EXPECT_THAT(floats(a), ElementsAre(0.5f, 0.5f));
  EXPECT_THAT(floats(b), ElementsAre(0.5f, 0.5f));
  sgd.set_lr(1, 0);
  sgd.step();
  EXPECT_THAT(floats(a), ElementsAre(0.0f, 0.0f));
  EXPECT_THAT(floats(b), ElementsAre(0.5f, 0.5f));
  EXPECT_EQ(sgd.lr(1), 0);
  EXPECT_ERROR(IndexError, "SGD: group 2 is out of range [0, 2)", sgd.set_lr(2, 1));
  EXPECT_ERROR(IndexError, "SGD: group 7 is out of range [0, 2)", sgd.lr(7));
  EXPECT_ERROR(ValueError, "SGD: lr -1 must be finite and not negative", sgd.set_lr(1, -1));
  EXPECT_ERROR(ValueError, "SGD: lr inf must be finite and not negative", sgd.set_lr(INFINITY));
  EXPECT_EQ(sgd.lr(0), 0.5);
  EXPECT_EQ(sgd.lr(1), 0);
}

TEST(Optimizer, PassesOverTheFrozenAndWritesInPlace) {
  nn::Linear layer(3, 2);
  const auto* place = layer.weight.array().raw();
  const auto version = layer.weight.array().version();
  Adam adam(layer.parameters());
  layer.bias.set_requires_grad(false);
  const auto weight = floats(layer.weight), bias = floats(layer.bias);
  sum(layer(ones({5, 3}))).backward();
  adam.step();
  EXPECT_NE(floats(layer.weight), weight);
  EXPECT_EQ(floats(layer.bias), bias);
  EXPECT_EQ(layer.weight.array().raw(), place);
  EXPECT_GT(layer.weight.array().version(), version);
}

TEST(Optimizer, FollowsAChangeOfDtype) {
  nn::Linear layer(3, 2);
  Adam adam(layer.parameters());
  for (const DType dtype : {DType::f32, DType::f64}) {
    layer.to(dtype);
    sum(layer(ones({5, 3}, dtype))).backward();
    adam.step();
  }
  EXPECT_EQ(layer.weight.dtype(), DType::f64);
  EXPECT_EQ(adam.state_dict()[2].second.dtype(), DType::f64);
}

TEST(Optimizer, TakesAnyStrides) {
  Tensor p(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1));
  p.set_requires_grad();
  p.set_grad(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1));
  SGD({p}, {.lr = 1, .momentum = 0.5}).step();
  EXPECT_THAT(floats(p), testing::Each(0.0f));
  p.set_grad(Array::full({}, 1, DType::f32).expand({3, 2}));
  SGD({p}, {.lr = 1}).step();
  EXPECT_THAT(floats(p), testing::Each(-1.0f));
}

// A group takes the options that stand beside it: two groups step as two optimizers do.
template <class Kind, class Options>
void expect_groups_step_as_two(const Options& first, const Options& second) {
  const auto fresh = [](double at) {
    Tensor p = full({3}, at, DType::f64);
    p.set_requires_grad();
    return p;
  };
  Tensor a = fresh(2), b = fresh(-3), c = fresh(2), d = fresh(-3);
  Kind together(std::vector<optim::ParameterGroup<Options>>{{{a}, first}, {{b}, second}});
  Kind one({c}, first), other({d}, second);
  for (int step = 0; step < 3; ++step) {
    together.zero_grad();
    one.zero_grad();
    other.zero_grad();
    sum(a * a * a + b * b).backward();
    sum(c * c * c + d * d).backward();
    together.step();
    one.step();
    other.step();
  }
  EXPECT_EQ(a.array().to_vector<double>(), c.array().to_vector<double>());
  EXPECT_EQ(b.array().to_vector<double>(), d.array().to_vector<double>());
  EXPECT_NE(a.array().to_vector<double>()[0], 2);
}

TEST(Optimizer, EachKindTakesGroups) {
  expect_groups_step_as_two<SGD, optim::SGDOptions>({.lr = 0.1}, {.lr = 0.03, .momentum = 0.7});
  expect_groups_step_as_two<Adam, optim::AdamOptions>({.lr = 0.1}, {.lr = 0.03});
  expect_groups_step_as_two<AdamW, optim::AdamWOptions>({.lr = 0.1}, {.lr = 0.03});
  expect_groups_step_as_two<optim::RMSprop, optim::RMSpropOptions>({.lr = 0.1}, {.alpha = 0.7});
  expect_groups_step_as_two<optim::Adagrad, optim::AdagradOptions>({.lr = 0.1}, {.lr_decay = 0.3});
  expect_groups_step_as_two<optim::Adadelta, optim::AdadeltaOptions>({.lr = 3}, {.rho = 0.7});
}

}  // namespace
}  // namespace heed
