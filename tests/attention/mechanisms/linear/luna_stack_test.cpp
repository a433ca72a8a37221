// Luna's pack from layer to layer, beside the paper's layers over single numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../attention/mechanisms/linear/luna.h"
#include "../../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain_layers.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::Rows;

constexpr Index kB = 2, kT = 5, kE = 6, kH = 3, kLength = 2, kHidden = 4;

LunaOptions luna(Index layers) {
  return {.width = kE, .heads = kH, .length = kLength, .layers = layers, .dtype = DType::f64};
}

TransformerOptions options(Index layers) {
  return {.width = kE,
          .hidden = kHidden,
          .dropout = 0,
          .activation = Activation::gelu,
          .dtype = DType::f64,
          .self_attention = luna_stack(luna(layers))};
}

// A layer of the paper; `pack` is P, and P' afterwards.
Rows layer(const Leaves& w, const std::string& name, const Rows& x, Index length, Rows& pack,
           bool last) {
  const std::string own = name + ".self_attn.";
  const Rows real(x.begin(), x.begin() + length);
  const Rows packed = plain::heads(w, own + "pack", kH, pack, real);
  const Rows seen = plain::heads(w, own + "unpack", kH, x, packed);
  for (std::size_t i = 0; i < pack.size() && !last; ++i) {
    pack[i] = plain::layer_norm(w, own + "pack_norm", plain::add(packed[i], pack[i]));
  }
  Rows out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Numbers h = plain::layer_norm(w, name + ".norm1", plain::add(x[t], seen[t]));
    const Numbers y =
        plain::linear(w, name + ".linear2", plain::gelu(plain::linear(w, name + ".linear1", h)));
    out.push_back(plain::layer_norm(w, name + ".norm2", plain::add(h, y)));
  }
  return out;
}

class LunaStacks : public SeededTest<71> {
 protected:
  Tensor x = randn({kB, kT, kE}, DType::f64);
};

TEST_F(LunaStacks, HandThePackOn) {
  const std::vector<Index> lengths = {kT, 3};
  const TransformerEncoder made(2, options(2));
  for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
  const auto leaves = plain::leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const Tensor y = made(x, {.mask = Mask::lengths(lengths, kT)}).output;
    return std::vector<Tensor>{narrow(y, 0, 0, 1), narrow(narrow(y, 0, 1, 1), 1, 0, 3)};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& w) {
    Numbers out;
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      Rows y = plain::rows_of(w["x"], b, kT), pack;
      for (Index l = 0; l < kLength; ++l) {
        pack.push_back(w["layers.0.self_attn.places"].row({l}));
      }
      y = layer(w, "layers.0", y, lengths[b], pack, false);
      y = layer(w, "layers.1", y, lengths[b], pack, true);
      y.resize(static_cast<std::size_t>(lengths[b]));
      out = plain::join({out, plain::join(y)});
    }
    return out;
  });
  plain::expect_gradients(leaves, ours, 3);
}

// By hand as a stack does it, over three layers; and the names.
TEST_F(LunaStacks, AreTheirLayersOneByOne) {
  const TransformerEncoder made(3, options(3));
  Terms terms;
  Tensor y = x;
  for (const TransformerEncoderLayer& each : made.layers) {
    const Attended seen = each(y, terms);
    y = seen.context;
    terms.from_below = seen.for_above;
  }
  EXPECT_FALSE(terms.from_below.defined());  // nothing above asks for it
  EXPECT_EQ(numbers(made(x).output), numbers(y));
  std::string names;
  for (const auto& [name, tensor] : made.state_dict()) {
    if (name.ends_with("places") || name.ends_with("pack_norm.weight")) names += name + ' ';
  }
  EXPECT_EQ(names,
            "layers.0.self_attn.places layers.0.self_attn.pack_norm.weight "
            "layers.1.self_attn.pack_norm.weight ");
}

TEST_F(LunaStacks, APackThatIsNotFiniteIsSeenByItsExampleAlone) {
  const Luna low(luna(2), 0), high(luna(2), 1);
  const Tensor pack = low(x).for_above;
  ASSERT_EQ(pack.shape(), (Shape{kB, kLength, kE}));
  Array dirty = pack.array().clone();
  dirty.mutable_data<double>()[3] = std::numeric_limits<double>::quiet_NaN();
  const Tensor clean = high(x, {.from_below = pack}).context;
  const Attended seen = high(x, {.need_weights = true, .from_below = Tensor(dirty)});
  for (const double each : numbers(narrow(seen.context, 0, 0, 1))) EXPECT_TRUE(std::isnan(each));
  for (const double each : numbers(narrow(seen.weights, 0, 0, 1))) EXPECT_TRUE(std::isnan(each));
  EXPECT_THAT(numbers(narrow(seen.context, 0, 1, 1)), near(numbers(narrow(clean, 0, 1, 1))));
  // What is not finite in the sequence goes up with the pack.
  Array spoiled = x.array().clone();
  spoiled.mutable_data<double>()[0] = std::numeric_limits<double>::infinity();
  const Tensor above = low(Tensor(spoiled)).for_above;
  for (const double each : numbers(narrow(above, 0, 0, 1))) EXPECT_TRUE(std::isnan(each));
  EXPECT_THAT(numbers(narrow(above, 0, 1, 1)), near(numbers(narrow(pack, 0, 1, 1))));
}

TEST_F(LunaStacks, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "luna: layer 2 is none of 2", Luna(luna(2), 2));
  EXPECT_ERROR(ValueError, "luna: layer 1 is none of 0", Luna(luna(0), 1));
  EXPECT_ERROR(ValueError, "luna: layer -1 is none of 2", Luna(luna(2), -1));
  EXPECT_ERROR(ValueError, "luna: layer 0 is none of -1", Luna(luna(-1), 0));
  const Luna high(luna(2), 1);
  EXPECT_ERROR(ValueError,
               "luna: layer 1 takes a pack f64[2, 2, 6], and the layer below left nothing",
               high(x));
  EXPECT_ERROR(ValueError,
               "luna: layer 1 takes a pack f64[2, 2, 6], and the layer below left f64[2, 3, 6]",
               high(x, {.from_below = zeros({2, 3, 6}, DType::f64)}));
  EXPECT_ERROR(ValueError,
               "luna: layer 1 takes a pack f64[2, 2, 6], and the layer below left f32[2, 2, 6]",
               high(x, {.from_below = zeros({2, 2, 6})}));
}

}  // namespace
}  // namespace heed::attention
