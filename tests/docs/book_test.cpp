// The book's programs, run as its readers run them: what each page says of numbers holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../examples/command.h"

namespace heed {
namespace {

using testing::HasSubstr;
using testing::Not;

class Book : public Command {
 protected:
  Book() : Command("") {}

  struct Program : Command {
    explicit Program(const std::string& name) : Command(HEED_SMALL "/book/" + name) {}
    using Command::expect_success;
    void TestBody() override {}
  };

  // What it prints; none of what it compares with the library differs.
  std::string run(const std::string& name, bool draws = true) {
    const std::string picture = path(name + ".png");
    const std::string output = Program(name).expect_success(draws ? picture : "");
    EXPECT_EQ(std::filesystem::exists(picture), draws) << name;
    EXPECT_THAT(output, Not(HasSubstr("not the same"))) << name;
    return output;
  }
  // The numbers of the line that begins with these words.
  static std::vector<double> numbers(const std::string& line, const std::string& output) {
    const std::size_t at = ("\n" + output).find("\n" + line);
    if (at == std::string::npos) {
      ADD_FAILURE() << "no line \"" << line << "\" in:\n" << output;
      return std::vector<double>(9);
    }
    std::istringstream in(
        output.substr(at + line.size(), output.find('\n', at) - at - line.size()));
    std::vector<double> found;
    for (std::string word; in >> word;) {
      try {
        found.push_back(std::stod(word));
      } catch (const std::invalid_argument&) {
      }
    }
    found.resize(9);
    return found;
  }
};

TEST_F(Book, ExclusiveOrIsLearned) {
  const std::string output = run("exclusive_or", false);
  EXPECT_LT(std::stod(output.substr(output.rfind('\n', output.size() - 2))), 0.1);
}

TEST_F(Book, GettingStartedFindsTheWord) {
  const std::string output = Program("getting_started").expect_success(path("started"));
  EXPECT_GT(number_after("accuracy ", output.substr(output.find("\naccuracy"))), 0.98);
  EXPECT_GT(numbers("bad with", output)[0], 0.9);
  EXPECT_TRUE(std::filesystem::exists(path("started/looked.png")));
}

TEST_F(Book, AFixedVectorForgetsAndAttentionDoesNot) {
  const std::string output = run("fixed_vector", false);
  const auto fixed = numbers("fixed vector of 32", output), seen = numbers("attention", output);
  EXPECT_GT(fixed[0], 0.95);
  EXPECT_LT(fixed[4], 0.7);  // 12 symbols
  EXPECT_GT(seen[4], 0.9);
  EXPECT_GT(numbers("fixed vector of 128", output)[4], fixed[4] + 0.05);
}

TEST_F(Book, AlignmentIsBahdanaus) {
  const std::string output = run("alignment");
  EXPECT_THAT(output, HasSubstr("by hand and by the library: the same"));
  EXPECT_GT(numbers("words right, length 12:", output)[0], 0.7);
}

TEST_F(Book, ScoresSayWhatTheyCan) {
  const std::string output = run("scores");
  EXPECT_LT(numbers("dot ", output)[0], 0.2);
  EXPECT_GT(numbers("general ", output)[0], 0.95);
  EXPECT_GT(numbers("additive ", output)[0], 0.95);
  EXPECT_LT(numbers("entropy of q . k  ", output)[2], 1);
  EXPECT_GT(numbers("entropy of q . k / sqrt(d)", output)[2], 3);
  EXPECT_THAT(output, HasSubstr("gradients right"));
}

TEST_F(Book, HardAttentionLearnsByEstimates) {
  const std::string output = run("soft_and_hard", false);
  EXPECT_GT(numbers("leave one out, 4 draws", output)[1], 0.95);
  EXPECT_GT(numbers("soft attention", output)[0], 0.95);
  EXPECT_GT(number_after("REINFORCE ", output.substr(output.find("exercise 1"))),
            10 * number_after("leave one out ", output.substr(output.find("exercise 1"))));
  EXPECT_LT(numbers("1000 estimates: off by", output)[0],
            numbers("  10 estimates: off by", output)[0]);
}

TEST_F(Book, LocalAttentionPredictsWhereToGo) {
  const std::string output = run("global_and_local");
  EXPECT_GT(numbers("local-p", output)[0], 0.9);
  EXPECT_LT(numbers("local-m", output)[0], 0.8);
  EXPECT_GT(numbers("local-m", output.substr(output.find("exercise 1")))[0], 0.9);
  EXPECT_THAT(output, HasSubstr("1024    1048576      11234"));
}

TEST_F(Book, TheSentenceThatDecidesIsLookedAt) {
  const std::string output = run("where_it_looks");
  EXPECT_GT(numbers("accuracy", output)[0], 0.97);
  EXPECT_GT(number_after("decides\n", output), 0.3);
}

TEST_F(Book, TwoListsFindWhatTheyShare) {
  const std::string output = run("two_at_once");
  EXPECT_GT(numbers("each looks at the other", output)[0], 0.97);
  EXPECT_LT(numbers("a vector of each", output)[0], 0.8);
}

TEST_F(Book, TwoFactsNeedTwoHops) {
  const std::string output = run("memory");
  EXPECT_GT(numbers("two hops", output)[0], 0.95);
  EXPECT_LT(numbers("one hop", output)[0], 0.8);
}

TEST_F(Book, SelfAttentionNeedsPositions) {
  const std::string output = run("self_attention");
  EXPECT_GT(numbers("one layer, one head", output)[0], 0.97);
  EXPECT_LT(numbers("four heads, without positions", output)[0], 0.5);
}

TEST_F(Book, PositionsAndMasks) {
  const std::string output = run("positions_and_masks");
  EXPECT_LT(numbers("none", output)[0], 0.6);
  EXPECT_GT(numbers("rotary", output)[1], numbers("learned", output)[1] + 0.2);
  EXPECT_THAT(output, HasSubstr("places before: 0, from there on: all changed"));
  EXPECT_THAT(output, HasSubstr("not a bit changed"));
}

TEST_F(Book, TilesKeepNoBlock) {
  const std::string output = run("long_sequences");
  EXPECT_GT(numbers("2048", output)[0], 20 * numbers("2048", output)[1]);
}

TEST_F(Book, AttentionCanBeMadeToHide) {
  const std::string output = run("believed");
  const auto honest = numbers("as it learns", output),
             hiding = numbers("attention there costs", output);
  EXPECT_GT(honest[0], 0.97);
  EXPECT_GT(hiding[0], 0.97);
  EXPECT_GT(honest[1], 0.4);
  EXPECT_LT(hiding[1], 0.1);
}

}  // namespace
}  // namespace heed
