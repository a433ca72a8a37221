#include "../../../../attention/mechanisms/transformer/native_sparse_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"
#include "../step_by_step.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 11, kE = 5, kH = 4, kHk = 2, kD = 2, kHidden = 3;

NativeSparseOptions options() {
  return {.width = kE,
          .heads = kH,
          .kv_heads = kHk,
          .head_width = kD,
          .block = 4,
          .stride = 2,
          .hidden = kHidden,
          .selected_block = 2,
          .selected = 3,
          .initial = 0,
          .local = 1,
          .window = 3,
          .dtype = DType::f64};
}

Numbers part(const Numbers& x, Index first) { return {x.begin() + first, x.begin() + first + kD}; }

// The paper's sums for one head of queries and one query; nothing is shared with the library.
struct Looked {
  Numbers context, weights;
};
Looked looked(const Numbers& q, const std::vector<Numbers>& keys,
              const std::vector<Numbers>& values, const std::vector<std::size_t>& seen) {
  Looked out{Numbers(kD, 0.0), {}};
  if (seen.empty()) return out;
  Numbers e;
  for (const std::size_t j : seen) {
    e.push_back(plain::dot(q, keys[j]) / std::sqrt(static_cast<double>(kD)));
  }
  out.weights = plain::softmax(e, static_cast<Index>(e.size()));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (Index d = 0; d < kD; ++d) at(out.context, d) += out.weights[i] * at(values[seen[i]], d);
  }
  return out;
}

Numbers phi(const Leaves& p, const std::string& what, const std::vector<Numbers>& rows,
            std::size_t first) {
  Numbers block;
  const Block& places = p[what + "_places"];
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t d = 0; d < kD; ++d) {
      block.push_back(rows[first + i][d] + places.values()[i * kD + d]);
    }
  }
  Numbers h = plain::affine(p[what + "_phi1.weight"], block, p[what + "_phi1.bias"]);
  for (double& x : h) x = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  return plain::affine(p[what + "_phi2.weight"], h, p[what + "_phi2.bias"]);
}

// Contexts, then the weights of the chosen blocks.
Numbers plain_sparse(const Leaves& p, const NativeSparseOptions& o) {
  const auto initial = static_cast<std::size_t>(o.initial);
  const auto local = static_cast<std::size_t>(o.local);
  Numbers contexts, all_weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const auto tokens = plain::rows_of(p["x"], b, kT);
    std::vector<Numbers> joined(kT);
    for (Index g = 0; g < kHk; ++g) {
      std::vector<Numbers> raw[6], k_cmp, v_cmp;
      for (const Numbers& x : tokens) {
        const Numbers kv = plain::affine(p["kv_proj.weight"], x);
        for (Index c = 0; c < 6; ++c) raw[c].push_back(part(kv, (c * kHk + g) * kD));
      }
      for (std::size_t first = 0; first + 4 <= kT; first += 2) {
        k_cmp.push_back(phi(p, "key", raw[0], first));
        v_cmp.push_back(phi(p, "value", raw[3], first));
      }
      std::vector<Numbers> weights(static_cast<std::size_t>(kH / kHk * kT), Numbers(kT, 0.0));
      for (std::size_t t = 0; t < kT; ++t) {
        const Numbers gates = plain::affine(p["gate.weight"], tokens[t], p["gate.bias"]);
        const Numbers queries = plain::affine(p["q_proj.weight"], tokens[t]);
        std::vector<std::size_t> ended, near, chosen;
        for (std::size_t i = 0; i < k_cmp.size(); ++i) {
          if (i * 2 + 3 <= t) ended.push_back(i);
        }
        for (std::size_t j = t < 2 ? 0 : t - 2; j <= t; ++j) near.push_back(j);
        Numbers importance(6, 0.0);
        std::vector<Looked> cmp;
        for (Index h = 0; h < kH / kHk; ++h) {
          const Index head = g * (kH / kHk) + h;
          cmp.push_back(looked(part(queries, head * kD), k_cmp, v_cmp, ended));
          for (std::size_t i = 0; i < ended.size(); ++i) {  // two blocks of 2 within each of 4
            importance[i] += cmp.back().weights[i];
            importance[i + 1] += cmp.back().weights[i];
          }
        }
        for (std::size_t j = 0; j <= t / 2; ++j) {
          if (j < initial || t / 2 - j < local) importance[j] = 1e9;
        }
        std::vector<std::size_t> order;
        for (std::size_t j = 0; j <= t / 2; ++j) order.push_back(j);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
          return importance[i] > importance[j];
        });
        order.resize(std::min(order.size(), static_cast<std::size_t>(o.selected)));
        for (const std::size_t j : order) {
          for (std::size_t s = 2 * j; s <= std::min(2 * j + 1, t); ++s) chosen.push_back(s);
        }
        for (Index h = 0; h < kH / kHk; ++h) {
          const Index head = g * (kH / kHk) + h;
          const Numbers q = part(queries, head * kD);
          const Looked slc = looked(q, raw[1], raw[4], chosen),
                       win = looked(q, raw[2], raw[5], near);
          Numbers mixed(kD, 0.0);
          for (Index d = 0; d < kD; ++d) {
            at(mixed, d) = plain::sigmoid(at(gates, 3 * head)) *
                               at(cmp[static_cast<std::size_t>(h)].context, d) +
                           plain::sigmoid(at(gates, 3 * head + 1)) * at(slc.context, d) +
                           plain::sigmoid(at(gates, 3 * head + 2)) * at(win.context, d);
          }
          joined[t] = plain::join({joined[t], mixed});
          for (std::size_t i = 0; i < chosen.size(); ++i) {
            weights[static_cast<std::size_t>(h * kT) + t][chosen[i]] = slc.weights[i];
          }
        }
      }
      for (const Numbers& row : weights)
        all_weights.insert(all_weights.end(), row.begin(), row.end());
    }
    for (const Numbers& heads : joined) {
      contexts = plain::join({contexts, plain::affine(p["out_proj.weight"], heads)});
    }
  }
  return plain::join({contexts, all_weights});
}

