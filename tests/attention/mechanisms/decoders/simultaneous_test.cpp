#include "../../../../attention/mechanisms/decoders/simultaneous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../attention/masks/wait_k.h"
#include "../../../../attention/mechanisms/transformer/transformer_decoder.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"

namespace heed::attention {
namespace {

using testing::ElementsAre;

constexpr Index kEnd = 99;

// Says `target` words under wait-k over a source of `source`.
SimultaneousText waiting(const WaitKOptions& options, Index source, Index target) {
  Index left = source;
  return write_while_reading(
      {.read = [&] { return left-- > 0; },
       .write = [&](Index read, Index written, bool ended) -> std::optional<Index> {
         if (!ended && read < wait_k_reads(options, written)) return std::nullopt;
         return written + 1 < target ? 10 + written : kEnd;
       }},
      kEnd, 20);
}

TEST(Simultaneous, ReadsAsMuchAsIsAskedFor) {
  const SimultaneousText text = waiting({.wait = 3}, 5, 4);
  EXPECT_THAT(text.words, ElementsAre(10, 11, 12, kEnd));
  EXPECT_THAT(text.read, ElementsAre(3, 4, 5, 5));
  EXPECT_THAT(waiting({.wait = 3, .catch_up = 2}, 6, 5).read, ElementsAre(3, 3, 4, 4, 5));
  EXPECT_THAT(waiting({.wait = 4}, 0, 2).read, ElementsAre(0, 0));
  EXPECT_EQ(std::ssize(waiting({.wait = 1}, 5, 100).words), 20) << "the longest";
}

// Prefix to prefix: under the mask all at once, and step by step with what was read by then.
TEST(Simultaneous, ATransformerThatWaitsGivesWhatItsMaskGives) {
  manual_seed(7);
  const NoGrad off;
  constexpr Index kE = 6, kQ = 7, kK = 5;
  const WaitKOptions wait{.wait = 2, .catch_up = 3};
  TransformerDecoder decoder(
      2, {.width = kE, .heads = 3, .hidden = 5, .dropout = 0, .dtype = DType::f64});
  const Tensor words = randn({1, kQ, kE}, DType::f64), source = randn({1, kK, kE}, DType::f64);
  const Tensor whole =
      decoder(words, source, {.mask = Mask::causal()}, {.mask = masks::wait_k(wait)}).output;
  TransformerDecoder::State state;
  Index at = 0, steps = 0;
  write_while_reading({.read =
                           [&] {
                             if (at == kK) return false;
                             const Tensor next = narrow(source, 1, at++, 1);
                             if (at == 1) {
                               state = decoder.start(next);
                             } else {
                               decoder.read(next, state);
                             }
                             return true;
                           },
                       .write = [&](Index read, Index written, bool ended) -> std::optional<Index> {
                         if (!ended && read < wait_k_reads(wait, written)) return std::nullopt;
                         const Tensor out = decoder.step(select(words, 1, written), state).output;
                         EXPECT_LT(difference(out, select(whole, 1, written)), 1e-12) << written;
                         ++steps;
                         return written;
                       }},
                      kEnd, kQ);
  EXPECT_EQ(steps, kQ);
  EXPECT_EQ(at, kK);
  // The same of a memory that is whole, under the mask of one step.
  TransformerDecoder::State all = decoder.start(source);
  for (Index t = 0; t < kQ; ++t) {
    const Mask seen = masks::wait_k({.wait = 2, .catch_up = 3, .first = t});
    const Tensor out = decoder.step(select(words, 1, t), all, {.mask = seen}).output;
    EXPECT_LT(difference(out, select(whole, 1, t)), 1e-12) << t;
  }
  TransformerDecoder::State masked = decoder.start(source, Mask::lengths({3}, kK));
  EXPECT_ERROR(ValueError,
               "transformer_decoder: only a memory of all layers, without a mask, reads on",
               decoder.read(source, masked));
}

TEST(Simultaneous, SaysWhatIsWrong) {
  const auto silent = [](Index, Index, bool) { return std::optional<Index>(); };
  Index left = 3;
  EXPECT_ERROR(ValueError, "write_while_reading: nothing was written though all 3 words were read",
               write_while_reading({.read = [&] { return left-- > 0; }, .write = silent}, kEnd, 4));
  EXPECT_ERROR(ValueError,
               "write_while_reading: somebody must read and write, up to a length that is not "
               "negative, not 4",
               write_while_reading({.read = nullptr, .write = silent}, kEnd, 4));
}

}  // namespace
}  // namespace heed::attention
