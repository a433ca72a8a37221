#include "../../distributed/world.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

TEST(World, GathersBytesInOrder) {
  const std::string mine(static_cast<std::size_t>(3 * world().rank()),
                         static_cast<char>('a' + world().rank()));
  const auto all = world().gather(mine);
  ASSERT_EQ(static_cast<Index>(all.size()), world().size());
  for (Index r = 0; r < world().size(); ++r) {
    EXPECT_EQ(all[static_cast<std::size_t>(r)],
              std::string(static_cast<std::size_t>(3 * r), static_cast<char>('a' + r)));
  }
}

TEST(World, BroadcastsFromAnyone) {
  for (Index from = 0; from < world().size(); ++from) {
    const std::string said = "process " + std::to_string(world().rank()) + std::string(1, '\0');
    EXPECT_EQ(world().broadcast(said, from),
              "process " + std::to_string(from) + std::string(1, '\0'));
    Array numbers =
        Array::full({2, 3}, static_cast<double>(world().rank() + 7), DType::f64).transpose(0, 1);
    world().broadcast(numbers, from);
    EXPECT_EQ(numbers.to_vector<double>(), std::vector<double>(6, static_cast<double>(from + 7)));
    EXPECT_EQ(numbers.shape(), (Shape{3, 2}));
  }
}

TEST(World, ShapesMustBeAlike) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  Array numbers = Array::zeros({2 + world().rank()}, DType::f32);
  EXPECT_ERROR_WITH(ShapeError, "broadcast: process 0 has f32[2], process 1 f32[3]",
                    world().broadcast(numbers));
}

TEST(World, DTypesMustBeAlike) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  Array numbers = Array::zeros({3}, world().rank() == 0 ? DType::f64 : DType::f32);
  EXPECT_ERROR_WITH(DTypeError, "broadcast: process 0 has f64[3], process 1 f32[3]",
                    world().broadcast(numbers));
}

TEST(World, BroadcastsFromNobodyElse) {
  const Index size = world().size();
  Array numbers = Array::zeros({3}, DType::f32);
  for (const Index from : {Index{-1}, size, size + 7}) {
    EXPECT_ERROR_WITH(ValueError, "broadcast: process ", world().broadcast("a", from));
    EXPECT_ERROR_WITH(ValueError, "broadcast: process ", world().broadcast(numbers, from));
  }
}

TEST(World, NumbersOfAll) {
  const auto rank = static_cast<float>(world().rank());
  const Array all = world().all_gather(Array::from(std::vector<float>{rank, 10 * rank}));
  ASSERT_EQ(all.shape(), (Shape{world().size(), 2}));
  for (Index r = 0; r < world().size(); ++r) {
    EXPECT_EQ(all.select(0, r).to_vector<float>(),
              (std::vector<float>{static_cast<float>(r), 10.0F * static_cast<float>(r)}));
  }
}

TEST(World, RowsForEach) {
  std::vector<std::int64_t> rows;
  for (Index to = 0; to < world().size(); ++to) rows.push_back(100 * world().rank() + to);
  const Array got = world().all_to_all(Array::from(rows));
  for (Index from = 0; from < world().size(); ++from) {
    EXPECT_EQ(got.to_vector<std::int64_t>()[static_cast<std::size_t>(from)],
              100 * from + world().rank());
  }
  EXPECT_ERROR_WITH(ShapeError, "has no row for each of",
                    world().all_to_all(Array::zeros({world().size() + 1}, DType::f32)));
}

TEST(World, ExchangesInARing) {
  const Index next = (world().rank() + 1) % world().size(),
              before = (world().rank() + world().size() - 1) % world().size();
  const Array got = world().exchange(
      Array::full({3}, static_cast<double>(world().rank()), DType::f32), next, before);
  EXPECT_EQ(got.to_vector<float>(), std::vector<float>(3, static_cast<float>(before)));
}

TEST(World, ExchangesWithProcessesThatThereAreAlone) {
  const Array numbers = Array::zeros({3}, DType::f32);
  const World alone(world(), World::Alone{});
  for (const World* of : {&world(), &alone}) {
    for (const Index none : {Index{-1}, Index{-2}, of->size(), of->size() + 7}) {
      EXPECT_ERROR_WITH(ValueError, "exchange: process ", of->exchange(numbers, none, 0));
      EXPECT_ERROR_WITH(ValueError, "exchange: process ", of->exchange(numbers, 0, none));
    }
  }
}

TEST(World, ExchangesAsManyNumbers) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  const Index next = (world().rank() + 1) % world().size(),
              before = (world().rank() + world().size() - 1) % world().size();
  EXPECT_ERROR_WITH(
      ShapeError,
      before < world().rank() ? "sends fewer numbers than f32[" : "sends more numbers than f32[",
      world().exchange(Array::zeros({2 + world().rank()}, DType::f32), next, before));
  const Array same = world().exchange(Array::full({5}, 7, DType::f32), next, before);
  EXPECT_EQ(same.to_vector<float>(), std::vector<float>(5, 7));
}

// What looks at the same numbers sees them change.
TEST(World, BroadcastsIntoAView) {
  for (const bool rows : {true, false}) {
    Array whole = Array::full({3, 5}, static_cast<double>(world().rank() + 2), DType::f64);
    Array view = rows ? whole.slice(0, 1, 3) : whole.slice(1, 1, 3);
    const auto version = whole.version();
    world().broadcast(view, world().size() - 1);
    EXPECT_TRUE(view.shares_storage(whole));
    EXPECT_GT(whole.version(), version);
    const auto last = static_cast<double>(world().size() + 1),
               own = static_cast<double>(world().rank() + 2);
    const auto found = whole.to_vector<double>();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool inside = rows ? i >= 5 : (i % 5 == 1 || i % 5 == 2);
      EXPECT_EQ(found[i], inside ? last : own) << i;
    }
  }
}

// Begun by tests/distributed/programs, which lets exceptions out of tests: the first waits here.
TEST(World, DISABLED_AnExceptionThatGoesPastItEndsAll) {
  if (world().rank() == world().size() - 1) throw ValueError("what nobody catches");
  world().barrier();
  world().barrier();
  FAIL() << "all were there";
}

TEST(World, IsOneInAProcess) {
  EXPECT_ERROR_WITH(Error, "there is one already", World(0, nullptr));
}

}  // namespace
}  // namespace heed::distributed
