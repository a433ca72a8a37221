// Walks visit each place once, at the offsets that the strides say, in runs of one length or less.
#include "../../../../core/kernels/elementwise/iterate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "../../../../core/array.h"
#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

// Of each place in row-major order, the offset of an operand.
std::vector<Index> offsets(const Shape& shape, const Strides& strides) {
  std::vector<Index> out;
  for (Index i = 0; i < shape.numel(); ++i) {
    Index rest = i, at = 0;
    for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
      at += rest % shape[axis] * strides[axis];
      rest /= shape[axis];
    }
    out.push_back(at);
  }
  return out;
}

// The first operand is contiguous: its offset is the place.
void expect_walk(const Shape& shape, const Strides& strides, Index cost) {
  SCOPED_TRACE(to_string(shape) + " by " + to_string(strides) + ", " + std::to_string(cost));
  const Strides dense = row_major(shape);
  const Walk<2> walk(shape, {&dense, &strides});
  const auto expected = offsets(shape, strides);
  enum class By { runs, runs_here, rows };
  for (const By by : {By::runs, By::runs_here, By::rows}) {
    std::vector<std::atomic<int>> visits(expected.size());
    std::atomic<bool> right = true;
    const auto body = [&](const auto& at, Index n) {
      for (Index i = 0; i < n; ++i) {
        const auto place = static_cast<std::size_t>(at[0] + i * walk.inner_step(0));
        if (place >= visits.size() || expected[place] != at[1] + i * walk.inner_step(1)) {
          right = false;
          return;
        }
        ++visits[place];
      }
    };
    switch (by) {
      case By::runs: walk.run(body, cost); break;
      case By::runs_here: walk.run_here(body); break;
      case By::rows:
        walk.run_rows(
            [&](const auto& at, Index n, Index rows) {
              for (Index row = 0; row < rows; ++row) {
                body(std::array{at[0] + row * walk.outer_step(0), at[1] + row * walk.outer_step(1)},
                     n);
              }
            },
            cost);
        break;
    }
    EXPECT_TRUE(right);
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; }));
  }
}

TEST(Walk, VisitsEachPlaceOnce) {
  Generator generator(3);
  for (const Shape& base :
       {Shape{}, Shape{1}, Shape{7}, Shape{1, 5, 1}, Shape{3, 4, 5}, Shape{2, 3, 1, 5, 2},
        Shape{61, 257, 7}, Shape{200003}, Shape{3, 70001}, Shape{70001, 3}}) {
    const Array x = Array::empty(base, DType::boolean);
    for (const Index cost : {1, 7, 40000}) expect_walk(base, x.strides(), cost);
    for (int i = 0; i < 3 && base.rank() > 1; ++i) {
      const Array turned = x.permute(generator.permutation(base.rank()));
      const Array part =
          turned.slice(0, 0, turned.size(0), 2).slice(-1, turned.size(-1) > 1, 99999);
      expect_walk(turned.shape(), turned.strides(), 5);
      expect_walk(part.shape(), part.strides(), 3);
    }
    if (base.rank() > 0) {
      const Array wide = x.select(0, 0).unsqueeze(0).expand(base);
      expect_walk(base, wide.strides(), 2);
    }
  }
}

TEST(Walk, OfNothingCallsNobody) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  for (const Shape& shape : {Shape{0}, Shape{3, 0, 5}, Shape{kMost, 0, kMost}}) {
    const Strides strides = Strides::filled(shape.rank(), 1);
    const Walk<1> walk(shape, {&strides});
    int calls = 0;
    walk.run([&](const auto&, Index) { ++calls; });
    walk.run_here([&](const auto&, Index) { ++calls; });
    walk.run_rows([&](const auto&, Index, Index) { ++calls; });
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(walk.inner_size(), 0);
    EXPECT_EQ(walk.inner_step(0), 1);
  }
}

// A row beside a matrix is one stretch of runs; three axes are a stretch for each of the first.
TEST(Walk, GivesStretchesOfRuns) {
  const auto stretches = [](const Shape& shape, const Strides& strides) {
    const Strides dense = row_major(shape);
    const Walk<2> walk(shape, {&dense, &strides});
    std::vector<std::vector<Index>> out;
    walk.run_rows([&](const auto& at, Index n, Index rows) {
      out.push_back({at[0], at[1], n, rows});
    });
    return out;
  };
  using Runs = std::vector<std::vector<Index>>;
  EXPECT_EQ(stretches({7, 5}, {0, 1}), (Runs{{0, 0, 5, 7}}));
  EXPECT_EQ(stretches({7, 5}, {1, 0}), (Runs{{0, 0, 5, 7}}));
  EXPECT_EQ(stretches({2, 3, 5}, {11, 0, 1}), (Runs{{0, 0, 5, 3}, {15, 11, 5, 3}}));
  EXPECT_EQ(stretches({7, 5}, {5, 1}), (Runs{{0, 0, 35, 1}}));
}

// Axes that lie in one another are one run; of one element the step is said to be 1.
TEST(Walk, JoinsWhatLiesTogether) {
  const auto inner = [](const Shape& shape, const Strides& strides) {
    const Walk<1> walk(shape, {&strides});
    return std::vector<Index>{walk.inner_size(), walk.inner_step(0)};
  };
  using Run = std::vector<Index>;
  EXPECT_EQ(inner({3, 5, 7}, {35, 7, 1}), (Run{105, 1}));
  EXPECT_EQ(inner({3, 5, 7}, {70, 14, 2}), (Run{105, 2}));
  EXPECT_EQ(inner({3, 5, 7}, {36, 7, 1}), (Run{35, 1}));
  EXPECT_EQ(inner({3, 5}, {5, 2}), (Run{5, 2}));
  EXPECT_EQ(inner({3, 1, 5}, {5, 99, 1}), (Run{15, 1}));
  EXPECT_EQ(inner({3, 5}, {0, 0}), (Run{15, 0}));
  EXPECT_EQ(inner({1, 1}, {99, 77}), (Run{1, 1}));
  EXPECT_EQ(inner({}, {}), (Run{1, 1}));
}

}  // namespace
}  // namespace heed::kernels
