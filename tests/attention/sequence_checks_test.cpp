// What mechanisms over sequences ask of what they are given, each refusal in the mechanism's name:
// detail/masked_sequence.h and detail/decoder_checks.h.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../attention/attention.h"
#include "../../attention/detail/decoder_checks.h"
#include "../../attention/detail/masked_sequence.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "a reader";

Tensor ids(std::vector<std::int64_t> numbers, const Shape& shape) {
  return Tensor(Array::from(numbers, shape));
}

TEST(MaskedSequence, RefusesWhatIsNoBatch) {
  const Tensor x = randn({2, 5, 3});
  const auto read = [&](const Tensor& given, const Mask& mask) {
    masked_sequence(kOp, "text", given, 3, DType::f32, mask);
  };
  EXPECT_ERROR(ShapeError, "a reader: text must be [B, n, width], not f32[5, 3]",
               read(randn({5, 3}), {}));
  EXPECT_ERROR(ShapeError, "a reader: text must be [.., n, 3], not f32[2, 5, 7]",
               read(randn({2, 5, 7}), {}));
  EXPECT_ERROR(ShapeError, "a reader: the mask of text is one of places: no window, no block",
               read(x, Mask::causal()));
  EXPECT_ERROR(ShapeError, "a reader: the mask of text is one of places: no window, no block",
               read(x, Mask::block(2)));
  for (const Mask& each : {Mask::window(0, 0), Mask::window(2, 1), Mask::segments({0, 2, 5}),
                           masks::prefix_lm(2), !Mask()}) {
    EXPECT_ERROR(ShapeError, "a reader: the mask of text is one of places: no window, no block",
                 read(x, each));
  }
  EXPECT_ERROR(ShapeError, "a reader: 3 lengths for 2 rows of text",
               masked_sequence(kOp, "text", x, {5, 3, 1}));
  EXPECT_ERROR(ShapeError, "a reader: mask: length 7 of row 1 is not in [0, 5]",
               masked_sequence(kOp, "text", x, {5, 7}));
  EXPECT_ERROR(ShapeError, "a reader: text must have 7 rows, not 2: f32[2, 5, 3]",
               check_rows_of_batch(kOp, "text", x, 7));
  EXPECT_ERROR(DTypeError, "a reader: text must be f32, not f64[2, 5, 3]",
               read(heed::to(x, DType::f64), {}));
}

TEST(MaskedSequence, RefusesWhatAreNoIds) {
  const Tensor real = Mask::lengths({3, 1}, 3).tensor(Shape{2, 3}, kOp);
  const Tensor good = ids({4, 0, 6, 2, -9, 99}, {2, 3});
  const auto read = [&](const Tensor& given, const Tensor& counts) {
    real_ids(kOp, "words", given, 7, counts);
  };
  EXPECT_ERROR(DTypeError, "a reader: words must be i64, not f32[2, 3]", read(ones({2, 3}), real));
  EXPECT_ERROR(ShapeError, "a reader: words must be [B, n], not i64[2]",
               read(ids({1, 2}, {2}), Tensor()));
  EXPECT_ERROR(ShapeError, "a reader: words must be [2, 3], not i64[2, 1]",
               read(ids({1, 2}, {2, 1}), real));
  EXPECT_ERROR(IndexError, "a reader: id -9 of words is not in [0, 7)", read(good, Tensor()));
  EXPECT_ERROR(IndexError, "a reader: id 7 of words is not in [0, 7)",
               read(ids({4, 0, 7, 2, 0, 0}, {2, 3}), real));
  EXPECT_ERROR(GradError, "a reader: words is undefined", read(Tensor(), real));
  EXPECT_EQ(real_ids(kOp, "words", good, 7, real).array().to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{4, 0, 6, 2, 0, 0}));
}

TEST(DecoderChecks, RefuseWhatDoesNotFit) {
  const Tensor keys = randn({2, 5, 3});
  const auto memory = [&](const Tensor& given, const Tensor& values, const Mask& mask) {
    decoder_memory(kOp, ScaledDot(), given, values, mask);
  };
  EXPECT_ERROR(ShapeError, "a reader: keys must be [B, n, width], not f32[5, 3]",
               memory(randn({5, 3}), keys, {}));
  EXPECT_ERROR(ShapeError, "a reader: values must be [B, n, width], not f32[5, 3]",
               memory(keys, randn({5, 3}), {}));
  EXPECT_ERROR(ShapeError,
               "a reader: keys f32[2, 5, 3] and values f32[7, 5, 3] differ in rows or places",
               memory(keys, randn({7, 5, 3}), {}));
  EXPECT_ERROR(ShapeError,
               "a reader: keys f32[2, 5, 3] and values f32[2, 7, 3] differ in rows or places",
               memory(keys, randn({2, 7, 3}), {}));
  EXPECT_ERROR(ShapeError, "a reader: words must be [B, n, width], not f32[2, 7]",
               checked_words(kOp, randn({2, 7}), 2, 3, DType::f32, {}));
  EXPECT_ERROR(ShapeError, "a reader: words must be [.., n, 3], not f32[2, 7, 5]",
               checked_words(kOp, randn({2, 7, 5}), 2, 3, DType::f32, {}));
  EXPECT_ERROR(ShapeError, "a reader: a step's word must be [2, 3], not f32[2, 5]",
               check_word(kOp, randn({2, 5}), 2, 3, DType::f32));
  EXPECT_ERROR(ShapeError, "a reader: the cell must be [5, 2], not f32[2, 5]",
               check_state(kOp, "the cell", randn({2, 5}), Shape{5, 2}, DType::f32));
  EXPECT_ERROR(DTypeError, "a reader: words must be f64, not f32[2, 7, 3]",
               checked_words(kOp, randn({2, 7, 3}), 2, 3, DType::f64, {}));
  EXPECT_ERROR(DTypeError, "a reader: a step's word must be f64, not f32[2, 3]",
               check_word(kOp, randn({2, 3}), 2, 3, DType::f64));
  EXPECT_ERROR(DTypeError, "a reader: the cell must be f64, not f32[2, 5]",
               check_state(kOp, "the cell", randn({2, 5}), Shape{2, 5}, DType::f64));
}

}  // namespace
}  // namespace heed::attention
