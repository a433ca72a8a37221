#include "../../../../attention/mechanisms/memory/turing_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using testing::Each;

constexpr Index kB = 2, kH = 3, kN = 7, kW = 5, kReach = 2, kS = 2 * kReach + 1;

Tensor draw(const Shape& shape) { return randn(shape, DType::f64); }

struct Inputs {
  Tensor memory, last;
  HeadSignals signals;
  Inputs() {
    manual_seed(3);
    memory = draw({kB, kN, kW});
    last = softmax(draw({kB, kH, kN}), -1);
    signals = {draw({kB, kH, kW}), exp(draw({kB, kH, 1})), sigmoid(draw({kB, kH, 1})),
               softmax(draw({kB, kH, kS}), -1), 1 + exp(draw({kB, kH, 1}))};
  }
};

// Eq. 5 to 9 of one head over one memory.
Numbers address(const Numbers& memory, Index N, Index W, const Numbers& last, const Numbers& key,
                double beta, double gate, const Numbers& shift, double gamma) {
  Numbers content(static_cast<std::size_t>(N), 0.0), gated = content, w = content;
  double total = 0, key_norm = 0;
  for (Index k = 0; k < W; ++k) key_norm += at(key, k) * at(key, k);
  for (Index i = 0; i < N; ++i) {
    double dot = 0, norm = 0;
    for (Index k = 0; k < W; ++k) {
      dot += at(memory, i * W + k) * at(key, k);
      norm += at(memory, i * W + k) * at(memory, i * W + k);
    }
    at(content, i) = std::exp(beta * dot / std::sqrt(norm) / std::sqrt(key_norm));
    total += at(content, i);
  }
  for (Index i = 0; i < N; ++i) {
    at(gated, i) = gate * at(content, i) / total + (1 - gate) * at(last, i);
  }
  total = 0;
  const auto reach = static_cast<Index>(shift.size()) / 2;
  for (Index i = 0; i < N; ++i) {
    double moved = 0;
    for (Index d = -reach; d <= reach; ++d) {
      moved += at(gated, ((i - d) % N + N) % N) * at(shift, d + reach);
    }
    at(w, i) = std::pow(moved, gamma);
    total += at(w, i);
  }
  for (double& x : w) x /= total;
  return w;
}

Numbers part(const Numbers& x, Index start, Index count) {
  return {x.begin() + start, x.begin() + start + count};
}

TEST(TuringMachine, AddressesAsThePaperSays) {
  const Inputs in;
  const Numbers m = numbers(in.memory), last = numbers(in.last), k = numbers(in.signals.key);
  const Numbers beta = numbers(in.signals.strength), g = numbers(in.signals.gate);
  const Numbers s = numbers(in.signals.shift), gamma = numbers(in.signals.sharpen);
  Numbers expected;
  for (Index b = 0; b < kB; ++b) {
    for (Index h = 0; h < kH; ++h) {
      const Index head = b * kH + h;
      const Numbers w = address(part(m, b * kN * kW, kN * kW), kN, kW, part(last, head * kN, kN),
                                part(k, head * kW, kW), at(beta, head), at(g, head),
                                part(s, head * kS, kS), at(gamma, head));
      expected.insert(expected.end(), w.begin(), w.end());
    }
  }
  EXPECT_THAT(numbers(address_memory(in.memory, in.last, in.signals)), near(expected));
}

TEST(TuringMachine, ReadsAndWritesAsThePaperSays) {
  const Inputs in;
  const Tensor erase = sigmoid(draw({kB, kH, kW})), add = draw({kB, kH, kW});
  const Numbers m = numbers(in.memory), w = numbers(in.last), e = numbers(erase);
  const Numbers a = numbers(add);
  Numbers reads, after;
  for (Index b = 0; b < kB; ++b) {
    for (Index h = 0; h < kH; ++h) {
      for (Index k = 0; k < kW; ++k) {
        double sum = 0;
        for (Index i = 0; i < kN; ++i) {
          sum += at(w, (b * kH + h) * kN + i) * at(m, (b * kN + i) * kW + k);
        }
        reads.push_back(sum);
      }
    }
    for (Index i = 0; i < kN; ++i) {
      for (Index k = 0; k < kW; ++k) {
        double x = at(m, (b * kN + i) * kW + k);
        for (Index h = 0; h < kH; ++h) {
          x *= 1 - at(w, (b * kH + h) * kN + i) * at(e, (b * kH + h) * kW + k);
        }
        for (Index h = 0; h < kH; ++h) {
          x += at(w, (b * kH + h) * kN + i) * at(a, (b * kH + h) * kW + k);
        }
        after.push_back(x);
      }
    }
  }
  EXPECT_THAT(numbers(read_memory(in.memory, in.last)), near(reads));
  EXPECT_THAT(numbers(write_memory(in.memory, in.last, erase, add)), near(after));
}

