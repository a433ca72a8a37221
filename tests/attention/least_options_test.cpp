// Of decoders, graphs and hard attention: see least_options.h.
#include "least_options.h"

#include "../../attention/attention.h"

namespace heed::attention {
namespace {

TEST(LeastOptions, OfDecoders) {
  using Bahdanau = BahdanauOptions;
  expect_least<BahdanauDecoder, Bahdanau>(
      {.word_width = 2,
       .annotation_width = 3,
       .state_width = 5,
       .hidden = 7,
       .readout = 11,
       .start_width = 1},
      "bahdanau_decoder: word_width {}, annotation_width {} and state_width {} must be positive, "
      "hidden {}, readout {} and start_width {} not negative",
      {{&Bahdanau::word_width},
       {&Bahdanau::annotation_width},
       {&Bahdanau::state_width},
       {&Bahdanau::hidden, 0},
       {&Bahdanau::readout, 0},
       {&Bahdanau::start_width, 0, false}});
  using Conv = ConvSeq2SeqOptions;
  const std::string conv =
      "conv_seq2seq: width {}, layers {} and kernel {} must be positive, hidden {} not negative";
  const std::vector<Least<Conv>> conv_members = {
      {&Conv::width}, {&Conv::layers}, {&Conv::kernel}, {&Conv::hidden, 0}};
  const Conv conv_options{.width = 3, .hidden = 5, .layers = 2, .kernel = 7};
  expect_least<ConvEncoder>(conv_options, conv, conv_members);
  expect_least<ConvDecoder>(conv_options, conv, conv_members);
  expect_least<ConvDecoder>(conv_options, "conv_seq2seq: attentions {} must be positive",
                            {{&Conv::attentions}});
  using Aware = LocationAwareDecoderOptions;
  expect_least<LocationAwareDecoder, Aware>(
      {.word_width = 2,
       .annotation_width = 3,
       .state_width = 5,
       .hidden = 7,
       .readout = 17,
       .filters = 11,
       .kernel = 13,
       .window = 19},
      "location_aware_decoder: word_width {}, annotation_width {}, state_width {} and filters {} "
      "must be positive, hidden {}, readout {} and window {} not negative",
      {{&Aware::word_width},
       {&Aware::annotation_width},
       {&Aware::state_width},
       {&Aware::filters},
       {&Aware::hidden, 0},
       {&Aware::readout, 0},
       {&Aware::window, 0}});
  using Local = LocalOptions;
  expect_least<attention::Local, Local>(
      {.kind = LocalKind::predictive, .half_width = 2, .query_width = 3, .hidden = 5},
      "local: predictive places need a positive query_width, not {}, and a hidden of at least 0, "
      "not {}",
      {{&Local::query_width}, {&Local::hidden, 0}});
  expect_least<attention::Local, Local>(
      {.kind = LocalKind::predictive, .query_width = 3},
      "local: half_width {} must be positive: sigma is half of it", {{&Local::half_width}});
  expect_least<attention::Local, Local>({}, "local: half_width {} must not be negative",
                                        {{&Local::half_width, 0}});
  using Luong = LuongOptions;
  expect_least<LuongDecoder, Luong>(
      {.word_width = 2, .source_width = 5, .state_width = 3, .layers = 2, .out = 7},
      "luong_decoder: word_width {}, source_width {}, state_width {} and layers {} must be "
      "positive, out {} not negative",
      {{&Luong::word_width},
       {&Luong::source_width},
       {&Luong::state_width},
       {&Luong::layers},
       {&Luong::out, 0}});
}

TEST(LeastOptions, OfDecodersThatPoint) {
  using Shallow = LSTMNDecoderOptions;
  expect_least<LSTMNDecoder, Shallow>(
      {.input = 2, .hidden = 3, .source = 5, .fusion = Fusion::shallow, .attention = 7},
      "LSTMNDecoder: input {}, hidden {} and source {} must be positive, attention {} not negative",
      {{&Shallow::input}, {&Shallow::hidden}, {&Shallow::source}, {&Shallow::attention, 0}});
  using Heads = MonotonicHeadsOptions;
  expect_least<MonotonicHeads, Heads>({.width = 6, .key_width = 5},
                                      "monotonic_heads: width {}, heads {} and key_width {} must "
                                      "be positive, and heads divide the width",
                                      {{&Heads::width}, {&Heads::heads}, {&Heads::key_width, 0}});
  using Generator = PointerGeneratorOptions;
  expect_least<PointerGenerator, Generator>(
      {.word_width = 2, .annotation_width = 3, .state_width = 5, .hidden = 7, .vocabulary = 11},
      "pointer_generator: word_width {}, annotation_width {}, state_width {} and vocabulary {} "
      "must be positive, hidden {} not negative",
      {{&Generator::word_width},
       {&Generator::annotation_width},
       {&Generator::state_width},
       {&Generator::vocabulary},
       {&Generator::hidden, 0}});
  using Network = PointerNetworkOptions;
  expect_least<PointerNetwork, Network>(
      {.input_width = 2, .key_width = 3, .state_width = 5, .hidden = 7},
      "pointer_network: input_width {}, key_width {} and state_width {} must be positive, hidden "
      "{} not negative",
      {{&Network::input_width},
       {&Network::key_width},
       {&Network::state_width},
       {&Network::hidden, 0}});
  using Summary = SummariserOptions;
  expect_least<Summariser, Summary>(
      {.source_words = 11,
       .target_words = 13,
       .source_width = 2,
       .target_width = 3,
       .context = 5,
       .window = 7,
       .hidden = 17},
      "summariser: source_words {}, target_words {}, source_width {}, target_width {}, context {}, "
      "window {} and hidden {} must be positive",
      {{&Summary::source_words},
       {&Summary::target_words},
       {&Summary::source_width},
       {&Summary::target_width},
       {&Summary::context},
       {&Summary::window},
       {&Summary::hidden}});
}

TEST(LeastOptions, OfGraphs) {
  using Graph = GraphAttentionOptions;
  expect_least<GraphAttention, Graph>(
      {.input = 2, .head_width = 3, .heads = 5},
      "graph_attention: input {}, head_width {} and heads {} must be positive",
      {{&Graph::input}, {&Graph::head_width}, {&Graph::heads}});
  using Stack = GraphTransformerOptions;
  expect_least<GraphTransformer, Stack>(
      {.transformer = {.width = 6, .heads = 2, .hidden = 5},
       .positions = 2,
       .max_distance = 3,
       .max_degree = 7},
      "graph_transformer: positions {}, max_distance {} and max_degree {} must not be negative",
      {{&Stack::positions, 0}, {&Stack::max_distance, 0}, {&Stack::max_degree, 0}});
}

TEST(LeastOptions, OfGlimpses) {
  using Glimpse = GlimpseOptions;
  expect_least<GlimpseNetwork, Glimpse>(
      {.channels = 2, .size = 3, .scales = 2, .hidden = 5, .width = 7},
      "GlimpseNetwork: channels {} must be positive", {{&Glimpse::channels}});
  expect_least<GlimpseNetwork, Glimpse>(
      {.channels = 2, .size = 3, .scales = 2, .hidden = 5, .width = 7},
      "GlimpseNetwork: size {} and scales {} must be positive, and the largest side at most 65536",
      {{&Glimpse::size}, {&Glimpse::scales}});
}

}  // namespace
}  // namespace heed::attention
