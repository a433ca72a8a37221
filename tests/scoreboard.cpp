// Counts what is covered and proven, from what the tests themselves reported:
//   scoreboard TABLE.json PARITY.json ATTENTION.json [--json FILE]
// where all are written by --gtest_output=json: of the gradient table and of the estimators beside
// it, of the comparison with libtorch, and of the attention algebra (left out: "-"). A test that
// failed, or was never there, is not counted.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::ordered_json;

struct Test {
  std::string suite, name, parameter;  // parameter: what stands behind the last '/'
  bool passed;
  ordered_json properties;
};

std::vector<Test> read(const std::string& path) {
  if (path == "-") return {};
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Test> out;
  const auto report = ordered_json::parse(file);
  for (const auto& suite : report.at("testsuites")) {
    for (const auto& test : suite.at("testsuite")) {
      const std::string name = test.at("name");
      const auto cut = name.find('/');
      out.push_back({suite.at("name"), name.substr(0, cut),
                     cut == std::string::npos ? "" : name.substr(cut + 1),
                     test.value("result", "") == "COMPLETED" && !test.contains("failures"), test});
    }
  }
  return out;
}

// The parameters for which the test of that name passed.
std::set<std::string> passed(const std::vector<Test>& tests, const std::string& name) {
  std::set<std::string> out;
  for (const Test& test : tests) {
    if (test.name == name && test.passed) out.insert(test.parameter);
  }
  return out;
}

// What the tests recorded, added up, those that failed too: a fault that was missed was planted.
int property(const std::vector<Test>& tests, const std::string& key) {
  int sum = 0;
  for (const Test& test : tests) {
    if (test.properties.contains(key)) {
      sum += std::stoi(test.properties.at(key).get<std::string>());
    }
  }
  return sum;
}

// The table that a test of gradients through sampling recorded: name, unbiased, z, variance.
ordered_json estimators(const std::vector<Test>& tests) {
  for (const Test& test : tests) {
    if (!test.passed || !test.properties.contains("estimators")) continue;
    return ordered_json::parse(test.properties.at("estimators").get<std::string>());
  }
  return ordered_json::array();
}

ordered_json count(const std::vector<Test>& table, const std::vector<Test>& parity,
                   const std::vector<Test>& attention) {
  std::set<std::string> operators;
  std::vector<std::string> exempt;
  int planted = 0, caught = 0;
  for (const Test& test : table) {
    if (test.name == "GivesTheReferencesValues") operators.insert(test.parameter);
    if (test.passed && test.properties.contains("exempt")) exempt.push_back(test.parameter);
    if (test.name != "IsFound") continue;
    ++planted;
    caught += test.passed;
  }
  std::set<std::string> errors = passed(table, "RefusesBadCalls");
  std::erase_if(errors, [four = passed(table, "HasFourBadCallsAndAnEmptyInput")](
                            const std::string& name) { return !four.contains(name); });
  std::set<std::string> peers, agreeing;  // layers that need several calls have tests of their own
  for (const Test& test : parity) {
    const bool own = test.parameter.empty() && test.suite.ends_with("Parity");
    if (!own && test.name != "AgreesWithLibtorch") continue;
    const std::string peer = own ? test.suite + '.' + test.name : test.parameter;
    peers.insert(peer);
    if (test.passed) agreeing.insert(peer);
  }
  ordered_json out;
  out["operators"] = operators.size();
  out["first_order"] = passed(table, "PassesFirstOrderCheck").size();
  out["second_order"] = passed(table, "PassesSecondOrderCheck").size() - exempt.size();
  out["second_order_exempt"] = exempt;
  out["error_rows"] = errors.size();
  out["parity"] = agreeing.size();
  out["parity_possible"] = peers.size();
  out["faults_planted"] = planted + property(table, "planted");
  out["faults_caught"] = caught + property(table, "caught");
  out["samples_median"] = property(table, "median");
  for (const char* key : {"attention_combinations", "attention_first_order",
                          "attention_second_order", "score_maps", "mask_rules"}) {
    out[key] = property(attention, key);
  }
  std::set<std::string> mechanisms, failing;
  std::map<std::string, std::set<std::string>> groups;
  for (const Test& test : attention) {
    if (test.name == "HasGradientsOfFirstAndSecondOrder" && !test.passed) {
      failing.insert(test.properties.value("mechanism", ""));
    }
    if (test.passed && test.properties.contains("mechanism")) {
      mechanisms.insert(test.properties.at("mechanism").get<std::string>());
      groups[test.properties.value("group", "other")].insert(
          test.properties.at("mechanism").get<std::string>());
    }
  }
  out["mechanism_groups"] = ordered_json::object();
  for (auto& [group, names] : groups) {
    for (const std::string& name : failing) names.erase(name);
    out["mechanism_groups"][group] = names.size();
  }
  for (const std::string& name : failing) mechanisms.erase(name);
  out["mechanisms"] = mechanisms.size();
  out["estimators"] = estimators(table);
  return out;
}

void print(const ordered_json& board) {
  const auto number = [&](const char* key) { return board.at(key).get<int>(); };
  const int operators = number("operators");
  fmt::print("operators                        {}\n", operators);
  fmt::print("  first-order gradients checked  {} of {}\n", number("first_order"), operators);
  const auto exempt = board.at("second_order_exempt").get<std::vector<std::string>>();
  fmt::print("  second-order gradients checked {} of {}\n", number("second_order"),
             operators - static_cast<int>(exempt.size()));
  if (!exempt.empty()) fmt::print("  without a second order         {}\n", fmt::join(exempt, ", "));
  fmt::print("  bad calls refused              {} of {}\n", number("error_rows"), operators);
  fmt::print("  samples an operator (median)   {}\n", number("samples_median"));
  fmt::print("parity with libtorch             {} of {}\n", number("parity"),
             number("parity_possible"));
  fmt::print("planted faults caught            {} of {}\n", number("faults_caught"),
             number("faults_planted"));
  const int combinations = number("attention_combinations");
  fmt::print("score x normaliser x mask x bias {}\n", combinations);
  fmt::print("  first-order gradients checked  {} of {}\n", number("attention_first_order"),
             combinations);
  fmt::print("  second-order gradients checked {} of {}\n", number("attention_second_order"),
             combinations);
  fmt::print("score maps with a name           {}\n", number("score_maps"));
  fmt::print("mask rules with a name           {}\n", number("mask_rules"));
  fmt::print("named mechanisms                 {}\n", number("mechanisms"));
  for (const auto& [group, count] : board.at("mechanism_groups").items()) {
    fmt::print("  {:<30} {}\n", group, count.get<int>());
  }
  fmt::print("gradients through sampling                    z    variance\n");
  for (const auto& row : board.at("estimators")) {
    fmt::print("  {:<26} {:<8} {:8.2f} {:11.4g}\n", row.at("name").get<std::string>(),
               row.at("unbiased").get<bool>() ? "unbiased" : "biased", row.at("z").get<double>(),
               row.at("variance").get<double>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() != 3 && !(arguments.size() == 5 && arguments[3] == "--json")) {
      throw std::runtime_error(
          "usage: scoreboard TABLE.json PARITY.json ATTENTION.json [--json FILE]");
    }
    const ordered_json board = count(read(arguments[0]), read(arguments[1]), read(arguments[2]));
    print(board);
    if (arguments.size() == 5) {
      std::ofstream file(arguments[4]);
      file << board.dump(2) << '\n';
      if (!file.flush()) throw std::runtime_error(arguments[4] + ": cannot be written");
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "scoreboard: {}\n", error.what());
    return 2;
  }
}
