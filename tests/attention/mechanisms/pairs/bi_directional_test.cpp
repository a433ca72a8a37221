#include "../../../../attention/mechanisms/pairs/bi_directional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 3, kT = 5, kJ = 4, kD = 2;
const std::vector<Index> kWords = {kT, 3, 4}, kAsked = {2, kJ, 0};

// Word by word; G, a and b.
Numbers plain_flow(const Leaves& p) {
  const Block& w = p["score.weight"];
  Numbers contexts, of_query, of_context;
  for (std::size_t b = 0; b < kB; ++b) {
    const auto H = plain::rows_of(p["h"], b, kT), U = plain::rows_of(p["u"], b, kJ);
    const Index T = kWords[b], J = kAsked[b];
    std::vector<Numbers> a, heard;
    Numbers best;
    for (Index t = 0; t < kT; ++t) {
      // What does not count is 0.
      const Numbers h = t < T ? H[static_cast<std::size_t>(t)] : Numbers(kD, 0.0);
      Numbers S(kJ, 0.0);
      double highest = -1e300;
      for (Index j = 0; j < J; ++j) {
        const Numbers& u = U[static_cast<std::size_t>(j)];
        for (Index d = 0; d < kD; ++d) {
          at(S, j) += w(0, d) * at(h, d) + w(1, d) * at(u, d) + w(2, d) * at(h, d) * at(u, d);
        }
        highest = std::max(highest, at(S, j));
      }
      best.push_back(highest);
      a.push_back(plain::softmax(S, J));
      heard.emplace_back(kD, 0.0);
      for (Index j = 0; j < J; ++j) {
        for (Index d = 0; d < kD; ++d) {
          at(heard.back(), d) += at(a.back(), j) * at(U[static_cast<std::size_t>(j)], d);
        }
      }
    }
    const Numbers c = J == 0 ? Numbers(kT, 0.0) : plain::softmax(best, T);
    Numbers seen(kD, 0.0);
    for (Index t = 0; t < T; ++t) {
      for (Index d = 0; d < kD; ++d)
        at(seen, d) += at(c, t) * at(H[static_cast<std::size_t>(t)], d);
    }
    for (Index t = 0; t < kT; ++t) {
      const auto i = static_cast<std::size_t>(t);
      const Numbers h = t < T ? H[i] : Numbers(kD, 0.0);
      Numbers with_heard, with_seen;
      for (Index d = 0; d < kD; ++d) {
        with_heard.push_back(at(h, d) * at(heard[i], d));
        with_seen.push_back(at(h, d) * at(seen, d));
      }
      contexts = plain::join({contexts, h, heard[i], with_heard, with_seen});
      of_query = plain::join({of_query, a[i]});
    }
    of_context = plain::join({of_context, c});
  }
  return plain::join({contexts, of_query, of_context});
}

TEST(BiDirectional, IsThePapersSums) {
  manual_seed(61);
  const BiDirectional made(kD, DType::f64);
  const Tensor h = randn({kB, kT, kD}, DType::f64), u = randn({kB, kJ, kD}, DType::f64);
  const auto leaves = leaves_of(made, {{"h", h}, {"u", u}});
  const auto ours = [&] {
    const BiDirectionalOutput seen =
        made(h, u, Mask::lengths(kWords, kT), Mask::lengths(kAsked, kJ), true);
    return std::vector<Tensor>{seen.context, seen.weights, seen.of_context};
  };
  plain::expect_same(leaves, ours, plain_flow);
  plain::expect_gradients(leaves, ours, 4);
  EXPECT_FALSE(made(h, u).of_context.defined());
}

TEST(BiDirectional, WhatIsMaskedChangesNoBit) {
  manual_seed(62);
  const BiDirectional made(kD, DType::f64);
  const Tensor h = randn({kB, kT, kD}, DType::f64), u = randn({kB, kJ, kD}, DType::f64);
  plain::expect_hidden([&](double value) {
    return plain::bits_of(leaves_of(made, {}), [&] {
      return std::vector<Tensor>{made(plain::spoiled(h, kWords, value),
                                      plain::spoiled(u, kAsked, value), Mask::lengths(kWords, kT),
                                      Mask::lengths(kAsked, kJ))
                                     .context};
    });
  });
}

TEST(BiDirectional, RefusesWhatDoesNotFit) {
  const BiDirectional made(kD);
  const Tensor h = zeros({kB, kT, kD}), u = zeros({kB, kJ, kD});
  EXPECT_ERROR(ShapeError, "bi_directional: context must be [.., n, 2], not f32[3, 5, 4]",
               made(zeros({kB, kT, 4}), u));
  EXPECT_ERROR(ShapeError, "bi_directional: query must be [.., n, 2], not f32[3, 4, 3]",
               made(h, zeros({kB, kJ, 3})));
  EXPECT_ERROR(ShapeError, "bi_directional: query must have 3 rows, not 2: f32[2, 4, 2]",
               made(h, zeros({2, kJ, kD})));
  EXPECT_ERROR(DTypeError, "bi_directional: context must be f32, not f64[3, 5, 2]",
               made(zeros({kB, kT, kD}, DType::f64), u));
  EXPECT_ERROR(ValueError, "bi_directional: width 0 must be positive", BiDirectional(0));
}

}  // namespace
}  // namespace heed::attention
