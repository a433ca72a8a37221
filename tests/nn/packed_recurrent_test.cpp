// RNN, GRU and LSTM of a packed batch: the numbers of the padded one.
#include <gtest/gtest.h>

#include <vector>

#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/gru.h"
#include "../../nn/lstm.h"
#include "../../nn/rnn.h"
#include "../support/throws.h"
#include "recurrent.h"

namespace heed::nn {
namespace {

const std::vector<Index> kLengths = {2, 7, 0, 5};

Packed packed_batch(const Tensor& x) { return pack(x, kLengths); }

TEST(PackedRecurrentLayers, GiveThePaddedBatchsNumbers) {
  manual_seed(3);
  const Tensor x = randn({4, 11, 3}), h0 = randn({4, 4, 5}), c0 = randn({4, 4, 5});
  const Packed packed = packed_batch(x);
  const auto tokens = [](const Tensor& output) { return pack(output, kLengths).tokens; };
  const auto compare = [&](const RnnResult& found, const RnnResult& expected) {
    EXPECT_EQ(difference(found.output, tokens(expected.output)), 0);
    EXPECT_EQ(difference(found.h_n, expected.h_n), 0);
  };
  const GRU gru({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true});
  compare(gru(packed, h0), gru(x, kLengths, h0));
  compare(gru(packed), gru(x, kLengths));
  const RNN rnn({.input = 3,
                 .hidden = 5,
                 .layers = 2,
                 .nonlinearity = Nonlinearity::relu,
                 .bidirectional = true});
  compare(rnn(packed, h0), rnn(x, kLengths, h0));
  const LSTM lstm({.input = 3, .hidden = 5, .layers = 2, .bidirectional = true});
  const LstmResult found = lstm(packed, {h0, c0}), expected = lstm(x, kLengths, {h0, c0});
  compare({found.output, found.h_n}, {expected.output, expected.h_n});
  EXPECT_EQ(difference(found.c_n, expected.c_n), 0);
}

TEST(PackedRecurrentLayers, Gradcheck) {
  manual_seed(11);
  const LSTM lstm(
      {.input = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dtype = DType::f64});
  const Packed packed{randn({9, 2}, DType::f64), {0, 5, 5, 6, 9}};
  expect_gradients(lstm, [&] {
    const LstmResult result = lstm(packed);
    return std::vector<Tensor>{result.output, result.h_n, result.c_n};
  });
}

TEST(PackedRecurrentLayers, DropOutBetweenLayersInTrainingOnly) {
  manual_seed(5);
  GRU gru({.input = 3, .hidden = 17, .layers = 2, .dropout = 0.5});
  const Packed packed = packed_batch(randn({4, 7, 3}));
  EXPECT_GT(difference(gru(packed).output, gru(packed).output), 0);
  gru.eval();
  EXPECT_EQ(difference(gru(packed).output, gru(packed).output), 0);
}

TEST(PackedRecurrentLayers, SayWhatIsWrong) {
  const GRU gru({.input = 3, .hidden = 5});
  EXPECT_ERROR(ShapeError, "gru: offsets end at 5, tokens are f32[7, 3]",
               gru(Packed{randn({7, 3}), {0, 2, 5}}));
  EXPECT_ERROR(ValueError, "gru: offsets must begin at 0; none came",
               gru(Packed{randn({7, 3}), {}}));
  const LSTM lstm({.input = 3, .hidden = 5});
  EXPECT_ERROR(ShapeError, "lstm: h0 must be [1, 2, 5] for x f32[7, 3], not f32[1, 3, 5]",
               lstm(Packed{randn({7, 3}), {0, 2, 7}}, {randn({1, 3, 5}), Tensor()}));
}

}  // namespace
}  // namespace heed::nn
