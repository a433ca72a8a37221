// What readers and generators do where nothing is said.
#include "../support/defaults.h"

#include "../../data/data.h"

namespace heed::data {
namespace {

TEST(OptionDefaults, AreKept) {
  EXPECT_DEFAULTS(ClozeOptions, !o.questions && o.passage == 500 && o.query == 100);
  EXPECT_DEFAULTS(ClozeNumbers, o.unknown == 30 && !o.overlap);
  EXPECT_DEFAULTS(DocumentLimits, o.sentences == 30 && o.words == 100);
  EXPECT_DEFAULTS(Lengths, o.shortest == 1 && o.longest == 1);
  EXPECT_DEFAULTS(TableOptions, o.columns == 1 && o.rows.shortest == 30 && o.rows.longest == 100 &&
                                    o.range == 10);
  EXPECT_DEFAULTS(LoaderOptions<int>, o.size == 32 && o.tokens == 0 && !o.packed && o.shuffle &&
                                          !o.drop_last && o.prefetch == 0 && o.seed == 0);
  EXPECT_DEFAULTS(LogMelOptions, o.rate == 8000 && o.filters == 40 && o.lowest == 60 &&
                                     o.highest == 0 && o.floor == 1e-5 && o.deltas);
  EXPECT_DEFAULTS(MadeClozeOptions, o.queries == 4 && o.shortest == 5 && o.longest == 60);
  EXPECT_DEFAULTS(ParallelOptions, !o.skip_empty && o.max_words == 0 && o.max_ratio == 0.0);
  EXPECT_DEFAULTS(ShardOptions, o.open == 4 && o.threads == 1);
  EXPECT_DEFAULTS(SkipGramOptions, o.width == 100 && o.window == 5 && o.negatives == 5 &&
                                       o.epochs == 5 && o.lr == 0.025 && o.subsample == 1e-3);
  EXPECT_DEFAULTS(FrameOptions, o.length == 200 && o.hop == 80 && o.size == 256);
  EXPECT_DEFAULTS(JoinOptions, o.shortest_gap == 0.05 && o.longest_gap == 0.4 &&
                                   o.least_over_noise == 15 && o.most_over_noise == 35);
  EXPECT_DEFAULTS(StreamOptions,
                  o.size == 32 && o.buffer == 10000 && o.prefetch == 0 && o.seed == 0);
  EXPECT_DEFAULTS(CoderOptions, o.subwords == 0 && o.min_count == 2 && o.max_words == 0);
  EXPECT_DEFAULTS(WindowOptions, o.rows == 32 && o.length == 128 && o.end_mark == kEnd &&
                                     o.buffer == 10000 && o.prefetch == 0 && o.seed == 0);
  EXPECT_DEFAULTS(DocumentOptions, o.tokens == 4096 && o.longest == 0 && o.begin_mark == -1 &&
                                       o.end_mark == kEnd && o.buffer == 10000 && o.prefetch == 0 &&
                                       o.seed == 0);
  EXPECT_DEFAULTS(VocabularyOptions, o.min_count == 1 && o.max_words == 0);
  EXPECT_DEFAULTS(WavOptions, o.rate == 0 && o.shortest == 0 && o.longest == 60);
  EXPECT_DEFAULTS(SentencepieceTraining, o.unigram && o.size == 8000 && !o.byte_fallback &&
                                             o.normalises && o.coverage == 0.9995);
  EXPECT_DEFAULTS(BpeTraining, o.kind == BpeKind::byte_level && o.size == 30000 &&
                                   o.min_count == 2 && o.max_letters == 1000);
  EXPECT_DEFAULTS(Cutting, o.count == 1 && o.first == 0 && o.last == 1);
}

}  // namespace
}  // namespace heed::data