TEST(TuringMachine, PartsHaveGradientsOfFirstAndSecondOrder) {
  const Inputs in;
  const HeadSignals& s = in.signals;
  const auto run = [](const std::vector<Tensor>& x) {
    const Tensor w = address_memory(x[0], x[1], {x[2], x[3], x[4], x[5], x[6]});
    const Tensor after = write_memory(x[0], w, x[7], x[2]);
    return std::vector<Tensor>{w, after, read_memory(after, w)};
  };
  const std::vector<Tensor> inputs = {in.memory, in.last, s.key,     s.strength,
                                      s.gate,    s.shift, s.sharpen, sigmoid(draw({kB, kH, kW}))};
  const auto first = gradcheck(run, inputs, {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, inputs, {.step = 1e-4, .max_elements = 6});
  EXPECT_TRUE(second) << second.text();
}

// A head that stands nowhere and looks at no content: zeros, with zero gradients.
TEST(TuringMachine, AHeadWithoutWeightsStaysSo) {
  Inputs in;
  in.signals.gate = zeros({kB, kH, 1}, DType::f64);
  Tensor nowhere = zeros({kB, kH, kN}, DType::f64);
  nowhere.set_requires_grad();
  in.signals.sharpen.set_requires_grad();
  const Tensor w = address_memory(in.memory, nowhere, in.signals);
  EXPECT_THAT(numbers(w), Each(0));
  for (const Tensor& g : grad({sum(w * draw(w.shape()))}, {nowhere, in.signals.sharpen})) {
    EXPECT_THAT(numbers(g), Each(0));
  }
}

// What is not a number stays so, in its own head.
TEST(TuringMachine, AKeyThatIsNoNumberFindsNoNumber) {
  Inputs in;
  const Tensor clean = address_memory(in.memory, in.last, in.signals);
  Array key = in.signals.key.array().clone();
  key.mutable_data<double>()[1] = std::nan("");
  in.signals.key = key;
  const Tensor w = address_memory(in.memory, in.last, in.signals);
  EXPECT_THAT(numbers(select(select(w, 0, 0), 0, 0)), Each(testing::IsNan()));
  EXPECT_EQ(numbers(select(w, 0, 1)), numbers(select(clean, 0, 1)));
  EXPECT_EQ(numbers(select(select(w, 0, 0), 0, 1)), numbers(select(select(clean, 0, 0), 0, 1)));
}

// The whole machine, from its parameters alone.
Numbers plain_machine(const TuringMachine& machine, const TuringMachineOptions& o,
                      const Tensor& inputs, Index b, Index steps) {
  const Index R = o.read_heads, H = R + o.write_heads, N = o.slots, W = o.slot_width;
  const Index S = 2 * o.reach + 1, width = W + 3 + S;
  const auto find = [&](const std::string& name) {
    for (const auto& [own, tensor] : machine.named_parameters()) {
      if (own == name) return numbers(tensor);
    }
    ADD_FAILURE() << name;
    return Numbers();
  };
  const auto times = [](const Numbers& w, const Numbers& bias, const Numbers& x) {
    Numbers out = bias;
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) out[i] += w[i * x.size() + j] * x[j];
    }
    return out;
  };
  const auto softplus_of = [](double x) { return std::log1p(std::exp(x)); };
  Numbers memory(static_cast<std::size_t>(N * W), 1e-6), reads = find("first_reads"), result;
  Numbers h(static_cast<std::size_t>(o.hidden), 0.0), c = h;
  std::vector<Numbers> weights;
  for (Index head = 0; head < H; ++head) {
    Numbers w = part(find("start"), head * N, N);
    double total = 0;
    for (double& x : w) total += x = std::exp(x);
    for (double& x : w) x /= total;
    weights.push_back(w);
  }
  for (Index t = 0; t < steps; ++t) {
    Numbers in = numbers(select(select(inputs, 0, b), 0, t));
    in.insert(in.end(), reads.begin(), reads.end());
    if (o.recurrent) {
      const Numbers x = times(find("controller.weight_ih"), find("controller.bias_ih"), in);
      const Numbers y = times(find("controller.weight_hh"), find("controller.bias_hh"), h);
      const Index n = o.hidden;
      for (Index i = 0; i < n; ++i) {
        const auto gate = [&](Index g) { return at(x, g * n + i) + at(y, g * n + i); };
        at(c, i) =
            plain::sigmoid(gate(1)) * at(c, i) + plain::sigmoid(gate(0)) * std::tanh(gate(2));
        at(h, i) = plain::sigmoid(gate(3)) * std::tanh(at(c, i));
      }
    } else {
      h = times(find("controller.weight"), find("controller.bias"), in);
      for (double& x : h) x = std::tanh(x);
    }
    const Numbers said = times(find("heads.weight"), find("heads.bias"), h);
    for (Index head = 0; head < H; ++head) {
      const Numbers own = part(said, head * width, width);
      Numbers key = part(own, 0, W), shift = part(own, W + 3, S);
      for (double& x : key) x = std::tanh(x);
      double total = 0;
      for (double& x : shift) total += x = std::exp(x);
      for (double& x : shift) x /= total;
      auto& w = weights[static_cast<std::size_t>(head)];
      w = address(memory, N, W, w, key, softplus_of(at(own, W)), plain::sigmoid(at(own, W + 1)),
                  shift, 1 + softplus_of(at(own, W + 2)));
    }
    Numbers added(memory.size(), 0.0);
    for (Index head = R; head < H; ++head) {
      for (Index i = 0; i < N; ++i) {
        for (Index k = 0; k < W; ++k) {
          const double w = at(weights[static_cast<std::size_t>(head)], i);
          const Index erase = H * width + (head - R) * W + k, add = erase + o.write_heads * W;
          at(memory, i * W + k) *= 1 - w * plain::sigmoid(at(said, erase));
          at(added, i * W + k) += w * std::tanh(at(said, add));
        }
      }
    }
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] += added[i];
    reads.assign(static_cast<std::size_t>(R * W), 0.0);
    for (Index head = 0; head < R; ++head) {
      for (Index i = 0; i < N; ++i) {
        for (Index k = 0; k < W; ++k) {
          at(reads, head * W + k) +=
              at(weights[static_cast<std::size_t>(head)], i) * at(memory, i * W + k);
        }
      }
    }
    Numbers both = h;
    both.insert(both.end(), reads.begin(), reads.end());
    const Numbers y = times(find("out.weight"), find("out.bias"), both);
    result.insert(result.end(), y.begin(), y.end());
  }
  return result;
}

