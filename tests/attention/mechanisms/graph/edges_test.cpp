#include "../../../../attention/mechanisms/graph/edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../core/error.h"
#include "../../../support/throws.h"

namespace heed::attention {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Index> ids(const Tensor& x) { return x.array().to_vector<Index>(); }

TEST(Edges, StandByTargetInTheOrderTheyCameIn) {
  const Edges edges({2, 0, 1, 3, 2}, {1, 3, 1, 0, 3}, 5);
  EXPECT_EQ(edges.nodes(), 5);
  EXPECT_EQ(edges.count(), 5);
  EXPECT_THAT(edges.offsets(), ElementsAre(0, 1, 3, 3, 5, 5));
  EXPECT_THAT(edges.from(), ElementsAre(3, 2, 1, 0, 2));
  EXPECT_THAT(edges.to(), ElementsAre(0, 1, 1, 3, 3));
  EXPECT_THAT(ids(edges.given()), ElementsAre(1, 3, 2, 0, 4));
  EXPECT_THAT(ids(edges.sources()), ElementsAre(3, 2, 1, 0, 2));
  EXPECT_THAT(ids(edges.targets()), ElementsAre(0, 1, 1, 3, 3));
}

TEST(Edges, AsABlock) {
  const Edges edges({2, 0}, {1, 2}, 3);
  EXPECT_THAT(edges.block().array().to_vector<bool>(),
              ElementsAre(false, false, false, false, false, true, true, false, false));
}

TEST(Edges, BothWaysAndToThemselves) {
  const Edges both = Edges({1, 0, 2, 2}, {0, 1, 0, 2}, 3).both_ways();
  EXPECT_THAT(both.to(), ElementsAre(0, 0, 1, 2, 2));
  EXPECT_THAT(both.from(), ElementsAre(1, 2, 0, 0, 2));
  const Edges loops = Edges({1}, {0}, 2).with_self_loops();
  EXPECT_THAT(loops.to(), ElementsAre(0, 0, 1));
  EXPECT_THAT(loops.from(), ElementsAre(1, 0, 1));
  EXPECT_THAT(ids(loops.given()), ElementsAre(0, 1, 2));
}

TEST(Edges, GraphsSideBySideAndWhole) {
  const Edges two = Edges::beside({Edges({1, 0}, {0, 1}, 2), Edges({0}, {2}, 3)});
  EXPECT_EQ(two.nodes(), 5);
  EXPECT_THAT(two.to(), ElementsAre(0, 1, 4));
  EXPECT_THAT(two.from(), ElementsAre(1, 0, 2));
  const Edges whole = Edges::complete({2, 0, 1}, 3);
  EXPECT_EQ(whole.nodes(), 9);
  EXPECT_THAT(whole.to(), ElementsAre(0, 0, 1, 1, 6));
  EXPECT_THAT(whole.from(), ElementsAre(0, 1, 0, 1, 6));
  EXPECT_THAT(Edges::beside({}).from(), IsEmpty());
}

TEST(Edges, RefuseWhatIsNoGraph) {
  EXPECT_ERROR(ShapeError, "edges: 2 sources for 1 targets", Edges({0, 1}, {0}, 2));
  EXPECT_ERROR(IndexError, "edges: source 2 of edge 1 is out of range [0, 2)",
               Edges({0, 2}, {0, 1}, 2));
  EXPECT_ERROR(IndexError, "edges: target -1 of edge 0 is out of range [0, 2)",
               Edges({0}, {-1}, 2));
  constexpr Index kHuge = Index{1} << 62;
  EXPECT_ERROR(OutOfMemory, "edges: 4611686018427387904 nodes do not fit into memory",
               Edges({0}, {0}, kHuge));
  EXPECT_ERROR(OutOfMemory, "edges: 4611686018427387904 nodes do not fit into memory",
               Edges::complete({0}, kHuge));
  EXPECT_ERROR(OutOfMemory, "edges: 4611686018427387904 edges do not fit into memory",
               Edges::complete({Index{1} << 31}, Index{1} << 31));
  EXPECT_ERROR_WITH(ShapeError, "edges: ", Edges::complete({0, 0}, kHuge));
  EXPECT_ERROR_WITH(ShapeError, "edges: ", Edges::complete({kHuge}, kHuge));
  EXPECT_ERROR(ValueError, "edges: nodes -1 must not be negative", Edges({}, {}, -1));
  EXPECT_ERROR(ShapeError, "edges: length 4 of row 1 is not in [0, 3]", Edges::complete({3, 4}, 3));
}

}  // namespace
}  // namespace heed::attention
