// The check is checked on every row of the table: faults planted in front of, behind and around its
// operator. Wherever a fault moves an element of a gradient by more than the check's tolerance, the
// check must find that element.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/record.h"
#include "../../../core/generator.h"
#include "table.h"

namespace heed::table {
namespace {

using T = const Tensor&;
using X = const Tensors&;

Tensor shifted(T g) {
  if (g.numel() < 2) return g;
  const Tensor flat = reshape(g, {g.numel()});
  return reshape(concat({narrow(flat, 0, 1, g.numel() - 1), narrow(flat, 0, 0, 1)}), g.shape());
}

Tensor halved(T g) {
  std::vector<double> kept;
  for (Index i = 0; i < g.numel(); ++i) kept.push_back(static_cast<double>(i % 2));
  return g * tensor(kept, g.shape(), g.dtype());
}

Tensor transposed(T g) { return g.rank() < 2 ? g : reshape(transpose(g, 0, -1), g.shape()); }

// What the first place of an axis gets, all of them get: a sum or a broadcast gone wrong.
Tensor first_for_all(T g) {
  for (Index axis = 0; axis < g.rank(); ++axis) {
    if (g.size(axis) > 1) return expand(narrow(g, axis, 0, 1), g.shape());
  }
  return g;
}

// What a derivative may do to a gradient on its way.
struct Slip {
  const char* name;
  Tensor (*rule)(T g);
};
constexpr Slip kConstant = {"a constant added", [](T g) { return g + 1e-3; }};
constexpr Slip kSlips[] = {
    {"a factor", [](T g) { return 1.001 * g; }},
    {"a sign", [](T g) { return -g; }},
    {"nothing given", [](T g) { return 0 * g; }},
    kConstant,
    {"a shifted index", shifted},
    {"every second element masked", halved},
    {"transposed", transposed},
    {"the first of an axis for all", first_for_all},
};

/// A row's call, right or with the fault.
struct Fault {
  std::string name;
  std::function<Tensor(const Call& call, X x, bool fault)> call;
};

// x with a gradient of its own.
template <class Rule>
Tensor passed(T x, T origin, const Rule& rule) {
  return record(Op::clone, x.array().clone(), {origin}, rule);
}

Fault before(const Slip& slip, std::size_t input) {
  return {std::string(slip.name) + ", input " + std::to_string(input),
          [=](const Call& call, X x, bool fault) {
            if (!fault || input >= x.size()) return call(x);
            Tensors inputs = x;
            inputs[input] = passed(x[input], x[input], slip.rule);
            return call(inputs);
          }};
}

Fault behind(const Slip& slip) {
  return {std::string(slip.name) + ", result", [=](const Call& call, X x, bool fault) {
            const Tensor out = call(x);
            return fault ? passed(out, out, slip.rule) : out;
          }};
}

Fault swapped(std::size_t input) {
  return {"gradients of inputs 0 and " + std::to_string(input) + " swapped",
          [=](const Call& call, X x, bool fault) {
            if (!fault || input >= x.size() || x[0].shape() != x[input].shape()) return call(x);
            const auto whole = [](T g) { return g; };
            Tensors inputs = x;
            inputs[0] = passed(x[0], x[input], whole);
            inputs[input] = passed(x[input], x[0], whole);
            return call(inputs);
          }};
}

// The derivative where the input was a little earlier.
Fault stale(std::size_t input) {
  return {"a stale value of input " + std::to_string(input),
          [=](const Call& call, X x, bool fault) {
            const Tensor out = call(x);
            if (!fault || input >= x.size()) return out;
            const auto whole = [](T g) { return g; };
            Tensors inputs = x;
            inputs[input] = passed(0.97 * x[input].detach(), x[input], whole);
            return passed(out, call(inputs), whole);
          }};
}

Fault second_use_dropped() {
  return {"a second use dropped", [](const Call& call, X x, bool fault) {
            const Tensor out = call(x);
            return out * (fault ? out.detach() : out);
          }};
}

std::vector<Fault> faults(std::size_t inputs) {
  std::vector<Fault> all = {second_use_dropped()};
  for (const Slip& slip : kSlips) {
    all.push_back(behind(slip));
    for (std::size_t i = 0; i < inputs; ++i) all.push_back(before(slip, i));
  }
  for (std::size_t i = 0; i < inputs; ++i) all.push_back(stale(i));
  for (std::size_t i = 1; i < inputs; ++i) all.push_back(swapped(i));
  return all;
}

// The call weighed to a number, so that the check's cotangent is one factor, of 0.5 to 1.5.
Call weighed(const Call& call, const Fault& fault, bool planted) {
  return [=](X x) {
    const Tensor out = fault.call(call, x, planted);
    return sum(out * Tensor(Generator(13).normal(out.shape(), 0, 1, DType::f64)));
  };
}

// Of all inputs, one after the other.
std::vector<double> gradient(const Call& call, const Sample& sample) {
  Tensors inputs = values_of(sample);
  for (Tensor& x : inputs) x.set_requires_grad();
  const Tensor out = call(inputs);
  Tensors gradients(inputs.size());
  if (out.requires_grad()) gradients = grad({out}, inputs, {full({}, 1, DType::f64)});
  std::vector<double> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto numbers = gradients[i].defined()
                             ? Block(gradients[i]).values()
                             : std::vector<double>(sample.inputs[i].values().size(), 0);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

// Elements that the fault moves so far that the check cannot take them for right: its own
// tolerance, the numeric gradient's, which it allows as much, and twice that for the cotangent.
Index moved(const std::vector<double>& right, const std::vector<double>& wrong,
            const GradcheckOptions& options) {
  Index count = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double room = options.atol + options.rtol * std::fabs(right[i]);
    count += !(std::fabs(right[i] - wrong[i]) <= 4 * room);
  }
  return count;
}

struct Search {
  int samples = 0;     ///< whose gradient the fault moves
  std::string missed;  ///< of these, where the check did not find it all
};

Search search(const Fault& fault, const Row& row) {
  GradcheckOptions options = row.gradcheck;
  options.max_elements = 0;   // each is to be found
  options.allow_zero = true;  // only an element that is off counts
  Search out;
  for (const Sample& sample : row.samples) {
    const Call right = weighed(sample.call, fault, false);
    const Call wrong = weighed(sample.call, fault, true);
    const Index count = moved(gradient(right, sample), gradient(wrong, sample), options);
    if (count == 0) continue;
    ++out.samples;
    const GradcheckReport report = gradcheck(wrong, values_of(sample), options);
    if (report.faulty >= count) continue;
    out.missed += "\n  " + sample.name + ": " + std::to_string(report.faulty) + " found of " +
                  std::to_string(count);
  }
  return out;
}

class Faults : public testing::TestWithParam<std::string> {};

TEST_P(Faults, AreFoundInEveryRow) {
  int planted = 0, caught = 0;
  for (const Row& row : table()) {
    if (row.family != GetParam()) continue;
    std::size_t inputs = 0;
    for (const Sample& sample : row.samples) inputs = std::max(inputs, sample.inputs.size());
    for (const Fault& fault : faults(inputs)) {
      const Search found = search(fault, row);
      // Some are none: a stale value in a linear operator, a transposed vector.
      if (found.samples == 0) continue;
      EXPECT_EQ(found.missed, "") << row.subject.name << ": " << fault.name;
      ++planted;
      caught += found.missed.empty();
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      EXPECT_GT(search(before(kConstant, i), row).samples, 0)
          << row.subject.name << ", input " << i;
    }
  }
  EXPECT_GE(planted, 20);
  RecordProperty("planted", planted);
  RecordProperty("caught", caught);
}

INSTANTIATE_TEST_SUITE_P(Table, Faults, testing::ValuesIn(families()),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace heed::table
