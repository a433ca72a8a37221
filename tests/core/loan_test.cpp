#include "../../core/loan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "../../core/generator.h"
#include "../../core/kernels/reduce/finite.h"
#include "../../core/parallel.h"

namespace heed {
namespace {

void put(const Array& x, Index i, double value) {
  Array(x).mutable_data<double>()[i] = value;  // and nobody is told
}

TEST(Fingerprint, KnowsEachNumberAndItsPlace) {
  Generator generator(3);
  for (const Index n : {1, 2, 7, 31, 1009}) {
    const Array x = generator.normal({n}, 0, 1, DType::f64);
    std::set<std::uint32_t> seen = {fingerprint(x)};
    for (Index i = 0; i < std::min<Index>(n, 40); ++i) {
      const double was = x.data<double>()[i];
      put(x, i, std::nextafter(was, 9));
      EXPECT_TRUE(seen.insert(fingerprint(x)).second) << n << " " << i;
      put(x, i, was);
    }
    EXPECT_TRUE(seen.contains(fingerprint(x)));
  }
  EXPECT_NE(fingerprint(Array::from(std::vector<double>{1, 2})),
            fingerprint(Array::from(std::vector<double>{2, 1})));
  EXPECT_NE(fingerprint(Array::from(std::vector<double>{0.0})),
            fingerprint(Array::from(std::vector<double>{-0.0})));
}

TEST(Fingerprint, IsOfTheNumbersOfAView) {
  Generator generator(5);
  const Array x = generator.normal({5, 7, 3}, 0, 1, DType::f64);
  const Array view = x.transpose(0, 2).slice(1, 2, 5);
  const std::uint32_t before = fingerprint(view);
  EXPECT_EQ(fingerprint(x.transpose(0, 2).slice(1, 2, 5)), before);
  put(x, 0, 9);  // beside it
  EXPECT_EQ(fingerprint(view), before);
  put(x, 2 * 3, 9);
  EXPECT_NE(fingerprint(view), before);
  const Array row = Array::from(std::vector<double>{1, 2, 3});
  const Array rows = row.expand({4, 3});
  const std::uint32_t once = fingerprint(rows);
  put(row, 1, 5);
  EXPECT_NE(fingerprint(rows), once);
  EXPECT_NE(fingerprint(Array::empty({0, 3}, DType::f32)), 0U);
  EXPECT_NE(fingerprint(Array()), 0U);
}

TEST(Fingerprint, IsTheSameForAnyNumberOfThreads) {
  Generator generator(7);
  const Array x = generator.normal({701, 1009}, 0, 1, DType::f32);  // of several chunks
  const int threads = num_threads();
  set_num_threads(1);
  const std::uint32_t one = fingerprint(x);
  set_num_threads(3);
  EXPECT_EQ(fingerprint(x), one);
  set_num_threads(threads);
  Array(x).mutable_data<float>()[701 * 1009 - 1] += 1;
  EXPECT_NE(fingerprint(x), one);
}

TEST(Loan, WhatWasWrittenCountsAsAWriteInPlace) {
  const Array x = Array::zeros({3, 5}, DType::f64);
  {
    const Loan loan(x);
    const Loan another(x.slice(0, 1, 2));
    EXPECT_TRUE(x.exposed());
    Loan::notice_writes(*x.storage());
    EXPECT_EQ(x.version(), 0U);
    put(x, 6, 4);  // in both
    Loan::notice_writes(*x.storage());
    EXPECT_EQ(x.version(), 1U);
    Loan::notice_writes(*x.storage());
    EXPECT_EQ(x.version(), 1U) << "noticed once";
    put(x, 0, 4);
    x.storage()->bump_version();  // who wrote here said so
    Loan::notice_writes(*x.storage());
    EXPECT_EQ(x.version(), 2U);
    put(x, 1, 4);
  }
  EXPECT_EQ(x.version(), 3U) << "the end of the loan looks, too";
  EXPECT_FALSE(x.exposed());
}

TEST(Loan, OfNumbersThatNobodyKeptIsNotLookedAt) {
  const Array x = Array::zeros({7}, DType::f64);
  {
    const Loan loan(x, false);
    put(x, 2, 1);
    Loan::notice_writes(*x.storage());
  }
  EXPECT_EQ(x.version(), 0U);
}

TEST(Loan, NothingIsKnownOfLentNumbers) {
  const Array x = Array::zeros({101}, DType::f64);
  EXPECT_TRUE(kernels::all_finite(x));
  EXPECT_TRUE(x.storage()->known_finite());
  {
    const Loan loan(x, false);
    EXPECT_FALSE(x.storage()->known_finite());
    put(x, 5, std::numeric_limits<double>::infinity());
    EXPECT_FALSE(kernels::all_finite(x));
  }
  EXPECT_FALSE(x.storage()->known_finite());
  EXPECT_FALSE(kernels::all_finite(x));
}

TEST(Fingerprint, KnowsEachByteOfAnyLength) {
  for (const Index n : {1, 7, 8, 9, 31, 32, 33, 39, 40, 71}) {
    Array x = Array::zeros({n}, DType::boolean);
    std::set<std::uint32_t> seen = {fingerprint(x)};
    for (Index i = 0; i < n; ++i) {
      x.mutable_data<bool>()[i] = true;
      EXPECT_TRUE(seen.insert(fingerprint(x)).second) << i << " of " << n;
      x.mutable_data<bool>()[i] = false;
    }
  }
}

TEST(Fingerprint, ReadsWhatIsExpandedOnceAndNothingOfNothing) {
  const Array x = Generator(11).normal({3}, 0, 1, DType::f64);
  EXPECT_EQ(fingerprint(x.unsqueeze(1).expand({3, 5})), fingerprint(x.unsqueeze(1).expand({3, 7})));
  EXPECT_EQ(fingerprint(Array::empty({0, 3}, DType::f32)), fingerprint(Array()));
}

// Who has ended is looked for no more, wherever among the others it stood.
TEST(Loan, EndsInAnyOrder) {
  for (const std::size_t first : {0U, 1U, 2U}) {
    const Array x = Array::zeros({3}, DType::f64);
    std::vector<std::unique_ptr<Loan>> loans;
    for (Index i = 0; i < 3; ++i) loans.push_back(std::make_unique<Loan>(x.slice(0, i, i + 1)));
    loans[first].reset();
    EXPECT_TRUE(x.exposed());
    put(x, static_cast<Index>(first), 4);
    Loan::notice_writes(*x.storage());
    EXPECT_EQ(x.version(), 0U) << "nobody holds it now";
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == first) continue;
      put(x, static_cast<Index>(i), 5);
      const std::uint32_t before = x.version();
      Loan::notice_writes(*x.storage());
      EXPECT_EQ(x.version(), before + 1) << i;
    }
    loans.clear();
    EXPECT_FALSE(x.exposed());
  }
}

TEST(Loan, NoticesAWriteBehindOneOfAnother) {
  const Array x = Array::zeros({2, 3}, DType::f64);
  const Loan above(x.select(0, 0)), below(x.select(0, 1));
  put(x, 0, 4);
  Loan::notice_writes(*x.storage());
  EXPECT_EQ(x.version(), 1U);
  put(x, 3, 4);
  Loan::notice_writes(*x.storage());
  EXPECT_EQ(x.version(), 2U);
  put(x, 1, 4);
  put(x, 4, 4);
  Loan::notice_writes(*x.storage());
  EXPECT_GE(x.version(), 3U);
}

TEST(Loan, OfAnUndefinedArrayIsNone) {
  const Loan loan{Array()};
  EXPECT_FALSE(loan.array().defined());
}

}  // namespace
}  // namespace heed
