// Shards that several loaders walk at once, each with threads of its own.
#include <gtest/gtest.h>

#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../data/shard_folder.h"
#include "on_threads.h"

namespace heed::data {
namespace {

TEST(SharedShards, GiveEachLoaderTheSame) {
  constexpr int kLoaders = 4;
  const ShardFolder folder({3001, 17, 2003, 1}, true);
  const auto shards = text_shards(folder.paths(), {.open = 3, .threads = 2});
  std::vector<Strings> found(kLoaders);
  on_threads(kLoaders, [&](int t) {
    auto loader = streamed(shards, same, {.size = 11, .buffer = 101, .prefetch = 2, .seed = 3});
    for (int i = 0; i < 20; ++i) loader.next();
    loader.load_state_dict(loader.state_dict());  // ends its threads and begins others
    found[static_cast<std::size_t>(t)] = rest_of(loader);
  });
  for (const Strings& lines : found) EXPECT_EQ(lines, found.front());
  EXPECT_EQ(found.front().size(), folder.all().size() - 20 * 11);
}

}  // namespace
}  // namespace heed::data
