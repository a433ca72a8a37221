// The properties that every operator of the table must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../core/allocator.h"
#include "../../../core/generator.h"
#include "cases.h"
#include "table.h"

namespace heed::table {

void PrintTo(const Row* row, std::ostream* out) { *out << row->subject.name; }

namespace {

Tensors leaves(const Blocks& blocks, DType dtype) {
  Tensors inputs;
  for (const Block& block : blocks) {
    inputs.push_back(to_tensor(block, dtype));
    inputs.back().set_requires_grad();
  }
  return inputs;
}

Tensor cotangent(const Tensor& out) {
  Generator generator(11);
  return Tensor(generator.normal(out.shape(), 0, 1, DType::f64).to(out.dtype()));
}

// Result and gradients, each as a block; a gradient that is undefined is zero.
Blocks evaluate(const Sample& sample, const Blocks& values, DType dtype,
                const BackwardOptions& options = {}) {
  const Tensors inputs = leaves(values, dtype);
  const Tensor out = sample.call(inputs);
  Blocks all = {Block(out)};
  if (!out.requires_grad()) return all;
  const Tensors gradients = grad({out}, inputs, {cotangent(out)}, options);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all.push_back(gradients[i].defined() ? Block(gradients[i])
                                         : map(values[i], [](double) { return 0.0; }));
  }
  return all;
}

double largest(const Block& block) {
  double most = 0;
  for (const double value : block.values()) most = std::max(most, std::fabs(value));
  return most;
}

void expect_near(const Block& found, const Block& expected, double tolerance) {
  ASSERT_EQ(found.shape(), expected.shape());
  ASSERT_EQ(found.values().size(), expected.values().size());
  const double room = tolerance * std::max(1.0, largest(expected));
  for (std::size_t i = 0; i < found.values().size(); ++i) {
    ASSERT_NEAR(found.values()[i], expected.values()[i], room) << "element " << i;
  }
}

// Some gradients are zero by right: of relu below 0, of an empty input, of the sum of a softmax.
// That not too many are is a test of its own.
GradcheckOptions options_for(const Row& row) {
  GradcheckOptions options = row.gradcheck;
  options.allow_zero = true;
  return options;
}

// By pointer: each of the tests keeps a parameter of its own.
class Operator : public testing::TestWithParam<const Row*> {};

TEST_P(Operator, GivesTheReferencesValues) {
  for (const Sample& sample : cases(*GetParam())) {
    SCOPED_TRACE(sample.name);
    const Block expected = sample.reference(sample.inputs);
    expect_near(Block(sample.call(values_of(sample))), expected, 1e-13);
  }
}

TEST_P(Operator, PassesFirstOrderCheck) {
  for (const Sample& sample : cases(*GetParam())) {
    const auto report = gradcheck(sample.call, values_of(sample), options_for(*GetParam()));
    EXPECT_TRUE(report) << sample.name << '\n' << report.text();
  }
}

TEST_P(Operator, PassesSecondOrderCheck) {
  for (const Sample& sample : cases(*GetParam())) {
    const auto report = gradgradcheck(sample.call, values_of(sample), options_for(*GetParam()));
    EXPECT_TRUE(report) << sample.name << '\n' << report.text();
  }
}

TEST_P(Operator, HasGradientsToCheck) {
  std::size_t idle = 0;
  const std::vector<Sample> all = cases(*GetParam());
  for (const Sample& sample : all) {
    const Blocks found = evaluate(sample, sample.inputs, DType::f64);
    idle +=
        std::all_of(found.begin() + 1, found.end(), [](const Block& g) { return largest(g) == 0; });
  }
  EXPECT_LE(4 * idle, all.size()) << idle << " of " << all.size() << " samples have no gradient";
}

TEST_P(Operator, AgreesBetweenF32AndF64) {
  for (const Sample& sample : cases(*GetParam())) {
    SCOPED_TRACE(sample.name);
    Blocks rounded;
    for (const Block& block : sample.inputs) {
      rounded.push_back(map(block, [](double value) { return double{static_cast<float>(value)}; }));
    }
    const Blocks narrow = evaluate(sample, rounded, DType::f32);
    const Blocks wide = evaluate(sample, rounded, DType::f64);
    ASSERT_EQ(narrow.size(), wide.size());
    const auto& exceptions = GetParam()->f32_exceptions;
    const auto exception = exceptions.find(sample.name);
    const double tolerance =
        exception == exceptions.end() ? GetParam()->f32_tolerance : exception->second;
    for (std::size_t i = 0; i < narrow.size(); ++i) expect_near(narrow[i], wide[i], tolerance);
  }
}

// A derivative may take a fused kernel where nothing is recorded; it must be the same derivative.
TEST_P(Operator, DerivesTheSameWhileRecording) {
  for (const Sample& sample : cases(*GetParam())) {
    SCOPED_TRACE(sample.name);
    const Blocks fused = evaluate(sample, sample.inputs, DType::f64);
    const Blocks plain = evaluate(sample, sample.inputs, DType::f64, {.create_graph = true});
    for (std::size_t i = 0; i < fused.size(); ++i) expect_near(fused[i], plain[i], 1e-12);
  }
}

TEST_P(Operator, LeavesItsInputsAlone) {
  for (const Sample& sample : cases(*GetParam())) {
    const Tensors inputs = leaves(sample.inputs, DType::f64);
    const Tensor out = sample.call(inputs);
    if (out.requires_grad()) out.backward(cotangent(out));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(Block(inputs[i]).values(), sample.inputs[i].values()) << sample.name;
      EXPECT_EQ(inputs[i].array().version(), 0U) << sample.name;
    }
  }
}