class NativeSparse : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(61), true);  // before what is drawn below
  NativeSparse() {
    x = randn({kB, kT, kE}, DType::f64);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  }
  NativeSparseHeads made{options()};
  Tensor x;
};

// As options() have it, and with more blocks that are always among the chosen.
TEST_F(NativeSparse, AreThePapersSums) {
  for (const auto& [selected, initial, local] :
       std::vector<std::array<Index, 3>>{{3, 0, 1}, {4, 0, 2}, {4, 1, 2}}) {
    SCOPED_TRACE(testing::Message() << initial << " initial, " << local << " local");
    NativeSparseOptions o = options();
    o.selected = selected;
    o.initial = initial;
    o.local = local;
    NativeSparseHeads heads(o);
    heads.load_state_dict(made.state_dict());
    plain::expect_same(
        leaves_of(heads, {{"x", x}}),
        [&] {
          const Attended seen = heads(x, {.need_weights = true});
          return std::vector<Tensor>{seen.context, seen.weights};
        },
        [&](const Leaves& p) { return plain_sparse(p, o); });
  }
  plain::expect_gradients(
      leaves_of(made, {{"x", x}}), [&] { return std::vector<Tensor>{made(x).context}; }, 2);
}

// Values, gradients and gradients of gradients of both ways, by chunks and whole.
TEST(SelectedBlocks, GatheringIsTheDefinition) {
  manual_seed(62);
  constexpr Index kG = 3, kQ = 7, kK = 17, kSize = 3, kDv = 5;
  const Tensor q = randn({kB, kHk, kG, kQ, kD}, DType::f64).set_requires_grad();
  const Tensor k = randn({kB, kHk, kK, kD}, DType::f64).set_requires_grad();
  const Tensor v = randn({kB, kHk, kK, kDv}, DType::f64).set_requires_grad();
  std::vector<Index> chosen;
  for (Index i = 0; i < kB * kHk * kQ; ++i) {
    const Index first = i % 6;
    chosen.insert(chosen.end(),
                  {first, (first + 1 + i % 4) % 6, i % 5 == 0 ? -1 : (first + 5) % 6});
    if (chosen.back() == *(chosen.end() - 2)) chosen.back() = -1;
  }
  SelectedBlocks blocks{kSize, Tensor(Array::from(chosen, {kB, kHk, kQ, 3})), {}};
  const Tensor cotangent = randn({kB, kHk, kG, kQ, kDv}, DType::f64);
  for (const bool masked : {false, true}) {
    if (masked) blocks.real = randn({kB, kK}) > -0.5;
    const auto numbers_of = [&](const Tensor& context) {
      const std::vector<Tensor> leaves = {q, k, v};
      std::vector<Tensor> out = {context};
      const auto first =
          grad(std::vector<Tensor>{sum(context * cotangent)}, leaves, {}, {.create_graph = true});
      Tensor squares = tensor(0, DType::f64);
      for (const Tensor& each : first) squares = squares + sum(each * each * each);
      for (const Tensor& each : grad(std::vector<Tensor>{squares}, leaves)) out.push_back(each);
      for (const Tensor& each : first) out.push_back(each.detach());
      return out;
    };
    const auto wanted = numbers_of(attend_by_mask(q, k, v, blocks).context);
    for (const Index chunk : {2, 128}) {
      const auto found = numbers_of(attend_by_gathering(q, k, v, blocks, {}, chunk));
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_LT(difference(found[i], wanted[i]), 1e-10) << i << " by " << chunk;
      }
    }
  }
}

