#include "../../core/loan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

}  // namespace
}  // namespace heed
