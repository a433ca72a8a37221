// Of pairs and sets: see least_options.h.
#include "least_options.h"

#include "../../attention/attention.h"

namespace heed::attention {
namespace {

TEST(LeastOptions, OfPairs) {
  expect_least<BiMPM, BiMPMOptions>({.width = 2, .hidden = 3, .perspectives = 5},
                                    "bimpm: width {} and hidden {} must be positive",
                                    {{&BiMPMOptions::width}, {&BiMPMOptions::hidden}});
  const std::string co_attention =
      "co_attention: question_width {}, image_width {} and hidden {} must be positive";
  using Co = CoAttentionOptions;
  const Co co{.question_width = 2, .image_width = 3, .hidden = 5};
  const std::vector<Least<Co>> of_co = {{&Co::question_width}, {&Co::image_width}, {&Co::hidden}};
  expect_least<ParallelCoAttention>(co, co_attention, of_co);
  expect_least<AlternatingCoAttention>(co, co_attention, of_co);
  using Hierarchy = CoAttentionHierarchyOptions;
  expect_least<CoAttentionHierarchy, Hierarchy>(
      {.width = 2, .hidden = 3, .answers = 5},
      "co_attention_hierarchy: width {} and answers {} must be positive, hidden {} not negative",
      {{&Hierarchy::width}, {&Hierarchy::answers}, {&Hierarchy::hidden, 0}});
  expect_least<CoupledMultiLayerAttention, CoupledOptions>(
      {.width = 2, .slices = 3, .hidden = 5, .layers = 7, .labels = 11},
      "coupled: width {}, slices {}, layers {} and labels {} must be positive, hidden {} not "
      "negative",
      {{&CoupledOptions::width},
       {&CoupledOptions::slices},
       {&CoupledOptions::layers},
       {&CoupledOptions::labels},
       {&CoupledOptions::hidden, 0}});
  expect_least<DecomposableAttention, DecomposableOptions>(
      {.width = 2, .hidden = 3}, "decomposable_attention: width {} and hidden {} must be positive",
      {{&DecomposableOptions::width}, {&DecomposableOptions::hidden}});
  expect_least<ESIM, EsimOptions>({.width = 2, .hidden = 3},
                                  "esim: width {} and hidden {} must be positive",
                                  {{&EsimOptions::width}, {&EsimOptions::hidden}});
  using Gated = GatedAttentionOptions;
  expect_least<GatedAttentionReader, Gated>(
      {.input = 2, .hidden = 3, .hops = 5},
      "gated_attention: input {}, hidden {} and hops {} must be positive",
      {{&Gated::input}, {&Gated::hidden}, {&Gated::hops}});
  using Matching = GatedMatchingOptions;
  expect_least<GatedMatching, Matching>(
      {.width = 2, .question_width = 3, .hidden = 5},
      "gated_matching: width {}, question_width {} and hidden {} must be positive",
      {{&Matching::width}, {&Matching::question_width, 0}, {&Matching::hidden}});
  expect_least<SelfMatching, SelfMatchingOptions>(
      {.width = 2, .hidden = 3}, "self_matching: width {} and hidden {} must be positive",
      {{&SelfMatchingOptions::width}, {&SelfMatchingOptions::hidden}});
  using Views = MultiPerspectiveOptions;
  expect_least<MultiPerspectiveMatching, Views>(
      {.hidden = 2, .perspectives = 3},
      "multi_perspective: hidden {} and perspectives {} must be positive",
      {{&Views::hidden}, {&Views::perspectives}});
  expect_least<StackedAttention, StackedOptions>(
      {.width = 2, .hidden = 3, .hops = 5},
      "stacked_attention: width {}, hidden {} and hops {} must be positive",
      {{&StackedOptions::width}, {&StackedOptions::hidden}, {&StackedOptions::hops}});
  using Streams = TwoStreamsOptions;
  expect_least<TwoStreams, Streams>({.width = 2, .other_width = 3, .hidden = 5, .other_hidden = 7},
                                    "two_streams: width {} and other_width {} must be positive, "
                                    "hidden {} and other_hidden {} not negative",
                                    {{&Streams::width},
                                     {&Streams::other_width},
                                     {&Streams::hidden, 0},
                                     {&Streams::other_hidden, 0}});
}

TEST(LeastOptions, OfSets) {
  expect_least<Hopfield, HopfieldOptions>({.state_width = 2,
                                           .stored_width = 3,
                                           .head_width = 5,
                                           .heads = 7,
                                           .output = 11,
                                           .updates = 13},
                                          "hopfield: state_width {}, stored_width {}, head_width "
                                          "{}, heads {}, output {} and updates {} must be positive",
                                          {{&HopfieldOptions::state_width},
                                           {&HopfieldOptions::stored_width, 0},
                                           {&HopfieldOptions::head_width},
                                           {&HopfieldOptions::heads},
                                           {&HopfieldOptions::output, 0},
                                           {&HopfieldOptions::updates}});
  using Process = NeuralProcessOptions;
  expect_least<NeuralProcess, Process>(
      {.input = 2, .output = 3, .width = 5},
      "neural_process: input {}, output {} and width {} must be positive",
      {{&Process::input}, {&Process::output}, {&Process::width}});
  using Read = PerceiverReadOptions;
  expect_least<PerceiverRead, Read>(
      {.width = 2, .input_width = 3, .hidden = 5},
      "perceiver: width {} and input_width {} must be positive, hidden {} not negative",
      {{&Read::width}, {&Read::input_width}, {&Read::hidden, 0}});
  expect_least<Perceiver, PerceiverOptions>(
      {.input_width = 3, .latents = 2, .width = 5, .blocks = 7, .layers = 11},
      "perceiver: latents {}, width {}, blocks {} and layers {} must be positive",
      {{&PerceiverOptions::latents},
       {&PerceiverOptions::width},
       {&PerceiverOptions::blocks},
       {&PerceiverOptions::layers}});
  using Slots = SlotAttentionOptions;
  expect_least<SlotAttention, Slots>(
      {.input = 2, .width = 3, .hidden = 5, .times = 7},
      "slot_attention: input {}, width {} and times {} must be positive, hidden {} not negative",
      {{&Slots::input}, {&Slots::width}, {&Slots::times}, {&Slots::hidden, 0}});
  using Tree = TreeAttentionOptions;
  expect_least<TreeAttention, Tree>({.width = 2, .hidden = 3},
                                    "tree_attention: width {} and hidden {} must be positive",
                                    {{&Tree::width}, {&Tree::hidden}});
}

}  // namespace
}  // namespace heed::attention
