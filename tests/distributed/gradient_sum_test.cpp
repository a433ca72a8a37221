#include "../../distributed/gradient_sum.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

bool same_bits(const Array& a, const Array& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.contiguous().raw(), b.contiguous().raw(),
                     static_cast<std::size_t>(a.numel()) * size_of(a.dtype())) == 0;
}

// Parameters of odd sizes; piece m gives each a gradient of its own, to some none, to some rows.
std::vector<Tensor> parameters() {
  std::vector<Tensor> out;
  for (const Shape& shape :
       {Shape{7, 3}, Shape{}, Shape{11}, Shape{13, 2}, Shape{5, 1, 2}, Shape{1300, 901}}) {
    out.push_back(
        Tensor(Array::zeros(shape, out.size() == 2 ? DType::f64 : DType::f32)).set_requires_grad());
  }
  return out;
}

void give(std::vector<Tensor>& all, Index m) {
  Generator generator(static_cast<std::uint64_t>(m) + 31);
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (p == 4 || (p == 0 && m % 2 == 1)) continue;  // to one nobody gives any
    if (p == 3) {
      const Array values = generator.normal({3, 2}, 0, 1);
      all[p].set_grad(Tensor(SparseRows::gather(
          Array::from(std::vector<Index>{m % 13, 5, (3 * m + 1) % 13}), values, 13)));
      continue;
    }
    all[p].set_grad(Tensor(generator.normal(all[p].shape(), 0, 1, all[p].dtype())));
  }
}

std::vector<Tensor> summed(const World& of, Index count, Index without = -1) {
  std::vector<Tensor> all = parameters();
  GradientSum sum(of, all, count);
  for (Index m = sum.first(); m < sum.last(); ++m) {
    if (m == without) continue;
    give(all, m);
    sum.take(m);
  }
  sum.finish();
  return all;
}

TEST(GradientSum, HasTheBitsOfOneProcess) {
  const World alone(world(), World::Alone{});
  for (const Index count : {4, 5, 7, 16}) {
    if (count < world().size()) continue;
    const auto together = summed(world(), count), own = summed(alone, count);
    for (std::size_t p = 0; p < own.size(); ++p) {
      ASSERT_EQ(together[p].grad().defined(), own[p].grad().defined()) << p;
      if (!own[p].grad().defined()) continue;
      EXPECT_EQ(together[p].grad().is_sparse(), own[p].grad().is_sparse()) << p;
      EXPECT_TRUE(same_bits(together[p].grad().array(), own[p].grad().array()))
          << p << ", pieces " << count;
    }
    EXPECT_FALSE(own[4].grad().defined());
    EXPECT_TRUE(own[3].grad().defined());
  }
}

TEST(GradientSum, IsTheSum) {
  const Index count = 8;
  const auto all = summed(world(), count);
  std::vector<double> sum(11, 0);
  for (Index m = 0; m < count; ++m) {
    std::vector<Tensor> one = parameters();
    give(one, m);
    const auto numbers = one[2].grad().array().to_vector<double>();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += numbers[i];
  }
  const auto found = all[2].grad().array().to_vector<double>();
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(found[i], sum[i], 1e-13);
}

TEST(GradientSum, APieceMayBeMissing) {
  const World alone(world(), World::Alone{});
  for (const Index without : {0, 3}) {
    const auto together = summed(world(), 4, without), own = summed(alone, 4, without);
    EXPECT_TRUE(same_bits(together[5].grad().array(), own[5].grad().array())) << without;
    EXPECT_TRUE(same_bits(together[3].grad().array(), own[3].grad().array())) << without;
  }
}

TEST(GradientSum, RowsBesideNumbersBecomeNumbers) {
  const auto one = [&](const World& of) {
    Tensor table = Tensor(Array::zeros({5, 3}, DType::f32)).set_requires_grad();
    GradientSum sum(of, {table}, 4);
    for (Index m = sum.first(); m < sum.last(); ++m) {
      if (m == 3) {
        table.set_grad(Tensor(Array::full({5, 3}, 0.5, DType::f32)));
      } else {
        table.set_grad(Tensor(SparseRows::gather(Array::from(std::vector<Index>{m}),
                                                 Array::full({1, 3}, 1, DType::f32), 5)));
      }
      sum.take(m);
    }
    sum.finish();
    return table.grad();
  };
  const Tensor found = one(world());
  EXPECT_FALSE(found.is_sparse());
  EXPECT_EQ(
      found.array().to_vector<float>(),
      (std::vector<float>{1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, .5, .5, .5, .5, .5, .5}));
}