constexpr Index kT = 4, kI = 3, kO = 2;
TuringMachineOptions small(bool recurrent) {
  return {.input = kI,
          .output = kO,
          .hidden = 4,
          .slots = 5,
          .slot_width = 3,
          .read_heads = 2,
          .write_heads = 2,
          .reach = 1,
          .recurrent = recurrent,
          .dtype = DType::f64};
}

TEST(TuringMachine, IsTheDefinition) {
  for (const bool recurrent : {true, false}) {
    manual_seed(5);
    const TuringMachine machine(small(recurrent));
    for (const Tensor& p : machine.parameters()) nn::normal_(p, 0, 0.5);
    const Tensor x = draw({kB, kT, kI});
    const std::vector<Index> lengths = {kT, 2};
    const TuringMachineOutput out = machine(x, lengths, true);
    EXPECT_EQ(out.weights.shape(), (Shape{kB, kT, 4, 5}));
    EXPECT_LT(amax(abs(sum(select(out.weights, 0, 0), {-1}) - 1)).item(), 1e-12);
    for (Index b = 0; b < kB; ++b) {
      const Index n = lengths[static_cast<std::size_t>(b)];
      const Tensor own = narrow(select(out.output, 0, b), 0, 0, n);
      EXPECT_THAT(numbers(own), near(plain_machine(machine, small(recurrent), x, b, n), 1e-10));
    }
    EXPECT_THAT(numbers(narrow(select(out.output, 0, 1), 0, 2, 2)), Each(0));
    EXPECT_FALSE(machine(x, lengths).weights.defined());
  }
}

