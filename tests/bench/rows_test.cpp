// Our programs of scripts/bench, which are built with the tests and take a step of each row here, so
// that a change that breaks one is seen at once. How fast they are is no matter of a test.
#include "../../bench/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>

#include "../../bench/bounds.h"
#include "../../bench/process.h"

namespace {

struct Row {
  std::string program, name;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.program << " " << row.name; }

// Each of the tables, and small ones of what is measured at many lengths.
std::vector<Row> rows() {
  std::vector<Row> out = {{"attention", "decode_31"},
                          {"attention", "linear_131"},
                          {"attention", "delta_131"},
                          {"attention", "causal_131"},
                          {"attention", "local_131"},
                          {"attention", "full_131"},
                          {"mlp", "mlp"},
                          {"ort", "ort_encoder"}};
  for (const bench::Row& row : bench::kRows) out.push_back({row.programs, row.name});
  for (const bench::Bound& bound : bench::kBounds) {
    if (bound.row != "flex" && bound.row != "packed") out.push_back({bound.program, bound.row});
  }
  return out;
}

class BenchRows : public testing::TestWithParam<Row> {};

TEST_P(BenchRows, TakesAStepToTheSameBitsWithAnyNumberOfThreads) {
  std::string found[2];
  for (const int threads : {1, 2}) {
    // A step before it: the loss of the second tells of the first one's gradients.
    bench::Process program({std::string(HEED_BENCH) + "/heed_" + GetParam().program, "--row",
                            GetParam().name, "--threads", std::to_string(threads), "--warm-up",
                            "1"});
    const auto answer = nlohmann::json::parse(program.ask("run"));
    EXPECT_TRUE(std::isfinite(answer.at("loss").get<double>()));
    EXPECT_NE(answer.at("loss").get<double>(), 0);
    found[threads - 1] = answer.at("loss").dump() + " " + answer.at("gradients").dump();
  }
  EXPECT_EQ(found[0], found[1]);
}
INSTANTIATE_TEST_SUITE_P(All, BenchRows, testing::ValuesIn(rows()),
                         [](const auto& each) { return each.param.name; });

// A program that keeps silent would be waited for without end.
TEST(BenchProgram, AnswersWhatItDoesNotKnow) {
  bench::Process program({std::string(HEED_BENCH) + "/heed_mlp", "--row", "mlp"});
  try {
    program.ask("sing");
    FAIL() << "was answered";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no answer to sing"), std::string::npos)
        << error.what();
  }
  EXPECT_GT(nlohmann::json::parse(program.ask("run")).at("ms").get<double>(), 0);
}

// As `scripts/bench --profile han` asks for it.
TEST(BenchProgram, TellsWhereItsTimeGoes) {
  bench::Process program({std::string(HEED_BENCH) + "/heed_han", "--row", "han"});
  const auto answer = nlohmann::json::parse(program.ask("profile"));
  EXPECT_NE(answer.at("table").get<std::string>().find("embedding"), std::string::npos);
  EXPECT_GT(answer.at("plain").get<double>(), 0);
  EXPECT_GT(answer.at("profiled").get<double>(), 0);
}

}  // namespace