// Some steps of passes backward whose gradients set out while they go on. What is dense in one step
// has rows in the next, or nothing, and one parameter is reached behind a checkpoint.
std::vector<Tensor> stepped(const World& of, Index count, Sums sums, Index without = -1) {
  std::vector<Tensor> all = parameters();
  GradientKinds kinds;
  std::vector<Tensor> found;
  for (Index step = 0; step < 5; ++step) {
    GradientSum sum(of, all, count, kinds, sums);
    for (Index m = sum.first(); m < sum.last(); ++m) {
      if (m == without && step % 2 == 1) continue;
      Generator generator(static_cast<std::uint64_t>(m + 100 * step) + 41);
      const auto times = [&](Index p) {
        const Tensor& x = all[static_cast<std::size_t>(p)];
        return heed::sum(x * Tensor(generator.normal(x.shape(), 0, 1, x.dtype()))).to(DType::f32);
      };
      Tensor loss = times(1) + times(2);
      if (m % 2 == 0) loss = loss + times(0);
      if (step != 2) loss = loss + times(5);
      if (step % 2 == 0) {
        const Tensor ids(Array::from(std::vector<Index>{(m + step) % 13, 5, 5}));
        loss = loss + heed::sum(square(embedding(all[3], ids, true) + 1.0));
      } else {
        loss = loss + times(3);
      }
      if (step == 3) {
        loss = loss + checkpoint(
                          [&](const std::vector<Tensor>& x) {
                            return std::vector<Tensor>{heed::sum(all[4] * 3.0) * x[0]};
                          },
                          {loss})[0];
      }
      sum.add(loss, m);
    }
    kinds = sum.finish();
    for (Tensor& each : all) {
      found.push_back(each.grad());
      each.zero_grad();
    }
  }
  return found;
}

TEST(GradientSum, ThoseThatTravelDuringThePassHaveTheSameBits) {
  const World alone(world(), World::Alone{});
  for (const Index count : {4, 7}) {
    if (count < world().size()) continue;
    const Index without = count == 4 ? -1 : count - 1;  // the last, whose pass they travel during
    const auto together = stepped(world(), count, Sums::exact, without);
    const auto own = stepped(alone, count, Sums::exact, without);
    for (Index step = 0; step < 5; ++step) {
      EXPECT_EQ(own[static_cast<std::size_t>(6 * step + 3)].is_sparse(), step % 2 == 0);
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      SCOPED_TRACE(fmt::format("pieces {}, step {}, parameter {}", count, i / 6, i % 6));
      ASSERT_EQ(together[i].defined(), own[i].defined());
      if (!own[i].defined()) continue;
      EXPECT_EQ(together[i].is_sparse(), own[i].is_sparse());
      EXPECT_TRUE(same_bits(together[i].array(), own[i].array()));
    }
    EXPECT_FALSE(own[2 * 6 + 5].defined());
    EXPECT_TRUE(own[3 * 6 + 4].defined());
  }
}

TEST(GradientSum, PlainSumsAreNearlyTheSame) {
  const Index count = 2 * world().size() + 1;
  const auto plain = stepped(world(), count, Sums::plain),
             exact = stepped(world(), count, Sums::exact);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_EQ(plain[i].defined(), exact[i].defined()) << i;
    if (!exact[i].defined()) continue;
    EXPECT_EQ(plain[i].is_sparse(), exact[i].is_sparse()) << i;
    const Tensor difference = abs(plain[i].detach() - exact[i].detach());
    EXPECT_LT(amax(difference).item(), 1e-4) << i;
  }
}

// Begun by tests/distributed/programs, in processes of its own: the world is of no use behind it.
TEST(GradientSum, DISABLED_LeftOnTheirWayNoOthersFollow) {
  if (world().size() == 1) GTEST_SKIP() << "nothing travels";
  std::vector<Tensor> all = {Tensor(Array::zeros({13}, DType::f32)).set_requires_grad()};
  const Index count = 2 * world().size();
  {
    GradientSum sum(world(), all, count, "s");
    for (Index m = sum.first(); m < sum.last(); ++m) sum.add(heed::sum(all[0] * 2.0), m);
  }  // as an error would
  try {
    GradientSum(world(), all, count, "s");
  } catch (const Error& error) {
    world().fail(error.what());
  }
  FAIL() << "another sum began";
}

TEST(GradientSum, SaysWhatDoesNotFit) {
  std::vector<Tensor> all = parameters();
  EXPECT_ERROR_WITH(ValueError, "pieces a step are fewer than the",
                    GradientSum(world(), all, world().size() - 1));
  GradientSum sum(world(), all, 2 * world().size());
  EXPECT_ERROR_WITH(ValueError, "is not this process's next", sum.take(sum.last()));
}

// A penalty that walks back by itself would count once a piece here, and elsewhere otherwise.
TEST(GradientSum, WantsAllOfAPieceInItsLoss) {
  std::vector<Tensor> all = parameters();
  GradientSum sum(world(), all, world().size());
  const auto loss_of = [&](std::size_t p) { return heed::sum(square(all[p] + 1.0)); };
  loss_of(2).backward();
  EXPECT_ERROR(ValueError,
               "distributed: parameter 2, f64[11], has a gradient before its piece's loss is "
               "walked: add a penalty to the loss, without a backward() of its own, and "
               "zero_grad() before a step",
               sum.add(loss_of(1), sum.first()));
  all[2].zero_grad();
  sum.add(loss_of(1), sum.first());
  sum.finish();
  EXPECT_EQ(all[1].grad().item(), 2.0 * static_cast<double>(world().size()));
}

}  // namespace
}  // namespace heed::distributed
