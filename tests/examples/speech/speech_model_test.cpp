#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../data/generated/dialled.h"
#include "../../../examples/speech/evaluation.h"
#include "../../io/temporary_folder.h"
#include "../../support/throws.h"

namespace speech {
namespace {

class SpeechModel : public testing::TestWithParam<const char*> {
 protected:
  SpeechModel() {
    if (!data::has_sound()) return;
    manual_seed(3);
    Generator generator(5);
    const auto recordings = data::generate_dialled(60, generator);
    some = data::draw_utterances(recordings, 3, 2, 5, generator);
    model = std::make_unique<Listener>(ModelOptions{
        .attention = GetParam(), .hidden = 5, .first = 2, .levels = 2, .state = 7, .kernel = 5});
    model->standardise(some);
    model->eval();
  }
  void SetUp() override {
    if (!data::has_sound()) GTEST_SKIP() << "built without libsndfile and KissFFT";
  }
  std::vector<Utterance> some;
  std::unique_ptr<Listener> model;
};

INSTANTIATE_TEST_SUITE_P(Kinds, SpeechModel, testing::Values("location", "content", "mocha", "ctc"),
                         [](const auto& kind) { return kind.param; });

TEST_P(SpeechModel, AStringIsHeardTheSameAloneAndBesideOthers) {
  const std::vector<Heard> all = model->listen(data::batch_of(some), 3);
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Heard alone = model->listen(data::batch_of({some[i]}), 3).front();
    EXPECT_EQ(all[i].digits, alone.digits);
    EXPECT_NEAR(all[i].log_probability, alone.log_probability, 1e-4);
    ASSERT_EQ(all[i].seconds.size(), all[i].digits.size());
    for (std::size_t d = 0; d < alone.seconds.size(); ++d) {
      EXPECT_NEAR(all[i].seconds[d], alone.seconds[d], 1e-3);
    }
    const double longest = static_cast<double>(some[i].said.samples.size()) / data::kSpokenRate;
    for (const double second : all[i].seconds) EXPECT_LT(second, longest + 0.05);
    EXPECT_EQ(alone.weights.size(1), (some[i].features.size(0) + 3) / 4);
  }
}

TEST_P(SpeechModel, FeaturesAreStandardised) {
  double sum = 0, squares = 0, count = 0;
  const auto mean = model->mean.array().to_vector<float>();
  const auto scale = model->scale.array().to_vector<float>();
  for (const Utterance& each : some) {
    const auto features = each.features.to_vector<float>();
    for (std::size_t i = 7; i < features.size(); i += data::kUtteranceWidth, ++count) {
      const double x = (features[i] - mean[7]) * static_cast<double>(scale[7]);
      sum += x;
      squares += x * x;
    }
  }
  EXPECT_NEAR(sum / count, 0, 1e-3);
  EXPECT_NEAR(squares / count, 1, 1e-3);
}

TEST_P(SpeechModel, PicturesShowWhatWasHeard) {
  const train::Picture one = picture_of(*model, {some[0]}, 1);
  EXPECT_GT(picture_of(*model, {some[0], some[1]}, 1).height(), one.height());
  EXPECT_GE(one.width(), 2 * some[0].features.size(0));
}

TEST(SpeechCorpus, HoldsOutATenthOfEachSpeakersDigits) {
  const Corpus corpus = load_corpus({.recordings = 600});
  EXPECT_EQ(corpus.train.size() + corpus.validation.size(), 600U);
  EXPECT_NEAR(static_cast<double>(corpus.validation.size()), 40, 20);
  EXPECT_EQ(corpus.test.size(), 150U);
  EXPECT_NE(corpus.test[0].samples, corpus.train[0].samples);
  EXPECT_EQ(load_corpus({.recordings = 600}).train[3].samples, corpus.train[3].samples);
  EXPECT_NE(load_corpus({.recordings = 600, .seed = 2}).train[3].samples, corpus.train[3].samples);
}

TEST(SpeechCorpus, IsTheFreeSpokenDigitDataset) {
  const char* folder = std::getenv("HEED_DATA");
  const std::string tar = std::string(folder ? folder : "") + "/fsdd/fsdd.tar.gz";
  if (!folder || !std::filesystem::exists(tar)) GTEST_SKIP() << "HEED_DATA holds no fsdd";
  if (!data::has_sound()) GTEST_SKIP() << "built without libsndfile";
  const heed::TemporaryFolder unpacked;
  const std::string place = unpacked.path().string();
  const std::string command = "tar xzf '" + tar + "' -C '" + place + "'";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no tar unpacks " << tar;
  const Corpus corpus = load_corpus({.data = place});
  EXPECT_EQ(corpus.train.size(), 2460U);
  EXPECT_EQ(corpus.validation.size(), 240U);
  EXPECT_EQ(corpus.test.size(), 300U);
}

}  // namespace
}  // namespace speech
