// An operand that is undefined is refused by the operator, in its name, or may be left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../../core/error.h"
#include "table.h"

namespace heed::table {
namespace {

// The message, or "" when the call went through, or did not because nothing of several that may be
// left out was given.
std::string refusal(const Sample& sample, const Tensors& inputs) {
  try {
    sample.call(inputs);
  } catch (const GradError& error) {
    return error.what();
  } catch (const ValueError&) {
    return "";
  }
  return "";
}

// What is said of each input by place, over all samples.
std::map<std::size_t, std::set<std::string>> refusals(const Row& row) {
  std::map<std::size_t, std::set<std::string>> said;
  for (const Sample& sample : row.samples) {
    const Tensors inputs = values_of(sample);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Tensors lacking = inputs;
      lacking[i] = Tensor();
      said[i].insert(refusal(sample, lacking));
    }
  }
  return said;
}

bool names_it(const std::string& message) { return message.ends_with(" is undefined"); }

TEST(Undefined, IsRefusedInTheOperatorsName) {
  for (const Row& row : table()) {
    if (row.subject.op == Op::slice_scatter) continue;  // reached through the tape alone
    // Samples that go through another function first leave it to a bad call of the row.
    const bool called = std::any_of(row.bad_calls.begin(), row.bad_calls.end(),
                                    [](const BadCall& call) { return names_it(call.text); });
    for (const auto& [place, messages] : refusals(row)) {
      std::string all;
      bool named = called || messages == std::set<std::string>{""};  // it may be left out
      for (const std::string& message : messages) {
        named = named || message.starts_with(row.subject.name + ": ");
        EXPECT_TRUE(message.empty() || names_it(message)) << message;
        all += "\n  " + message;
      }
      EXPECT_TRUE(named) << row.subject.name << ", input " << place << ":" << all;
    }
  }
}

// No bad call asks for less than the whole text.
TEST(Undefined, IsNamedInTheBadCalls) {
  for (const Row& row : table()) {
    for (const BadCall& call : row.bad_calls) {
      if (!names_it(call.text)) continue;
      EXPECT_EQ(call.run(), call.text) << row.subject.name;
    }
  }
}

}  // namespace
}  // namespace heed::table