TEST(TuringMachine, HasGradientsOfFirstAndSecondOrder) {
  for (const bool recurrent : {true, false}) {
    manual_seed(7);
    TuringMachine machine(small(recurrent));
    for (const Tensor& p : machine.parameters()) nn::normal_(p, 0, 0.5);
    Tensor x = draw({kB, kT, kI});
    x.set_requires_grad();
    const auto run = [&] { return machine(x, {kT, 2}).output; };
    const GradcheckOptions few{.step = 1e-4, .max_elements = 5};
    const auto first = nn::gradcheck(machine, run, {.step = 1e-4, .max_elements = 12}, {{"x", x}});
    EXPECT_TRUE(first) << first.text();
    const auto second = nn::gradgradcheck(machine, run, few, {{"x", x}});
    EXPECT_TRUE(second) << second.text();
  }
}

TEST(TuringMachine, LooksAtItsFirstSlotAtFirst) {
  for (const Index slots : {7, 131}) {
    TuringMachineOptions options = small(true);
    options.slots = slots;
    const TuringMachine machine(options);
    const Tensor weights = machine.begin(1).weights;
    const double rest = static_cast<double>(slots - 1), most = (rest + 1) * std::exp(3.0);
    EXPECT_NEAR(amin(narrow(weights, 2, 0, 1)).item(), most / (most + rest), 1e-12);
    EXPECT_NEAR(amax(narrow(weights, 2, 1, slots - 1)).item(), 1 / (most + rest), 1e-12);
  }
}

TEST(TuringMachine, WhatIsBeyondTheLengthChangesNoBit) {
  manual_seed(9);
  const TuringMachine machine(small(true));
  const Tensor clean = draw({kB, kT, kI});
  plain::expect_hidden([&](double beyond) {
    const Tensor x = plain::spoiled(clean, {kT, 2}, beyond);
    return plain::bits_of(plain::leaves_of(machine, {{"x", x}}), [&] {
      return std::vector{machine(x, {kT, 2}).output};
    });
  });
  EXPECT_EQ(machine(zeros({0, kT, kI}, DType::f64)).output.shape(), (Shape{0, kT, kO}));
  EXPECT_EQ(machine(zeros({kB, 0, kI}, DType::f64), {}, true).weights.shape(),
            (Shape{kB, 0, 4, 5}));
}

TEST(TuringMachine, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError,
               "TuringMachine: input 1, output 1, hidden 100, slots 0, slot_width 20, read_heads 1 "
               "and write_heads 1 must be positive, reach 1 not negative",
               TuringMachine({.input = 1, .output = 1, .slots = 0}));
  const Inputs in;
  EXPECT_ERROR(ShapeError, "TuringMachine: last weights must be [2, 3, 7], not f64[2, 3, 8]",
               address_memory(in.memory, draw({kB, kH, kN + 1}), in.signals));
  HeadSignals even = in.signals;
  even.shift = draw({kB, kH, 4});
  EXPECT_ERROR(ShapeError, "TuringMachine: shift must be [B, H, 2 reach + 1], not f64[2, 3, 4]",
               address_memory(in.memory, in.last, even));
  even.shift = draw({kH, 3});
  EXPECT_ERROR(ShapeError, "TuringMachine: shift must be [B, any, any], not f64[3, 3]",
               address_memory(in.memory, in.last, even));
  HeadSignals wide = in.signals;
  wide.key = draw({kB, kH, 1});
  EXPECT_ERROR(ShapeError, "TuringMachine: key must be [2, 3, 5], not f64[2, 3, 1]",
               address_memory(in.memory, in.last, wide));
  EXPECT_ERROR(DTypeError, "TuringMachine: weights must be f64 as the memory, not f32[2, 3, 7]",
               read_memory(in.memory, to(in.last, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "TuringMachine: erase must be [2, 3, 5]",
                    write_memory(in.memory, in.last, in.last, in.last));
  const TuringMachine machine(small(true));
  EXPECT_ERROR(ShapeError, "TuringMachine: x must be [2, 4, 3], not f64[2, 4, 4]",
               machine(draw({kB, kT, kI + 1})));
  EXPECT_ERROR(ShapeError, "TuringMachine: 1 lengths for 2 rows of x",
               machine(draw({kB, kT, kI}), {1}));
  TuringState state = machine.begin(3);
  EXPECT_ERROR(ShapeError, "TuringMachine: a step's x must be [3, 3], not f64[2, 3]",
               machine.step(draw({kB, kI}), state));
  TuringState none;
  EXPECT_ERROR_WITH(GradError, "the state's memory is undefined",
                    machine.step(draw({kB, kI}), none));
}

}  // namespace
}  // namespace heed::attention
