// What layers and searches do where nothing is said: PyTorch's, where it has them.
#include "../support/defaults.h"

#include "../../nn/nn.h"

namespace heed::nn {
namespace {

TEST(OptionDefaults, AreKept) {
  EXPECT_DEFAULTS(BatchNormOptions,
                  o.eps == 1e-5 && o.momentum == 0.1 && o.affine && o.track_running_stats);
  EXPECT_DEFAULTS(BeamSearchOptions,
                  o.beam == 5 && o.n_best == 1 && o.repetition_penalty == 1 && !o.need_weights);
  EXPECT_DEFAULTS(CtcSearchOptions, o.beam == 10 && o.n_best == 1);
  EXPECT_DEFAULTS(EmbeddingOptions, o.padding == -1 && o.sparse);
  EXPECT_DEFAULTS(LoraOptions, o.rank == 8 && o.alpha == 16 && o.dropout == 0);
  EXPECT_DEFAULTS(LowRankOptions, o.rank == 8 && o.alpha == 16 && o.dropout == 0);
  EXPECT_DEFAULTS(PyramidalLSTMOptions,
                  o.levels == 3 && o.first == 2 && o.bottom && o.dropout == 0);
  EXPECT_DEFAULTS(RecurrentOptions, o.layers == 1 && !o.bidirectional && o.bias && o.dropout == 0);
  EXPECT_DEFAULTS(RNNOptions, o.layers == 1 && o.nonlinearity == Nonlinearity::tanh &&
                                  !o.bidirectional && o.bias && o.dropout == 0);
  EXPECT_DEFAULTS(SamplingOptions, o.temperature == 1 && o.top_p == 1);
  EXPECT_DEFAULTS(SetLossOptions,
                  o.classes == 1 && o.corners == 5 && o.overlap == 2 && o.none == 0.1);
  EXPECT_DEFAULTS(SpeculativeOptions, o.length == 100 && o.lookahead == 4 && o.end == -1);
}

}  // namespace
}  // namespace heed::nn
