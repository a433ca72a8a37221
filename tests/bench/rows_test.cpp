// Our programs of scripts/bench, which are built with the tests and take a step of each row here, so
// that a change that breaks one is seen at once. How fast they are is no matter of a test.
#include "../../bench/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "../../bench/bounds.h"

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

// What it answers to "run" and "quit".
std::string answers(const Row& row, int threads) {
  const std::string line = std::string("printf 'run\\nquit\\n' | '") + HEED_BENCH + "/heed_" +
                           row.program + "' --row " + row.name + " --threads " +
                           std::to_string(threads) + " 2>&1";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  std::string out;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    out.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << line << "\n" << out;
  return out;
}

class BenchRows : public testing::TestWithParam<Row> {};

TEST_P(BenchRows, TakesAStepToTheSameBitsWithAnyNumberOfThreads) {
  std::string losses[2];
  for (int threads : {1, 2}) {
    const std::string out = answers(GetParam(), threads);
    const std::size_t begin = out.find("ready\n{");
    ASSERT_NE(begin, out.npos) << out;
    const std::size_t end = out.find('\n', begin + 6);
    const auto answer = nlohmann::json::parse(out.substr(begin + 6, end - begin - 6));
    EXPECT_TRUE(std::isfinite(answer.at("loss").get<double>())) << out;
    EXPECT_NE(answer.at("loss").get<double>(), 0) << out;
    losses[threads - 1] = answer.at("loss").dump() + " " + answer.at("gradients").dump();
  }
  EXPECT_EQ(losses[0], losses[1]);
}
INSTANTIATE_TEST_SUITE_P(All, BenchRows, testing::ValuesIn(rows()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
