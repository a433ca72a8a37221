// What layers and searches do where nothing is said: PyTorch's, where it has them.
#include "../support/defaults.h"

#include "../../nn/nn.h"

namespace heed::nn {
namespace {

TEST(OptionDefaults, AreKept) {
  EXPECT_DEFAULTS(BatchNormOptions,
                  o.eps == 1e-5 && o.momentum == 0.1 && o.affine && o.track_running_stats);
  EXPECT_DEFAULTS(BeamSearchOptions, o.beam == 5 && o.n_best == 1 && o.length_penalty == 0 &&
                                         o.coverage_penalty == 0 && o.shortest == 0 &&
                                         o.repetition_penalty == 1 && o.no_repeat == 0 &&
                                         !o.need_weights);
  EXPECT_DEFAULTS(CtcSearchOptions, o.blank == 0 && o.beam == 10 && o.n_best == 1);
  EXPECT_DEFAULTS(DropoutOptions, o.p == 0.5);
  EXPECT_DEFAULTS(EmbeddingOptions, o.padding == -1 && o.sparse);
  EXPECT_DEFAULTS(LayerNormOptions, o.eps == 1e-5 && o.affine);
  EXPECT_DEFAULTS(LeakyReLUOptions, o.negative_slope == 0.01);
  EXPECT_DEFAULTS(LoraOptions, o.rank == 8 && o.alpha == 16 && o.dropout == 0);
  EXPECT_DEFAULTS(LowRankOptions, o.rank == 8 && o.alpha == 16 && o.dropout == 0);
  EXPECT_DEFAULTS(PyramidalLSTMOptions,
                  o.levels == 3 && o.first == 2 && o.bottom && o.dropout == 0);
  EXPECT_DEFAULTS(RecurrentOptions, o.layers == 1 && !o.bidirectional && o.bias && o.dropout == 0);
  EXPECT_DEFAULTS(RMSNormOptions, o.eps == 1e-6 && o.affine);
  EXPECT_DEFAULTS(RNNOptions, o.layers == 1 && o.nonlinearity == Nonlinearity::tanh &&
                                  !o.bidirectional && o.bias && o.dropout == 0);
  EXPECT_DEFAULTS(SamplingOptions,
                  o.temperature == 1 && o.top_k == 0 && o.top_p == 1 && o.min_p == 0);
  EXPECT_DEFAULTS(SetLossOptions,
                  o.classes == 1 && o.corners == 5 && o.overlap == 2 && o.none == 0.1);
  EXPECT_DEFAULTS(SpeculativeOptions, o.length == 100 && o.lookahead == 4 && o.end == -1);
}

TEST(OptionDefaults, OfWindowsAreKept) {
  EXPECT_DEFAULTS(ConvOptions<Index>, o.stride == 1 && o.padding == 0 && o.dilation == 1 &&
                                          o.groups == 1 && !o.same && o.bias);
  EXPECT_DEFAULTS(ConvTransposeOptions<Index>, o.stride == 1 && o.padding == 0 &&
                                                   o.output_padding == 0 && o.groups == 1 &&
                                                   o.bias && o.dilation == 1);
  EXPECT_DEFAULTS(MaxPoolOptions<Index>,
                  !o.stride && o.padding == 0 && o.dilation == 1 && !o.ceil_mode);
  EXPECT_DEFAULTS(AvgPoolOptions<Index>,
                  !o.stride && o.padding == 0 && !o.ceil_mode && o.count_include_pad);
}

}  // namespace
}  // namespace heed::nn
