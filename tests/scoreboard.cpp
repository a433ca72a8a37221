// Counts what is covered and proven, from what the tests themselves reported:
//   scoreboard TABLE.json PARITY.json ATTENTION.json [--sources DIR] [--json FILE]
// where all are written by --gtest_output=json: of the gradient table and of the estimators beside
// it, of the comparison with libtorch, and of the attention algebra (left out: "-"). A test that
// failed, or was never there, is not counted. Of each group of mechanisms, DIR's own tables say how
// many have what: a test that holds it to a plain reference, a task or a program that it learns
// (docs/family.md, by any class of its row of docs/attention.md), an export that onnxruntime runs
// (not in tests/peers/onnx/refused.txt), a binding (python/heed/attention.pyi).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
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

// What the tables of the sources have: classes and functions, or rows of the property table.
struct Tables {
  std::set<std::string> referred, learned, bound, refused;
};

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return file;
}

Tables tables_of(const std::string& sources) {
  Tables out;
  std::string line;
  std::smatch found;
  // - **dot** (2015) `Dot`: [code](..), [test](..), [task](..)
  const std::regex row(R"(^ *- \*\*.*\*\*.* `(?:\w+::)*(\w+)`.*)");
  for (std::ifstream file = opened(sources + "/docs/family.md"); std::getline(file, line);) {
    if (!std::regex_match(line, found, row)) continue;
    if (line.find("[test](") != line.npos) out.referred.insert(found[1]);
    if (line.find("[task](") != line.npos || line.find("[program](") != line.npos) {
      out.learned.insert(found[1]);
    }
  }
  // The other classes of its row: | name | formula | `TransformerXL`, `TransformerXLHeads` | ..
  const std::regex cell(R"(\| ((?:`[\w:]+`(?:, )?)+) \|)"), word(R"((\w+)`)");
  for (std::ifstream file = opened(sources + "/docs/attention.md"); std::getline(file, line);) {
    if (!std::regex_search(line, found, cell)) continue;
    const std::string list = found[1];
    std::set<std::string> names;
    for (std::sregex_iterator each(list.begin(), list.end(), word), end; each != end; ++each) {
      names.insert((*each)[1]);
    }
    for (std::set<std::string>* table : {&out.referred, &out.learned}) {
      const auto in_table = [&](const std::string& name) { return table->contains(name); };
      if (std::any_of(names.begin(), names.end(), in_table)) {
        table->insert(names.begin(), names.end());
      }
    }
  }
  const std::regex stub(R"((?:class|def) (\w+)[(:].*)");
  for (std::ifstream file = opened(sources + "/python/heed/attention.pyi");
       std::getline(file, line);) {
    if (std::regex_match(line, found, stub)) out.bound.insert(found[1]);
  }
  for (std::ifstream file = opened(sources + "/tests/peers/onnx/refused.txt");
       std::getline(file, line);) {
    out.refused.insert(line);
  }
  return out;
}

// A mechanism of the property table: its classes, and the rows that it has; those that are given
// to ONNX, too.
struct Mechanism {
  std::set<std::string> names, exported;
};
using Mechanisms = std::map<std::string, Mechanism>;

ordered_json having(const Mechanisms& mechanisms, const Tables& tables) {
  ordered_json out;
  const auto count = [&](const char* what, const auto& has) {
    ordered_json without = ordered_json::array();
    for (const auto& [name, mechanism] : mechanisms) {
      if (!has(mechanism)) without.push_back(name);
    }
    out[what] = mechanisms.size() - without.size();
    if (!without.empty()) out[std::string("without_") + what] = without;
  };
  const auto named_in = [](const std::set<std::string>& table) {
    return [&table](const Mechanism& mechanism) {
      return std::any_of(mechanism.names.begin(), mechanism.names.end(),
                         [&](const std::string& name) { return table.contains(name); });
    };
  };
  count("reference", named_in(tables.referred));
  count("task", named_in(tables.learned));
  count("onnx", [&](const Mechanism& mechanism) {
    return !mechanism.exported.empty() &&
           std::none_of(mechanism.exported.begin(), mechanism.exported.end(),
                        [&](const std::string& row) { return tables.refused.contains(row); });
  });
  count("python", named_in(tables.bound));
  return out;
}

ordered_json count(const std::vector<Test>& table, const std::vector<Test>& parity,
                   const std::vector<Test>& attention, const std::string& sources) {
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
  std::map<std::string, Mechanisms> groups;
  for (const Test& test : attention) {
    if (test.name == "HasGradientsOfFirstAndSecondOrder" && !test.passed) {
      failing.insert(test.properties.value("mechanism", ""));
    }
    if (test.passed && test.properties.contains("mechanism")) {
      const std::string name = test.properties.at("mechanism");
      mechanisms.insert(name);
      Mechanism& made = groups[test.properties.value("group", "other")][name];
      made.names.insert({name, test.parameter, test.properties.value("class", "")});
      if (test.properties.contains("exported")) {
        made.exported.insert(test.properties.at("exported").get<std::string>());
      }
    }
  }
  out["mechanism_groups"] = ordered_json::object();
  for (auto& [group, names] : groups) {
    for (const std::string& name : failing) names.erase(name);
    out["mechanism_groups"][group] = names.size();
  }
  for (const std::string& name : failing) mechanisms.erase(name);
  out["mechanisms"] = mechanisms.size();
  if (!sources.empty()) {
    const Tables tables = tables_of(sources);
    out["mechanisms_have"] = ordered_json::object();
    for (const auto& [group, names] : groups) {
      out["mechanisms_have"][group] = having(names, tables);
    }
  }
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
  const bool have = board.contains("mechanisms_have");
  fmt::print("named mechanisms                 {}{}\n", number("mechanisms"),
             have ? "  with reference, task, export, binding" : "");
  for (const auto& [group, count] : board.at("mechanism_groups").items()) {
    fmt::print("  {:<30} {:2}", group, count.get<int>());
    for (const char* what : {"reference", "task", "onnx", "python"}) {
      if (have) fmt::print(" {:4}", board.at("mechanisms_have").at(group).at(what).get<int>());
    }
    fmt::print("\n");
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
    std::map<std::string, std::string> options = {{"--sources", ""}, {"--json", ""}};
    bool known = arguments.size() >= 3 && arguments.size() % 2 == 1;
    for (std::size_t i = 3; known && i + 1 < arguments.size(); i += 2) {
      known = options.contains(arguments[i]);
      options[arguments[i]] = arguments[i + 1];
    }
    if (!known) {
      throw std::runtime_error(
          "usage: scoreboard TABLE.json PARITY.json ATTENTION.json [--sources DIR] [--json FILE]");
    }
    const ordered_json board =
        count(read(arguments[0]), read(arguments[1]), read(arguments[2]), options.at("--sources"));
    print(board);
    if (const std::string& path = options.at("--json"); !path.empty()) {
      std::ofstream file(path);
      file << board.dump(2) << '\n';
      if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "scoreboard: {}\n", error.what());
    return 2;
  }
}