TEST(SelectedBlocks, OfNoQueriesAreEmpty) {
  const SelectedBlocks blocks{3, zeros({kB, kHk, 0, 2}, DType::i64), {}};
  const Tensor context = attend_by_gathering(zeros({kB, kHk, 5, 0, kD}), zeros({kB, kHk, 7, kD}),
                                             zeros({kB, kHk, 7, 3}), blocks, {});
  EXPECT_EQ(context.shape(), (Shape{kB, kHk, 5, 0, 3}));
}

// Of few places under a mask, of many by gathering.
TEST_F(NativeSparse, TheFastFormIsTheDefinition) {
  for (const Index T : {kT, Index{53}}) {
    const Tensor some = randn({kB, T, kE}, DType::f64);
    for (const bool padded : {false, true}) {
      const Terms terms{.mask = padded ? Mask::lengths({T, 5}, T) : Mask()};
      EXPECT_LT(difference(made(some, terms).context, made.by_definition(some, terms).context),
                1e-12);
    }
  }
}

TEST_F(NativeSparse, GoOnStepByStep) {
  expect_steps_are_the_whole(made, x, 1e-11);
  NativeSparseOptions turned = options();
  turned.rotary = true;
  const NativeSparseHeads other(turned);
  expect_steps_are_the_whole(other, x, 1e-11);
  EXPECT_GT(difference(other(x).context, made(x).context), 1e-3);
}

// What was not finite before is seen by all that come after it, in its own row alone.
TEST_F(NativeSparse, GoOnFromWhatIsNotANumber) {
  const NoGrad off;
  for (const Index place : {0, 1, 3}) {
    Array dirty = x.array().clone();
    dirty.mutable_data<double>()[place * kE] = std::nan("");
    KeyValueCache cache, clean;
    made(narrow(dirty, 1, 0, 4), {}, &cache);
    made(narrow(x, 1, 0, 4), {}, &clean);
    const Terms weights{.need_weights = true};
    const Attended found = made(narrow(x, 1, 4, 3), weights, &cache);
    const Attended wanted = made(narrow(x, 1, 4, 3), weights, &clean);
    for (const auto& [own, other] :
         {std::pair{found.context, wanted.context}, {found.weights, wanted.weights}}) {
      EXPECT_EQ(sum(to(isnan(select(own, 0, 0)), DType::f64)).item(), select(own, 0, 0).numel());
      EXPECT_EQ(difference(select(own, 0, 1), select(other, 0, 1)), 0);
    }
  }
}

TEST_F(NativeSparse, ChooseTheirOwnBlockAndNoneThatComesLater) {
  const auto chosen = made.chosen(x).array().to_vector<Index>();
  ASSERT_EQ(chosen.size(), static_cast<std::size_t>(kB * kHk * kT * 3));
  for (std::size_t i = 0; i < chosen.size(); i += 3) {
    const Index own = static_cast<Index>(i / 3) % kT / 2;
    const std::set<Index> those(chosen.begin() + static_cast<std::ptrdiff_t>(i),
                                chosen.begin() + static_cast<std::ptrdiff_t>(i) + 3);
    EXPECT_TRUE(those.contains(own));
    EXPECT_LE(*those.rbegin(), own);
    EXPECT_EQ(those.size() - those.count(-1),
              static_cast<std::size_t>(std::min<Index>(own + 1, 3)));
  }
}

