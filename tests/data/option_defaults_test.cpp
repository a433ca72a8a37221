// What readers and generators do where nothing is said.
#include "../support/defaults.h"

#include "../../data/data.h"

namespace heed::data {
namespace {

TEST(OptionDefaults, AreKept) {
  EXPECT_DEFAULTS(ClozeOptions, !o.questions && o.passage == 500 && o.query == 100);
  EXPECT_DEFAULTS(TableOptions, o.columns == 1 && o.range == 10);
  EXPECT_DEFAULTS(LoaderOptions<int>, o.size == 32 && !o.packed && o.shuffle && !o.drop_last);
  EXPECT_DEFAULTS(LogMelOptions, o.rate == 8000 && o.filters == 40 && o.lowest == 60 &&
                                     o.floor == 1e-5 && o.deltas);
  EXPECT_DEFAULTS(MadeClozeOptions, o.queries == 4 && o.shortest == 5 && o.longest == 60);
  EXPECT_DEFAULTS(ParallelOptions, !o.skip_empty && o.max_ratio == 0.0);
  EXPECT_DEFAULTS(ShardOptions, o.open == 4 && o.threads == 1);
  EXPECT_DEFAULTS(SkipGramOptions, o.width == 100 && o.window == 5 && o.negatives == 5 &&
                                       o.epochs == 5 && o.lr == 0.025 && o.subsample == 1e-3);
  EXPECT_DEFAULTS(FrameOptions, o.length == 200 && o.hop == 80 && o.size == 256);
  EXPECT_DEFAULTS(JoinOptions, o.shortest_gap == 0.05 && o.longest_gap == 0.4 &&
                                   o.least_over_noise == 15 && o.most_over_noise == 35);
  EXPECT_DEFAULTS(StreamOptions, o.size == 32 && o.buffer == 10000);
  EXPECT_DEFAULTS(CoderOptions, o.min_count == 2);
  EXPECT_DEFAULTS(WindowOptions,
                  o.rows == 32 && o.length == 128 && o.end_mark == kEnd && o.buffer == 10000);
  EXPECT_DEFAULTS(DocumentOptions, o.tokens == 4096 && o.begin_mark == -1 && o.end_mark == kEnd &&
                                       o.buffer == 10000);
  EXPECT_DEFAULTS(VocabularyOptions, o.min_count == 1);
  EXPECT_DEFAULTS(WavOptions, o.longest == 60);
}

}  // namespace
}  // namespace heed::data
