// Every pair of an operator that keeps and a write: each input, and the result, of each row's first
// sample is written to between the forward and the backward pass. Then the backward pass names the
// operator that kept it, or its gradients never depended on what was written.
#include "../../../autograd/ops/elementwise/in_place.h"

#include <gtest/gtest.h>

#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/record.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "table.h"

namespace heed::table {

void PrintTo(const Row* row, std::ostream* out);

namespace {

struct Writer {
  const char* name;
  void (*write)(const Tensor& x);
};

const Writer kWriters[] = {
    {"fill_", [](const Tensor& x) { fill_(x, 0.37); }},
    {"zero_", [](const Tensor& x) { zero_(x); }},
    {"copy_", [](const Tensor& x) { copy_(x, tensor(0.37, x.dtype())); }},
    {"add_", [](const Tensor& x) { add_(x, 0.37); }},
    {"sub_", [](const Tensor& x) { sub_(x, 0.37); }},
    {"mul_", [](const Tensor& x) { mul_(x, -1.37); }},
    {"div_", [](const Tensor& x) { div_(x, -1.37); }},
    {"pow_", [](const Tensor& x) { pow_(x, 2); }},
    {"clamp_", [](const Tensor& x) { clamp_(x, 0.37, 0.38); }},
    {"masked_fill_", [](const Tensor& x) { masked_fill_(x, flags({1}, {}), 0.37); }},
    {"copy_from", [](const Tensor& x) { x.detach().copy_from(full(x.shape(), 0.37, x.dtype())); }}};

struct Run {
  Tensors inputs;
  Tensor out;

  explicit Run(const Sample& sample) {
    for (const Block& block : sample.inputs) {
      inputs.push_back(to_tensor(block, DType::f64));
      inputs.back().set_requires_grad();
    }
    out = sample.call(inputs);
  }
  std::vector<Block> gradients() const {
    const Tensor g = Tensor(Generator(11).normal(out.shape(), 0, 1, DType::f64));
    std::vector<Block> blocks;
    for (const Tensor& gradient : grad({out}, inputs, {g})) {
      blocks.push_back(gradient.defined() ? Block(gradient) : Block({0}, std::vector<double>{}));
    }
    return blocks;
  }
};

bool is_operator(const std::string& word) {
  for (int op = 0; op < kOps; ++op) {
    if (word == name(static_cast<Op>(op))) return true;
  }
  return false;
}

// "backward: NAME kept its ... written in place since ..."
bool names_keeper(const std::string& message) {
  const std::string begin = "backward: ";
  const std::size_t end = message.find(" kept ");
  return message.starts_with(begin) && end != std::string::npos &&
         is_operator(message.substr(begin.size(), end - begin.size())) &&
         message.find("written in place since") != std::string::npos;
}

// What is wrong with how the write was dealt with, or "".
std::string problem(const Sample& sample, const Writer& writer, std::size_t target) {
  const std::vector<Block> expected = Run(sample).gradients();
  const Run run(sample);
  const Tensor& written = target < run.inputs.size() ? run.inputs[target] : run.out;
  {
    const NoGrad scope;
    const std::uint32_t version = written.array().version();
    try {
      writer.write(written);
    } catch (const ShapeError&) {
      return "";  // the result is expanded: nothing can be written
    }
    if (written.array().version() == version) return "the version stayed";
  }
  try {
    const std::vector<Block> found = run.gradients();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].values() != expected[i].values()) return "the gradients changed";
    }
  } catch (const GradError& error) {
    if (!names_keeper(error.what())) return error.what();
  }
  return "";
}

class Written : public testing::TestWithParam<const Row*> {};

TEST_P(Written, IsFoundOrDoesNotMatter) {
  const Sample& sample = GetParam()->samples.front();
  for (const Writer& writer : kWriters) {
    for (std::size_t target = 0; target <= sample.inputs.size(); ++target) {
      EXPECT_EQ(problem(sample, writer, target), "")
          << writer.name << " into "
          << (target < sample.inputs.size() ? "input " + std::to_string(target) : "the result");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Written, testing::ValuesIn(rows()),
                         [](const auto& entry) { return entry.param->subject.name; });

// The search itself: an operator that keeps without guarding is found.
TEST(InPlaceSearch, WouldShowAnUnguardedKeeper) {
  const Sample careless = sample("careless", {in({3, 5}), in({3, 5})},
                                 [](const Tensors& x) {
                                   return record(
                                       Op::mul, (x[0] * x[1]).array(), {x[0], x[1]},
                                       [y = x[1].detach()](const Tensor& g) { return g * y; },
                                       [y = x[0].detach()](const Tensor& g) { return g * y; });
                                 },
                                 {});
  for (const Writer& writer : kWriters) {
    EXPECT_EQ(problem(careless, writer, 0), "the gradients changed") << writer.name;
    EXPECT_EQ(problem(careless, writer, 1), "the gradients changed") << writer.name;
    EXPECT_EQ(problem(careless, writer, 2), "") << writer.name;
  }
}

}  // namespace
}  // namespace heed::table
