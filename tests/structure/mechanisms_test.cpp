// Every class of attention/mechanisms/ stands in the property table, or is named here with the test
// that is its own.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "source_tree.h"

namespace heed {
namespace {

// Those with another face than queries over keys, and parts of others: where their results and
// gradients are held to the definition.
const std::map<std::string, std::string> kElsewhere = {
    {"AdaptiveComputation", "memory/adaptive_computation_test.cpp"},
    {"AttentionGRU", "memory/dynamic_memory_test.cpp"},
    {"CoAttention", "pairs/co_attention_test.cpp"},
    {"ConditionalEncoding", "pairs/entailment_test.cpp"},
    {"ConvDecoderLayer", "decoders/conv_seq2seq_test.cpp"},
    {"CoupledAttention", "pairs/coupled_test.cpp"},
    {"CoverageScore", "decoders/coverage_test.cpp"},
    {"EntailmentPair", "pairs/entailment_test.cpp"},
    {"FastWeightsAttention", "linear/linear_mechanisms_test.cpp"},
    {"Expert", "transformer/mixture_of_experts_test.cpp"},
    {"GlimpseNetwork", "hard/glimpse_sensor_test.cpp"},
    {"GraphScore", "graph/graph_attention_test.cpp"},
    {"GuidedAttention", "pairs/co_attention_test.cpp"},
    {"HopfieldLayer", "sets/hopfield_test.cpp"},
    {"HardAttention", "hard/hard_attention_test.cpp"},
    {"HardMonotonic", "hard/hard_monotonic_test.cpp"},
    {"LSTMNCell", "memory/lstmn_test.cpp"},
    {"LocationNetwork", "hard/glimpse_sensor_test.cpp"},
    {"LowRankMix", "linear/linear_mechanisms_test.cpp"},
    {"MemoryNetwork", "memory/memory_network_test.cpp"},
    {"MemoryStream", "memory/memory_stream_test.cpp"},
    {"MixtureOfDepths", "transformer/mixture_of_depths_test.cpp"},
    {"MixtureOfExperts", "transformer/mixture_of_experts_test.cpp"},
    {"MultiPerspectiveMatching", "pairs/multi_perspective_test.cpp"},
    {"MultiStepAttention", "decoders/conv_seq2seq_test.cpp"},
    {"MultiTokenPrediction", "transformer/multi_token_test.cpp"},
    {"NeuralComputer", "memory/neural_computer_test.cpp"},
    {"NeuralGPU", "memory/neural_gpu_test.cpp"},
    {"NeuralProgrammer", "memory/neural_programmer_test.cpp"},
    {"OneShotAttention", "pairs/entailment_test.cpp"},
    {"PerceiverRead", "sets/perceiver_test.cpp"},
    {"PointerNetwork", "decoders/pointer_network_test.cpp"},
    {"PointerSentinel", "memory/neural_cache_test.cpp"},
    {"SelfAttention", "transformer/stack_options_test.cpp"},
    {"ProcessLayers", "sets/neural_process_test.cpp"},
    {"SetBlock", "sets/set_transformer_test.cpp"},
    {"ShortConvolution", "linear/linear_mechanisms_test.cpp"},
    {"StreamHalf", "pairs/two_streams_test.cpp"},
    {"SubsetPointer", "decoders/subset_pointer_test.cpp"},
    {"Summariser", "decoders/summariser_test.cpp"},
    {"Synthesis", "transformer/synthesizer_test.cpp"},
    {"Transformer", "transformer/transformer_test.cpp"},
    {"TransformerDecoderLayer", "transformer/transformer_test.cpp"},
    {"TransformerEncoderLayer", "transformer/transformer_test.cpp"},
    {"TransformerNorm", "transformer/stack_options_test.cpp"},
    {"TransformerXL", "transformer/transformer_xl_test.cpp"},
    {"TransformerXLLayer", "transformer/transformer_xl_test.cpp"},
    {"Trilinear", "pairs/bi_directional_test.cpp"},
    {"TuringMachine", "memory/turing_machine_test.cpp"},
    {"VariationalAttention", "hard/variational_test.cpp"}};

std::string text_of(const SourceFile& file) {
  std::string out;
  for (const std::string& line : file.lines) out += line + '\n';
  return out;
}

TEST(Mechanisms, AreInThePropertyTableOrHaveATestOfTheirOwn) {
  const std::string own_tests = "tests/attention/mechanisms/";
  const std::regex declared(
      "\nclass (\\w+)(?: final)? : public "
      "(?:nn::Module|SelfAttention|FastWeightsAttention|DeltaNet|Score)");
  std::string table;
  std::set<std::string> classes;
  std::map<std::string, std::string> tests;
  for (const SourceFile& file : source_files()) {
    const std::string place = file.place.generic_string();
    if (place.starts_with(own_tests + "mechanisms") ||
        place.starts_with(own_tests + "linear/makers")) {
      table += text_of(file);
    }
    if (place.starts_with(own_tests)) tests[place.substr(own_tests.size())] = text_of(file);
    if (!place.starts_with("attention/mechanisms/") || !place.ends_with(".h")) continue;
    const std::string text = text_of(file);
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
      classes.insert((*at)[1]);
    }
  }
  EXPECT_GT(classes.size(), 40U);
  for (const std::string& name : classes) {
    const auto own = kElsewhere.find(name);
    if (own == kElsewhere.end()) {
      EXPECT_TRUE(std::regex_search(table, std::regex("\\b" + name + "\\b")))
          << name << " has no row";
      continue;
    }
    ASSERT_TRUE(tests.contains(own->second)) << own->second;
    EXPECT_TRUE(
        std::regex_search(tests.at(own->second), std::regex("gradcheck|leaves_of|TheDefinition")))
        << own->second << " holds " << name << " to nothing";
  }
  for (const auto& [name, test] : kElsewhere) {
    EXPECT_TRUE(classes.contains(name)) << name << " is no class of a mechanism";
  }
}

}  // namespace
}  // namespace heed
