// What mechanisms over sequences ask of what they are given, each refusal in the mechanism's name:
// detail/masked_sequence.h and detail/decoder_checks.h.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "../../attention/attention.h"
#include "../../attention/detail/decoder_checks.h"
#include "../../attention/detail/masked_sequence.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../nn/thrown_text.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "a reader";

struct Refusal {
  std::function<void()> call;
  std::string text;
};

template <class Thrown>
void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(thrown_text<Thrown>(refusal.call), refusal.text);
  }
}

Tensor ids(std::vector<std::int64_t> numbers, const Shape& shape) {
  return Tensor(Array::from(numbers, shape));
}

TEST(MaskedSequence, RefusesWhatIsNoBatch) {
  const Tensor x = randn({2, 5, 3});
  const auto read = [&](const Tensor& given, const Mask& mask) {
    return [=] { masked_sequence(kOp, "text", given, 3, DType::f32, mask); };
  };
  expect_refused<ShapeError>({
      {read(randn({5, 3}), {}), "a reader: text must be [B, n, width], not f32[5, 3]"},
      {read(randn({2, 5, 7}), {}), "a reader: text must be [.., n, 3], not f32[2, 5, 7]"},
      {read(x, Mask::causal()), "a reader: the mask of text is one of places: no window, no block"},
      {read(x, Mask::block(2)), "a reader: the mask of text is one of places: no window, no block"},
      {[&] {
         masked_sequence(kOp, "text", x, {5, 3, 1});
       },
       "a reader: 3 lengths for 2 rows of text"},
      {[&] {
         masked_sequence(kOp, "text", x, {5, 7});
       },
       "a reader: mask: length 7 of row 1 is not in [0, 5]"},
      {[&] { check_rows_of_batch(kOp, "text", x, 7); },
       "a reader: text must have 7 rows, not 2: f32[2, 5, 3]"},
  });
  expect_refused<DTypeError>({
      {read(heed::to(x, DType::f64), {}), "a reader: text must be f32, not f64[2, 5, 3]"},
  });
}

TEST(MaskedSequence, RefusesWhatAreNoIds) {
  const Tensor real = Mask::lengths({3, 1}, 3).tensor(Shape{2, 3}, kOp);
  const Tensor good = ids({4, 0, 6, 2, -9, 99}, {2, 3});
  const auto read = [&](const Tensor& given, const Tensor& counts) {
    return [=] { real_ids(kOp, "words", given, 7, counts); };
  };
  expect_refused<DTypeError>(
      {{read(ones({2, 3}), real), "a reader: words must be i64, not f32[2, 3]"}});
  expect_refused<ShapeError>({
      {read(ids({1, 2}, {2}), Tensor()), "a reader: words must be [B, n], not i64[2]"},
      {read(ids({1, 2}, {2, 1}), real), "a reader: words must be [2, 3], not i64[2, 1]"},
  });
  expect_refused<IndexError>({
      {read(good, Tensor()), "a reader: id -9 of words is not in [0, 7)"},
      {read(ids({4, 0, 7, 2, 0, 0}, {2, 3}), real), "a reader: id 7 of words is not in [0, 7)"},
  });
  expect_refused<GradError>({{read(Tensor(), real), "a reader: words is undefined"}});
  EXPECT_EQ(real_ids(kOp, "words", good, 7, real).array().to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{4, 0, 6, 2, 0, 0}));
}

TEST(DecoderChecks, RefuseWhatDoesNotFit) {
  const Tensor keys = randn({2, 5, 3});
  const auto memory = [&](const Tensor& given, const Tensor& values, const Mask& mask) {
    return [=] { decoder_memory(kOp, ScaledDot(), given, values, mask); };
  };
  expect_refused<ShapeError>({
      {memory(randn({5, 3}), keys, {}), "a reader: keys must be [B, n, width], not f32[5, 3]"},
      {memory(keys, randn({5, 3}), {}), "a reader: values must be [B, n, width], not f32[5, 3]"},
      {memory(keys, randn({7, 5, 3}), {}),
       "a reader: keys f32[2, 5, 3] and values f32[7, 5, 3] differ in rows or places"},
      {memory(keys, randn({2, 7, 3}), {}),
       "a reader: keys f32[2, 5, 3] and values f32[2, 7, 3] differ in rows or places"},
      {[&] {
         checked_words(kOp, randn({2, 7}), 2, 3, DType::f32, {});
       },
       "a reader: words must be [B, n, width], not f32[2, 7]"},
      {[&] {
         checked_words(kOp, randn({2, 7, 5}), 2, 3, DType::f32, {});
       },
       "a reader: words must be [.., n, 3], not f32[2, 7, 5]"},
      {[&] {
         check_word(kOp, randn({2, 5}), 2, 3, DType::f32);
       },
       "a reader: a step's word must be [2, 3], not f32[2, 5]"},
      {[&] {
         check_state(kOp, "the cell", randn({2, 5}), Shape{5, 2}, DType::f32);
       },
       "a reader: the cell must be [5, 2], not f32[2, 5]"},
  });
  expect_refused<DTypeError>({
      {[&] {
         checked_words(kOp, randn({2, 7, 3}), 2, 3, DType::f64, {});
       },
       "a reader: words must be f64, not f32[2, 7, 3]"},
      {[&] {
         check_word(kOp, randn({2, 3}), 2, 3, DType::f64);
       },
       "a reader: a step's word must be f64, not f32[2, 3]"},
      {[&] {
         check_state(kOp, "the cell", randn({2, 5}), Shape{2, 5}, DType::f64);
       },
       "a reader: the cell must be f64, not f32[2, 5]"},
  });
}

}  // namespace
}  // namespace heed::attention