TEST_P(Operator, RecordsNothingUnderNoGrad) {
  for (const Sample& sample : GetParam()->samples) {
    if (GetParam()->subject.op == Op::slice_scatter) continue;  // reached through the tape alone
    const Tensors inputs = leaves(sample.inputs, DType::f64);
    const NoGrad scope;
    const std::int64_t nodes = memory_stats().live_nodes;
    const Tensor out = sample.call(inputs);
    EXPECT_FALSE(out.is_leaf() && !out.is_same(inputs[0]) && out.requires_grad()) << sample.name;
    EXPECT_EQ(memory_stats().live_nodes, nodes) << sample.name;
  }
}

TEST_P(Operator, RecordsWhatRequiresAGradient) {
  for (const Sample& sample : GetParam()->samples) {
    EXPECT_TRUE(sample.call(leaves(sample.inputs, DType::f64)).requires_grad()) << sample.name;
    if (GetParam()->subject.op == Op::slice_scatter) continue;
    EXPECT_FALSE(sample.call(values_of(sample)).requires_grad()) << sample.name;
  }
}

TEST_P(Operator, GivesItsMemoryBack) {
  const std::vector<Sample> all = cases(*GetParam());
  const MemoryStats before = memory_stats();
  for (const Sample& sample : all) {
    evaluate(sample, sample.inputs, DType::f64);
    evaluate(sample, sample.inputs, DType::f64, {.create_graph = true});
    const Tensors inputs = leaves(sample.inputs, DType::f64);
    sample.call(inputs);  // a graph that nobody walks
  }
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_tensors, before.live_tensors);
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.live_storages, before.live_storages);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
}

TEST_P(Operator, RefusesBadCalls) {
  for (const BadCall& call : GetParam()->bad_calls) {
    const MemoryStats before = memory_stats();
    const std::string message = call.run();
    EXPECT_NE(message, "") << "no such error: " << call.text;
    EXPECT_NE(message.find(call.text), std::string::npos)
        << "message: " << message << "\nlacks: " << call.text;
    EXPECT_EQ(memory_stats().live_storages, before.live_storages) << call.text;
    EXPECT_EQ(memory_stats().live_tensors, before.live_tensors) << call.text;
  }
}

TEST_P(Operator, HasFourBadCallsAndAnEmptyInput) {
  EXPECT_GE(GetParam()->bad_calls.size(), 4U);
  const auto has_empty = [](const Sample& sample) {
    return std::any_of(sample.inputs.begin(), sample.inputs.end(),
                       [](const Block& x) { return x.values().empty(); });
  };
  EXPECT_EQ(std::any_of(GetParam()->samples.begin(), GetParam()->samples.end(), has_empty),
            !GetParam()->needs_elements);
}

INSTANTIATE_TEST_SUITE_P(Table, Operator, testing::ValuesIn(rows()),
                         [](const auto& entry) { return entry.param->subject.name; });

TEST(Table, HasOneRowForEachOperator) {
  std::set<std::string> seen;
  for (const Row& row : table()) {
    EXPECT_TRUE(seen.insert(row.subject.name).second) << row.subject.name << " has two rows";
  }
  for (int op = 0; op < kOps; ++op) {
    EXPECT_TRUE(seen.contains(name(static_cast<Op>(op))))
        << name(static_cast<Op>(op)) << " has no row";
  }
}

TEST(Table, HasTwelveSamplesAnOperatorOnTheMedian) {
  std::vector<std::size_t> counts;
  for (const Row& row : table()) {
    counts.push_back(cases(row).size());
    std::set<std::string> names;
    for (const Sample& sample : cases(row)) {
      EXPECT_TRUE(names.insert(sample.name).second)
          << row.subject.name << ": two samples named " << sample.name;
    }
  }
  std::sort(counts.begin(), counts.end());
  EXPECT_GE(counts[counts.size() / 2], 12U);
  RecordProperty("median", std::to_string(counts[counts.size() / 2]));
}

}  // namespace
}  // namespace heed::table
