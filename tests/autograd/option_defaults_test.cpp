// What gradients, operators and estimators do where nothing is said.
#include "../support/defaults.h"

#include "../../autograd/autograd.h"

namespace heed {
namespace {

TEST(OptionDefaults, OfGradients) {
  EXPECT_DEFAULTS(BackwardOptions, !o.retain_graph && !o.create_graph);
  EXPECT_DEFAULTS(GradcheckOptions, o.rtol == 1e-6 && o.atol == 1e-8 && o.step == 1e-3 &&
                                        !o.allow_zero && o.seed == 1);
}

TEST(OptionDefaults, OfOps) {
  EXPECT_DEFAULTS(AttentionOptions,
                  o.scale == 1 && o.left == -1 && o.right == -1 && o.dropout == 0);
  EXPECT_DEFAULTS(Conv1dOptions, o.stride == 1 && o.dilation == 1 && o.groups == 1);
  EXPECT_DEFAULTS(Conv2dOptions, o.groups == 1 && !o.same);
  EXPECT_DEFAULTS(Conv3dOptions, o.groups == 1 && !o.same);
  EXPECT_DEFAULTS(ConvTranspose1dOptions, o.stride == 1 && o.dilation == 1 && o.groups == 1);
  EXPECT_DEFAULTS(ConvTranspose2dOptions, o.groups == 1);
  EXPECT_DEFAULTS(InterpolateOptions, o.mode == Interpolation::nearest && !o.align_corners);
  EXPECT_DEFAULTS(MaxPool1dOptions, o.dilation == 1 && !o.ceil_mode);
  EXPECT_DEFAULTS(AvgPool1dOptions, !o.ceil_mode && o.count_include_pad);
  const MaxPool2dOptions largest{.kernel = 3};
  EXPECT_TRUE(largest.padding.y == 0 && largest.padding.x == 0 && largest.dilation.y == 1 &&
              largest.dilation.x == 1 && !largest.stride && !largest.ceil_mode);
  const AvgPool2dOptions mean{.kernel = 3};
  EXPECT_TRUE(mean.padding.y == 0 && mean.padding.x == 0 && !mean.stride && !mean.ceil_mode &&
              mean.count_include_pad);
  EXPECT_DEFAULTS(GridSampleOptions, o.mode == Interpolation::linear &&
                                         o.padding == GridPadding::zeros && !o.align_corners);
  EXPECT_DEFAULTS(TriangularOptions, !o.upper && !o.unit);
  EXPECT_DEFAULTS(BinaryCrossEntropyOptions, o.reduction == Reduction::mean);
  EXPECT_DEFAULTS(ProbabilityLossOptions, o.reduction == Reduction::mean);
  EXPECT_DEFAULTS(CrossEntropyOptions, o.ignore_index == -100 && o.reduction == Reduction::mean);
  EXPECT_DEFAULTS(CtcLossOptions, o.reduction == Reduction::mean && !o.zero_infinity);
  EXPECT_DEFAULTS(MultiMarginLossOptions,
                  o.p == 1 && o.margin == 1 && o.reduction == Reduction::mean);
  EXPECT_DEFAULTS(NllLossOptions, o.ignore_index == -100 && o.reduction == Reduction::mean);
}

TEST(OptionDefaults, OfStochastic) {
  EXPECT_DEFAULTS(RelaxOptions, o.tau == 0.5 && o.eta == 1);
  EXPECT_DEFAULTS(EnumerateOptions, o.batch_axes == 1 && o.limit == 100000);
  EXPECT_DEFAULTS(SamplesOptions, o.discount == 1);
  EXPECT_DEFAULTS(CostOptions, o.step == -1);
  EXPECT_DEFAULTS(StochasticGradcheckOptions, o.family_error == 1e-6 && o.power == 0.99 &&
                                                  o.resolution == 0.01 && o.first_look == 16384 &&
                                                  o.max_samples == 1 << 20 && o.batch == 16384 &&
                                                  o.seed == 1);
}

}  // namespace
}  // namespace heed
