// What holds for every mechanism over maps.
#include <gtest/gtest.h>

#include <limits>

#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/parallel.h"
#include "../../support/numbers.h"
#include "mechanisms_vision.h"

namespace heed::attention {
namespace {

using Tensors = std::vector<Tensor>;

class VisionMechanisms : public testing::TestWithParam<std::string> {
 protected:
  const VisionMechanism made = vision_mechanism(GetParam());

  std::vector<NamedLeaf> leaves() const {
    std::vector<NamedLeaf> out;
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
      Tensor input = made.inputs[i];
      out.push_back({"input" + std::to_string(i), input.set_requires_grad()});
    }
    for (const auto& [name, tensor] : made.module->named_parameters()) {
      out.push_back({name, tensor});
    }
    return out;
  }
  // Examples from `first` on of all inputs.
  Tensors examples(Index first, Index count) const {
    Tensors out;
    for (const Tensor& input : made.inputs) out.push_back(narrow(input, 0, first, count));
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(All, VisionMechanisms, testing::ValuesIn(kVisionMechanisms),
                         [](const auto& made) { return made.param; });

TEST_P(VisionMechanisms, HasGradientsOfFirstAndSecondOrder) {
  const auto all = [&] { return made.call(made.inputs); };
  const auto first = gradcheck(all, leaves(), {.step = 1e-4, .max_elements = 40});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck([&] { return Tensors{all().front()}; }, leaves(),
                                    {.step = 1e-4, .max_elements = 4});
  EXPECT_TRUE(second) << second.text();
  RecordProperty("mechanism", made.name);
  RecordProperty("group", "vision");
  RecordProperty("class", made.module->class_name());
  RecordProperty("exported", GetParam());  // by tests/peers/onnx, which has each row of this table
}

TEST_P(VisionMechanisms, ConvertedToFloatsItTakesFloats) {
  const NoGrad scope;
  const Tensors wanted = made.call(made.inputs);
  made.module->to(DType::f32);
  Tensors floats;
  for (const Tensor& input : made.inputs) floats.push_back(to(input, DType::f32));
  const Tensors found = made.call(floats);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(found[i].dtype(), DType::f32);
    EXPECT_LT(difference(to(found[i], DType::f64), wanted[i]), 1e-4);
  }
}

TEST_P(VisionMechanisms, ABatchEqualsEachExampleAlone) {
  const Tensors all = made.call(made.inputs);
  for (Index b = 0; b < kVisionBatch; ++b) {
    const Tensors alone = made.call(examples(b, 1));
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_LT(difference(alone[i], narrow(all[i], 0, b, 1)), 1e-12);
    }
  }
}

// Its own example sees it, the other does not notice.
TEST_P(VisionMechanisms, WhatIsNotANumberStaysInItsExample) {
  const Tensors clean = made.call(made.inputs);
  Tensors dirty = made.inputs;
  Array map = dirty[0].array().clone();
  for (Index i = 0; i < map.numel() / kVisionBatch; ++i) {
    map.mutable_data<double>()[i] = std::numeric_limits<double>::quiet_NaN();
  }
  dirty[0] = Tensor(map);
  const Tensors seen = made.call(dirty);
  EXPECT_FALSE(all(isfinite(narrow(seen[0], 0, 0, 1))).item<bool>());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(numbers(narrow(seen[i], 0, 1, 1)), numbers(narrow(clean[i], 0, 1, 1)));
  }
}

// Of a batch that is worth sharing.
TEST_P(VisionMechanisms, HasTheSameBitsForAnyNumberOfThreads) {
  Tensors many;
  for (const Tensor& input : made.inputs) {
    many.push_back(concat(Tensors(64, input.detach()), 0).detach().set_requires_grad());
  }
  const auto bits = [&](int threads) {
    set_num_threads(threads);
    std::vector<std::vector<double>> out;
    Tensor loss = tensor(0, DType::f64);
    for (const Tensor& each : made.call(many)) {
      out.push_back(numbers(each));
      loss = loss + sum(each * each);
    }
    Tensors to = many;
    for (const Tensor& parameter : made.module->parameters()) to.push_back(parameter);
    for (Tensor& leaf : to) leaf.zero_grad();
    loss.backward();
    for (const Tensor& leaf : to) {
      if (leaf.grad().defined()) out.push_back(numbers(leaf.grad()));
    }
    return out;
  };
  const int before = num_threads();
  const auto one = bits(1);
  for (const int threads : {2, 3}) EXPECT_EQ(bits(threads), one) << threads;
  set_num_threads(before);
}

TEST_P(VisionMechanisms, TakesAnEmptyBatch) {
  const Tensors some = made.call(made.inputs), none = made.call(examples(0, 0));
  for (std::size_t i = 0; i < some.size(); ++i) {
    Shape wanted = some[i].shape();
    wanted[0] = 0;
    EXPECT_EQ(none[i].shape(), wanted);
  }
}

TEST_P(VisionMechanisms, RefusesWhatDoesNotFit) {
  const auto text = [&](const Tensor& map) -> std::string {
    Tensors in = made.inputs;
    in[0] = map;
    try {
      made.call(in);
    } catch (const ShapeError& error) {
      return error.what();
    } catch (const DTypeError& error) {
      return error.what();
    }
    return "no error";
  };
  const Tensor& map = made.inputs[0];
  for (const Tensor& wrong : {select(map, -1, 0), to(map, DType::f32)}) {
    const std::string found = text(wrong);
    EXPECT_NE(found.find(made.name + ": "), std::string::npos) << found;
    EXPECT_NE(found.find(describe(wrong)), std::string::npos) << found;
  }
}

TEST_P(VisionMechanisms, PassOnWhatHooksMake) {
  int seen = 0;
  made.module->register_forward_hook([&](const nn::Module&, const Tensor& out) {
    ++seen;
    return out * 0;
  });
  EXPECT_EQ(sum(abs(made.call(made.inputs)[0])).item(), 0);
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace heed::attention