// Padding chooses nothing, and is not chosen.
TEST_F(NativeSparse, ChooseInAPaddedBatchWhatEachRowWouldAlone) {
  const NoGrad off;
  constexpr Index kReal = 7;
  const Tensor all = made.chosen(x, {.mask = Mask::lengths({kT, kReal}, kT)});
  const Tensor alone = made.chosen(narrow(narrow(x, 0, 1, 1), 1, 0, kReal));
  EXPECT_EQ(narrow(narrow(all, 0, 1, 1), 2, 0, kReal).array().to_vector<Index>(),
            alone.array().to_vector<Index>());
}

// However much weight others have, and where there are fewer heads than steps in a block.
TEST(NativeSparseHeads, ALocalBlockIsAlwaysAmongTheChosen) {
  manual_seed(63);
  NativeSparseOptions one = options();
  one.heads = 2;
  one.kv_heads = 1;
  one.selected = 1;
  const NativeSparseHeads few(one);
  const auto chosen = few.chosen(randn({kB, kT, kE}, DType::f64)).array().to_vector<Index>();
  ASSERT_EQ(chosen.size(), static_cast<std::size_t>(kB * kT));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(chosen[i], static_cast<Index>(i) % kT / 2) << i;
  }
}

// No block of the compressed is whole yet.
TEST_F(NativeSparse, ReadTextsThatAreShorterThanABlock) {
  const NoGrad off;
  const Tensor all = made(narrow(x, 1, 0, 3), {.mask = Mask::lengths({3, 2}, 3)}).context;
  const Tensor alone = made(narrow(narrow(x, 0, 1, 1), 1, 0, 2)).context;
  EXPECT_LT(difference(narrow(narrow(all, 0, 1, 1), 1, 0, 2), alone), 1e-12);
}

TEST(NativeSparseHeads, HaveTwiceAHeadsWidthWithinPhiUnlessSaidOtherwise) {
  NativeSparseOptions unsaid = options();
  unsaid.hidden = 0;
  EXPECT_EQ(NativeSparseHeads(unsaid).key_phi1.weight.size(0), 2 * kD);
  EXPECT_EQ(NativeSparseHeads(options()).key_phi1.weight.size(0), kHidden);
}

TEST_F(NativeSparse, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "native_sparse_heads: x must be [B, T, 5], not f64[2, 11, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(ValueError,
               "native_sparse_heads: a mask must be causal or one of keys: no window, no block, no "
               "rule",
               made(x, {.mask = Mask::window(2, 0)}));
  const NoGrad off;
  KeyValueCache rolling({.window = 1});
  EXPECT_ERROR(ValueError,
               "native_sparse_heads: a rolling cache drops what may be chosen: give a plain one",
               made(x, {}, &rolling));
  const auto with = [](auto change) {
    NativeSparseOptions o = options();
    change(o);
    const NativeSparseHeads refused(o);
  };
  EXPECT_ERROR(ValueError, "native_sparse_heads: window 0 must be positive",
               with([](auto& o) { o.window = 0; }));
  EXPECT_ERROR(ValueError, "native_sparse_heads: kv_heads 3 does not divide heads 4",
               with([](auto& o) { o.kv_heads = 3; }));
  EXPECT_ERROR(ValueError, "native_sparse_heads: stride 3 does not divide block 4",
               with([](auto& o) { o.stride = 3; }));
  EXPECT_ERROR(ValueError, "native_sparse_heads: stride 2 does not divide selected_block 3",
               with([](auto& o) { o.selected_block = 3; }));
  EXPECT_NO_THROW(with([](auto& o) { o.initial = 2; }));  // and one that is local
  EXPECT_THROW(with([](auto& o) { o.head_width = -1; }), ValueError);
  EXPECT_THROW(with([](auto& o) { o.hidden = -1; }), ValueError);
  EXPECT_ERROR(ValueError,
               "native_sparse_heads: 3 initial and 1 local blocks (at least 1) are not among 3",
               with([](auto& o) { o.initial = 3; }));
  EXPECT_ERROR(ValueError, "native_sparse_heads: rotary needs an even head width, not 3",
               with([](auto& o) { o.rotary = true, o.head_width = 3; }));
  EXPECT_ERROR(ValueError, "native_sparse_heads: dropout 2 is not in [0, 1]",
               with([](auto& o) { o.dropout = 2; }));
}

}  // namespace
}  // namespace heed::attention
