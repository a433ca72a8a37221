#include "../../optim/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "../../optim/adadelta.h"
#include "../../optim/adagrad.h"
#include "../../optim/adam.h"
#include "../../optim/rmsprop.h"
#include "../../optim/sgd.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::Adam;
using optim::AdamW;
using optim::Optimizer;
using optim::SGD;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> numbers(const Tensor& tensor) { return tensor.array().to_vector<float>(); }

constexpr std::size_t kAll = 6;

// All of them, with everything turned on that leaves rows alone.
std::vector<std::unique_ptr<Optimizer>> all_of(const std::vector<Tensor>& parameters) {
  std::vector<std::unique_ptr<Optimizer>> out;
  out.push_back(std::make_unique<SGD>(
      parameters,
      optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.1}));
  out.push_back(
      std::make_unique<Adam>(parameters, optim::AdamOptions{.lr = 0.1, .weight_decay = 0.1}));
  out.push_back(
      std::make_unique<AdamW>(parameters, optim::AdamWOptions{.lr = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::Adagrad>(
      parameters, optim::AdagradOptions{.lr_decay = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::Adadelta>(
      parameters, optim::AdadeltaOptions{.lr = 0.1, .weight_decay = 0.1}));
  out.push_back(std::make_unique<optim::RMSprop>(
      parameters, optim::RMSpropOptions{.weight_decay = 0.1, .momentum = 0.9, .centered = true}));
  return out;
}

Tensor rows_only(const std::vector<std::int64_t>& ids, Index count, Index width,
                 Generator& generator) {
  const Array values = generator.normal({static_cast<Index>(ids.size()), width}, 0, 1);
  return Tensor(SparseRows::gather(Array::from(ids), values, count));
}

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
    EXPECT_EQ(numbers(sparse), numbers(dense));
    EXPECT_NE(numbers(sparse), numbers(start));
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
    results[sparse] = numbers(words.weight);
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
        if (step == 3) results[0] = numbers(table);
      }
      EXPECT_EQ(optimizer->lr(), 0.03);
      EXPECT_EQ(numbers(never), (std::vector<float>{1, 1}));
      if (interrupted) {
        EXPECT_EQ(numbers(table), results[1]);
      } else {
        results[1] = numbers(table);
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
  EXPECT_THAT(numbers(p), testing::Each(4.0f)) << "without what it had gathered";
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
  EXPECT_THAT(numbers(a), ElementsAre(0.5f, 0.5f));
  EXPECT_THAT(numbers(b), ElementsAre(0.5f, 0.5f));
  sgd.set_lr(1, 0);
  sgd.step();
  EXPECT_THAT(numbers(a), ElementsAre(0.0f, 0.0f));
  EXPECT_THAT(numbers(b), ElementsAre(0.5f, 0.5f));
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
  const auto weight = numbers(layer.weight), bias = numbers(layer.bias);
  sum(layer(ones({5, 3}))).backward();
  adam.step();
  EXPECT_NE(numbers(layer.weight), weight);
  EXPECT_EQ(numbers(layer.bias), bias);
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
  EXPECT_THAT(numbers(p), testing::Each(0.0f));
  p.set_grad(Array::full({}, 1, DType::f32).expand({3, 2}));
  SGD({p}, {.lr = 1}).step();
  EXPECT_THAT(numbers(p), testing::Each(-1.0f));
}

TEST(Optimizer, ChecksItsParameters) {
  Tensor p = ones({2}).set_requires_grad();
  EXPECT_ERROR(ValueError, "SGD: a group has no parameters", SGD(std::vector<Tensor>{}));
  EXPECT_ERROR(ValueError, "Adam: parameter f32[2] is named twice", Adam({p, p}));
  EXPECT_ERROR(ValueError, "Adam: a parameter is undefined", Adam({p, Tensor()}));
  EXPECT_ERROR(GradError, "AdamW: f32[2] is the result of an operator, not a leaf", AdamW({p + p}));
  EXPECT_ERROR_WITH(DTypeError, "SGD", SGD({Tensor(Array::zeros({2}, DType::i64))}));
}

TEST(Optimizer, AGradientThatDoesNotFitChangesNothing) {
  Tensor first = ones({2}).set_requires_grad();
  Tensor table = ones({5, 2}).set_requires_grad();
  SGD sgd({first, table}, {.lr = 1});
  first.set_grad(ones({2}));
  const auto refused = [&](const std::vector<std::int64_t>& rows, const Shape& values) {
    table.set_grad(Tensor(SparseRows{Array::from(rows), Array::zeros(values, DType::f32), {5, 2}}));
    const std::string text = message_of<Error>([&] { sgd.step(); });
    EXPECT_THAT(numbers(first), ElementsAre(1.0f, 1.0f));
    return text;
  };
  EXPECT_EQ(refused({1, 5}, {2, 2}),
            "SGD: a sparse gradient's row 5 at 1 does not ascend or is out of range [0, 5)");
  EXPECT_THAT(refused({3, 3}, {2, 2}), HasSubstr("row 3 at 1 does not ascend"));
  EXPECT_EQ(refused({1, 2}, {1, 2}),
            "SGD: a sparse gradient's rows i64[2] and values f32[1, 2] do not make [5, 2]");
  EXPECT_THAT(refused({-1, 2}, {2, 2}), HasSubstr("row -1 at 0 does not ascend"));
  EXPECT_THAT(refused({1, 2}, {2, 3}), HasSubstr("values f32[2, 3] do not make"));
  const auto refused_as = [&](const Array& rows, const Array& values) {
    table.set_grad(Tensor(SparseRows{rows, values, {5, 2}}));
    EXPECT_ERROR_WITH(ShapeError, "do not make [5, 2]", sgd.step());
    EXPECT_THAT(numbers(first), ElementsAre(1.0f, 1.0f));
  };
  const Array two = Array::from(std::vector<std::int64_t>{1, 7, 3, 7}, {2, 2}).select(1, 0);
  ASSERT_FALSE(two.is_contiguous());
  refused_as(two, Array::zeros({2, 2}, DType::f32));
  refused_as(two.contiguous(), Array::zeros({2, 2}, DType::f32).transpose(0, 1));
  refused_as(two.contiguous().unsqueeze(0), Array::zeros({2, 2}, DType::f32));
}

TEST(Optimizer, ASparseGradientMayBeOfNumbers) {
  Tensor p = ones({5}).set_requires_grad();
  SGD sgd({p}, {.lr = 1});
  p.set_grad(Tensor(SparseRows{Array::from(std::vector<std::int64_t>{1, 4}),
                               Array::from(std::vector<float>{3, 7}),
                               {5}}));
  sgd.step();
  EXPECT_THAT(numbers(p), ElementsAre(1.0f, -2.0f, 1.0f, 1.0f, -6.0f));
}

TEST(Optimizer, ASparseGradientMayHaveNoRows) {
  for (const Index width : {0, 2}) {
    Tensor table = ones({5, width}).set_requires_grad();
    SGD sgd({table}, {.lr = 1, .momentum = 0.5});
    const std::vector<std::int64_t> rows = {1, 3};
    const Index count = width == 0 ? 2 : 0;
    table.set_grad(Tensor(SparseRows{Array::from(rows).slice(0, 0, count),
                                     Array::zeros({count, width}, DType::f32),
                                     {5, width}}));
    sgd.step();
    EXPECT_THAT(numbers(table), testing::Each(1.0f)) << width;
    EXPECT_EQ(sgd.state_dict()[1].second.item(), 1);
  }
}

// The gradient is the caller's tensor, which may become another one behind the optimizer's back; so
// may the parameter, between two steps.
TEST(Optimizer, WhatBecameAnotherTensorChangesNothing) {
  Tensor first = ones({2}).set_requires_grad(), second = ones({5}).set_requires_grad();
  Adam adam({first, second});
  const auto refused = [&](const Array& gradient) {
    const Tensor given = ones({5});
    first.set_grad(ones({2}));
    second.set_grad(given);
    Tensor(given).set_array(gradient);
    const std::string text = message_of<Error>([&] { adam.step(); });
    EXPECT_THAT(numbers(first), ElementsAre(1.0f, 1.0f));
    return text;
  };
  EXPECT_EQ(refused(Array::zeros({3}, DType::f32)),
            "Adam: a gradient of f32[3] for a parameter of f32[5]");
  EXPECT_EQ(refused(Array::zeros({5}, DType::f64)),
            "Adam: a gradient of f64[5] for a parameter of f32[5]");
  second.set_grad(ones({5}));
  adam.step();
  const std::vector<float> before = numbers(first);
  second.set_array(Array::zeros({7}, DType::f32));
  second.set_grad(ones({7}));
  EXPECT_ERROR(ShapeError, "Adam: a parameter became f32[7], its state is f32[5]", adam.step());
  EXPECT_EQ(numbers(first), before);
  Tensor third = ones({3}).set_requires_grad();
  SGD sgd({first, third}, {.momentum = 0.5});
  third.set_grad(ones({3}));
  sgd.step();
  third.set_array(Array::zeros({2}, DType::f32));
  third.set_grad(ones({2}));
  EXPECT_ERROR(ShapeError, "SGD: a parameter became f32[2], its state is f32[3]", sgd.step());
}

TEST(Optimizer, WhatBecameWholeNumbersChangesNothing) {
  Tensor first = ones({2}).set_requires_grad(), second = ones({3}).set_requires_grad();
  SGD sgd({first, second}, {.lr = 1});
  second.set_requires_grad(false);
  second.set_array(Array::zeros({3}, DType::i64));
  first.set_grad(ones({2}));
  second.set_grad(Array::zeros({3}, DType::i64));
  EXPECT_ERROR_WITH(DTypeError, "SGD", sgd.step());
  EXPECT_THAT(numbers(first), ElementsAre(1.0f, 1.0f));
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
