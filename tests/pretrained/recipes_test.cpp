// The code of docs/interop.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../../heed.h"
#include "../../pretrained/pretrained.h"
#include "../structure/shown_code.h"
#include "../support/throws.h"

namespace heed::pretrained {
namespace {

namespace fs = std::filesystem;

// The folder of models, where it is there.
std::string place() { return (fs::path(data_folder()) / "../pretrained").string(); }

class Interop : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(place())) GTEST_SKIP() << "no models in " << place();
  }
};

TEST_F(Interop, AStory) {
  const std::string folder = place() + "/stories260k/";
  std::string story;
  // [docs: story]
  const auto model = pretrained::read_llama2c(folder + "stories260K.bin");
  const pretrained::ScoredTokens tokens(folder + "tok512.bin", model->options().vocabulary);
  std::vector<Index> prompt = tokens.encode("The dog");
  prompt.insert(prompt.begin(), tokens.kBegin);
  Generator generator(1);
  story = tokens.decode(pretrained::write(*model, prompt, {.length = 40}, generator));
  // [end]
  EXPECT_THAT(story, testing::StartsWith("The dog"));
  EXPECT_GT(story.size(), 60u);
}

TEST_F(Interop, AWord) {
  const std::string folder = place() + "/aren";
  // [docs: translator]
  const pretrained::Translator translator = pretrained::read_ctranslate2(folder);
  const pretrained::Words word = {"آ", "ت", "ز", "م", "و", "ن"};
  nn::BeamSearchOptions options{.begin = -1, .end = -1, .beam = 4, .n_best = 2};
  options.prefixes = {translator.ids(translator.target_words, {"a", "t", "s"})};
  const auto found = translator.translate({word}, options)[0];  // two hypotheses, best first
  // [end]
  EXPECT_EQ(fmt::format("{}", fmt::join(translator.words(found[0]), "")), "atsumon");
}

TEST(InteropTables, AFamilyOfNames) {
  const nn::Linear source(3, 2);
  const nn::NamedTensors theirs = {{"model.block.0.proj.w", source.weight},
                                   {"model.block.0.proj.b", source.bias},
                                   {"model.block.0.cache", zeros({1})}};
  // [docs: names]
  const nn::NamedTensors ours = pretrained::renamed(theirs,
                                                    {{"model.block.*.proj.w", "*.weight"},
                                                     {"model.block.*.proj.b", "*.bias"},
                                                     {"model.block.*.cache", ""}},  // nothing here
                                                    "theirs.safetensors");
  nn::Sequential model(nn::Linear(3, 2));
  pretrained::load_strictly(model, ours, "theirs.safetensors");
  // [end]
  EXPECT_EQ(model.parameters()[0].array().to_vector<float>(),
            source.weight.array().to_vector<float>());
}

TEST(InteropGuide, ShowsCodeThatRuns) {
  expect_shown("tests/pretrained/recipes_test.cpp", "docs/interop.md", 15);
}

}  // namespace
}  // namespace heed::pretrained
