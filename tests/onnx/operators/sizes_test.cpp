#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxSizes = SeededTest<37>;

Ints whole(const Tensor& x) { return x.to_vector<std::int64_t>(); }

TEST_F(OnnxSizes, ShapeAndSize) {
  const Tensor x = random({3, 5, 7});
  EXPECT_EQ(whole(OneNode{"Shape"}(x)), (Ints{3, 5, 7}));
  EXPECT_EQ(whole(OneNode{"Shape", {{"start", std::int64_t{1}}}}(x)), (Ints{5, 7}));
  EXPECT_EQ(whole(OneNode{"Shape", {{"start", std::int64_t{-9}}, {"end", std::int64_t{-1}}}}(x)),
            (Ints{3, 5}));
  EXPECT_EQ(whole(OneNode{"Shape", {{"start", std::int64_t{2}}, {"end", std::int64_t{1}}}}(x)),
            Ints{});
  EXPECT_EQ(OneNode{"Size"}(x).item(), 105);
  EXPECT_EQ(OneNode{"Size"}(x).shape(), Shape{});
  EXPECT_ERROR_WITH(FormatError, "attribute \"start\" is not known at version 13",
                    (OneNode{"Shape", {{"start", std::int64_t{1}}}, 13}(x)));
}

TEST_F(OnnxSizes, Constants) {
  const auto constant = [](const std::string& name, const Attribute::Value& value) {
    return OneNode{"Constant", {{name, value}}}();
  };
  EXPECT_EQ(whole(constant("value", tensor_value("", Array::from(Ints{3, -7})))), (Ints{3, -7}));
  EXPECT_EQ(constant("value_float", 0.5F).item(), 0.5);
  EXPECT_EQ(constant("value_int", std::int64_t{5}).item(), 5);
  EXPECT_EQ(constant("value_floats", std::vector<float>{0.5F, 2}).to_vector<float>(),
            (std::vector<float>{0.5F, 2}));
  EXPECT_EQ(whole(constant("value_ints", Ints{3, 5})), (Ints{3, 5}));
  EXPECT_ERROR_WITH(FormatError, "Constant \"y0\": its value is of a kind that is not supported",
                    constant("value_string", std::string("a")));
  EXPECT_EQ(OneNode{"ConstantOfShape"}(ints({3, 5})).to_vector<float>(), std::vector<float>(15, 0));
  const Attribute value{"value", tensor_value("", Array::from(Ints{7}))};
  EXPECT_EQ(whole(OneNode{"ConstantOfShape", {value}}(ints({2}))), (Ints{7, 7}));
  EXPECT_EQ((OneNode{"ConstantOfShape", {value}}(ints({}))).shape(), Shape{});
  EXPECT_ERROR_WITH(ShapeError, "ConstantOfShape", OneNode{"ConstantOfShape"}(ints({-1})));
  EXPECT_ERROR_WITH(Error, "ConstantOfShape",
                    OneNode{"ConstantOfShape"}(ints({1LL << 40, 1LL << 40})));
  EXPECT_ERROR_WITH(FormatError, "attribute value must be one number",
                    (OneNode{"ConstantOfShape",
                             {{"value", tensor_value("", Array::from(Ints{7, 1}))}}}(ints({2}))));
}

TEST_F(OnnxSizes, Ranges) {
  const auto range = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return whole(OneNode{"Range"}(ints({a}, {}), ints({b}, {}), ints({c}, {})));
  };
  EXPECT_EQ(range(3, 12, 4), (Ints{3, 7, 11}));
  EXPECT_EQ(range(5, -3, -3), (Ints{5, 2, -1}));
  EXPECT_EQ(range(5, 5, 1), Ints{});
  EXPECT_EQ(range(5, 7, -1), Ints{});
  EXPECT_EQ(OneNode{"Range"}(tensor(0.5F), tensor(2.1F), tensor(0.5F)).to_vector<float>(),
            (std::vector<float>{0.5F, 1, 1.5F, 2}));
  EXPECT_EQ(OneNode{"Range"}(tensor(0.5F), tensor(0.5F), tensor(0.5F)).numel(), 0);
  EXPECT_ERROR_WITH(ValueError, "a delta of 0", range(1, 2, 0));
  EXPECT_ERROR_WITH(ValueError, "a delta of 0",
                    OneNode{"Range"}(tensor(0.5F), tensor(2.1F), tensor(0.0F)));
  EXPECT_ERROR_WITH(ShapeError, "start, limit and delta",
                    OneNode{"Range"}(ints({1, 2}), ints({2}), ints({1})));
}

TEST_F(OnnxSizes, OneHotAlongAnyAxis) {
  const Tensor ids = ints({0, 2, -1, 7}, {2, 2}), depth = ints({3}, {}),
               values = tensor({-0.5, 2.0});
  const auto on = [&](Index id, Index place) {
    return id == place || id + 3 == place ? 2.0 : -0.5;
  };
  const Tensor last = OneNode{"OneHot"}(ids, depth, values);
  EXPECT_EQ(difference(last.to(DType::f64),
                       made({2, 2, 3},
                            [&](const Place& p) {
                              return on(static_cast<Index>(at(ids, {p[0], p[1]})), p[2]);
                            })),
            0);
  const Tensor first = OneNode{"OneHot", {{"axis", std::int64_t{0}}}}(ids, depth, values);
  EXPECT_EQ(difference(first.to(DType::f64),
                       made({3, 2, 2},
                            [&](const Place& p) {
                              return on(static_cast<Index>(at(ids, {p[1], p[2]})), p[0]);
                            })),
            0);
  EXPECT_ERROR_WITH(ShapeError, "values must be two numbers",
                    OneNode{"OneHot"}(ids, depth, tensor({1.0})));
  EXPECT_ERROR_WITH(Error, "OneHot", OneNode{"OneHot"}(ids, ints({-1}), values));
}

TEST_F(OnnxSizes, EyeLike) {
  const Tensor x = random({3, 5});
  EXPECT_EQ(difference(OneNode{"EyeLike", {{"k", std::int64_t{1}}}}(x),
                       made({3, 5}, [](const Place& p) { return p[1] == p[0] + 1 ? 1 : 0; })),
            0);
  EXPECT_EQ((OneNode{"EyeLike", {{"dtype", std::int64_t{7}}}}(x)).dtype(), DType::i64);
  for (const std::int64_t type : {-1, 257, 263}) {  // the last is i64's in 8 bits
    EXPECT_ERROR_WITH(FormatError, "attribute dtype is of a type that is not supported",
                      (OneNode{"EyeLike", {{"dtype", type}}}(x)));
  }
  EXPECT_ERROR_WITH(ShapeError, "the input must be a matrix", OneNode{"EyeLike"}(random({3})));
}

}  // namespace
}  // namespace heed::onnx
