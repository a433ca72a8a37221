// Learning with a small model of drawn weights.
#include "../../../examples/pretrained/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "../../../heed.h"
#include "../../../train/interrupt.h"
#include "../command.h"

namespace others {
namespace {

using heed::pretrained::DecoderOnly, heed::pretrained::ScoredTokens;

// Of each token its score, the number of its bytes, and these.
std::string tokens_of(const std::vector<std::string>& texts) {
  const std::int32_t longest = 7;
  std::string out(reinterpret_cast<const char*>(&longest), 4);
  for (const std::string& text : texts) {
    const float score = 0;
    const auto length = static_cast<std::int32_t>(text.size());
    out.append(reinterpret_cast<const char*>(&score), 4);
    out.append(reinterpret_cast<const char*>(&length), 4);
    out += text;
  }
  return out;
}

class Tuning : public heed::Command {
 protected:
  Tuning() : Command(HEED_PRETRAINED) {
    for (int i = 0; i < 23; ++i) text_ += i % 3 ? "abbab\n" : "ba ab\n";
    write("text", text_);
    write("tokens", tokens_of({"<unk>", "<s>", "</s>", " ", "a", "b", "\n"}));
    heed::manual_seed(3);
    heed::pretrained::write_llama2c(path("model.bin"), *model());
  }
  static std::unique_ptr<DecoderOnly> model() {
    return std::make_unique<DecoderOnly>(heed::pretrained::DecoderOnlyOptions{
        .vocabulary = 7,
        .context = 11,
        .layers = 1,
        .stack = {.width = 12,
                  .heads = 3,
                  .kv_heads = 3,
                  .hidden = 5,
                  .dropout = 0,
                  .pre_norm = true,
                  .norm = heed::attention::Norm::rms,
                  .activation = heed::attention::Activation::swiglu,
                  .bias = false,
                  .rotary = true},
        .tied = true});
  }
  std::unique_ptr<DecoderOnly> read() const {
    auto out = heed::pretrained::read_llama2c(path("model.bin"));
    out->train();
    return out;
  }
  Tuned tuned(DecoderOnly& on, const TuningOptions& options,
              const std::string& name = "text") const {
    return tune(on, ScoredTokens(path("tokens"), 7), path(name), options);
  }
  std::string flags() const {
    return " --model " + path("model.bin") + " --tokens " + path("tokens");
  }
  std::string training() const {
    return "train --data " + path("text") + " --steps 1 --batch 2 --length 5" + flags() + " --out ";
  }

 private:
  std::string text_;
};

// What is held out is of letters that the rest lacks: the more it learns, the less it expects them,
// and the last weights are not the ones that are kept.
TEST_F(Tuning, TheLossIsThatOfTheWeightsWritten) {
  std::string text;
  for (int i = 0; i < 41; ++i) text += i < 37 ? "aaaa\n" : "bbbb\n";
  write("turned", text);
  const auto on = read();
  const Tuned found = tuned(*on, {.steps = 60, .batch = 3, .length = 7, .lr = 1e-2}, "turned");
  EXPECT_TRUE(found.any);
  EXPECT_FALSE(found.interrupted);
  EXPECT_EQ(tuned(*on, {.steps = 1, .batch = 3, .length = 7}, "turned").before, found.after);
}

TEST_F(Tuning, InterruptedBeforeItsFirstLookItSaysSo) {
  const auto on = read();
  const heed::train::InterruptGuard guard;
  std::raise(SIGINT);
  const Tuned found = tuned(*on, {.steps = 20, .batch = 3, .length = 7});
  EXPECT_TRUE(found.interrupted);
  EXPECT_FALSE(found.any);
  EXPECT_EQ(found.after, found.before);
}

TEST_F(Tuning, InterruptedNothingIsWritten) {
  heed::Running running(line("train --data " + path("text") + " --steps 16000000 --batch 2 " +
                             "--length 5" + flags() + " --out " + path("out.bin")));
  running.read_until("steps to");  // it prints as it learns
  const heed::Outcome outcome = running.end(SIGINT);
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, testing::HasSubstr("interrupted before the first look"));
  EXPECT_FALSE(std::filesystem::exists(path("out.bin")));
}

// The first step moves nothing of what adapters begin with but by its decay.
TEST_F(Tuning, OneSeedIsOfAdaptersToo) {
  const auto adapters = [&](const std::string& name, const std::string& more) {
    expect_success(training() + path(name) + " --lora 2" + more);
    std::vector<float> out;
    for (const auto& [entry, array] : heed::io::read_safetensors(path(name)).arrays) {
      if (!entry.ends_with(".lora_a")) continue;
      const auto numbers = array.to_vector<float>();
      out.insert(out.end(), numbers.begin(), numbers.end());
    }
    EXPECT_FALSE(out.empty());
    return out;
  };
  const std::vector<float> one = adapters("one", ""), same = adapters("same", " --seed 1"),
                           other = adapters("other", " --seed 20000000000");
  EXPECT_EQ(one, same);
  ASSERT_EQ(one.size(), other.size());
  double apart = 0;
  for (std::size_t i = 0; i < one.size(); ++i) apart += std::abs(one[i] - other[i]);
  EXPECT_GT(apart, 1e-2 * static_cast<double>(one.size()));
}

TEST_F(Tuning, WritesWithAnySeed) {
  const std::string first =
      expect_success("write --length 11 --seed 18446744073709551615" + flags());
  EXPECT_EQ(expect_success("write --length 11 --seed 18446744073709551615" + flags()), first);
}

}  // namespace
}  // namespace others
