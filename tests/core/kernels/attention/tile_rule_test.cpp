#include "../../../../core/kernels/attention/tile_rule.h"

#include <gtest/gtest.h>

#include <memory>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

TEST(TileRule, PlacesAreTurned) {
  for (const Index rows : {1, 7, 8, 13, 32, 61}) {
    for (const Index keys : {1, 5, 8, 23, 64}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << keys);
      const Index step = keys + 3, to_step = rows + 5;
      Generator generator(static_cast<std::uint64_t>(100 * rows + keys));
      const auto from = std::make_unique<bool[]>(static_cast<std::size_t>(rows * step));
      for (Index i = 0; i < rows * step; ++i)
        from[static_cast<std::size_t>(i)] = generator.uniform() < 0.5;
      const auto to = std::make_unique<bool[]>(static_cast<std::size_t>(keys * to_step));
      turn_places(from.get(), step, rows, keys, to.get(), to_step);
      for (Index j = 0; j < keys; ++j) {
        for (Index i = 0; i < to_step; ++i) {
          const bool wanted = i < rows && from[static_cast<std::size_t>(i * step + j)];
          ASSERT_EQ(to[static_cast<std::size_t>(j * to_step + i)], wanted) << i << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels
