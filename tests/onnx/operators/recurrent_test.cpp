// Against the equations of ONNX's own page, a step and a number at a time.
#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxRecurrent = SeededTest<43>;
constexpr Index kSteps = 5, kBatch = 3, kInput = 2, kHidden = 7;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

struct Case {
  std::string op = {};
  Index gates = 1;
  std::string direction = "forward";
  bool bias = true, start = false, layout = false, relu = false, before_reset = true;
  Ints lengths = {};

  Index directions() const { return direction == "bidirectional" ? 2 : 1; }
};

struct Plain {
  Tensor x, w, r, b, h0, c0;  // as the node has them, time first
  Tensor y, y_h, y_c;

  Plain(const Case& c, const Tensor& given_x, const std::vector<Tensor>& rest)
      : x(given_x), w(rest[0]), r(rest[1]), b(rest[2]), h0(rest[3]), c0(rest[4]) {
    const Index d = c.directions();
    std::vector<double> out(static_cast<std::size_t>(kSteps * d * kBatch * kHidden), 0), hs, cs;
    for (Index dir = 0; dir < d; ++dir) {
      const bool backward = c.direction == "reverse" || dir == 1;
      for (Index n = 0; n < kBatch; ++n) {
        std::vector<double> h(kHidden, 0), cell(kHidden, 0);
        for (std::size_t k = 0; k < kHidden && h0.defined(); ++k) {
          h[k] = at(h0, {dir, n, static_cast<Index>(k)});
          if (c0.defined()) cell[k] = at(c0, {dir, n, static_cast<Index>(k)});
        }
        const Index length = c.lengths.empty() ? kSteps : c.lengths[static_cast<std::size_t>(n)];
        for (Index i = 0; i < length; ++i) {
          const Index t = backward ? length - 1 - i : i;
          step(c, dir, n, t, h, cell);
          for (Index k = 0; k < kHidden; ++k)
            out[static_cast<std::size_t>(((t * d + dir) * kBatch + n) * kHidden + k)] =
                h[static_cast<std::size_t>(k)];
        }
        hs.insert(hs.end(), h.begin(), h.end());
        cs.insert(cs.end(), cell.begin(), cell.end());
      }
    }
    y = Tensor(Array::from(out, {kSteps, d, kBatch, kHidden}));
    y_h = Tensor(Array::from(hs, {d, kBatch, kHidden}));
    y_c = Tensor(Array::from(cs, {d, kBatch, kHidden}));
  }

 private:
  double from_x(Index dir, Index n, Index t, Index row, bool bias) const {
    double sum = bias && b.defined() ? at(b, {dir, row}) : 0;
    for (Index i = 0; i < kInput; ++i) sum += at(w, {dir, row, i}) * at(x, {t, n, i});
    return sum;
  }
  double from_h(Index dir, Index row, Index gates, const std::vector<double>& h) const {
    double sum = b.defined() ? at(b, {dir, gates * kHidden + row}) : 0;
    for (Index i = 0; i < kHidden; ++i)
      sum += at(r, {dir, row, i}) * h[static_cast<std::size_t>(i)];
    return sum;
  }
  void step(const Case& c, Index dir, Index n, Index t, std::vector<double>& h,
            std::vector<double>& cell) const {
    const std::vector<double> old = h, old_cell = cell;
    const auto gate = [&](Index g, Index k) {
      return from_x(dir, n, t, g * kHidden + k, true) + from_h(dir, g * kHidden + k, c.gates, old);
    };
    std::vector<double> reset(kHidden);
    for (Index k = 0; k < kHidden && c.op == "GRU"; ++k)
      reset[static_cast<std::size_t>(k)] = logistic(gate(1, k)) * old[static_cast<std::size_t>(k)];
    for (Index k = 0; k < kHidden; ++k) {
      const auto at_k = static_cast<std::size_t>(k);
      if (c.op == "RNN") {
        h[at_k] = c.relu ? std::max(gate(0, k), 0.0) : std::tanh(gate(0, k));
      } else if (c.op == "GRU") {  // z, r, h
        const double z = logistic(gate(0, k)), row = from_x(dir, n, t, 2 * kHidden + k, true);
        const double own =
            c.before_reset
                ? std::tanh(row + logistic(gate(1, k)) * from_h(dir, 2 * kHidden + k, 3, old))
                : std::tanh(row + from_h(dir, 2 * kHidden + k, 3, reset));
        h[at_k] = (1 - z) * own + z * old[at_k];
      } else {  // i, o, f, c
        cell[at_k] =
            logistic(gate(2, k)) * old_cell[at_k] + logistic(gate(0, k)) * std::tanh(gate(3, k));
        h[at_k] = logistic(gate(1, k)) * std::tanh(cell[at_k]);
      }
    }
  }
};

void check(const Case& c) {
  const Index d = c.directions();
  const Tensor x = random({kSteps, kBatch, kInput});
  const std::vector<Tensor> rest = {
      random({d, c.gates * kHidden, kInput}), random({d, c.gates * kHidden, kHidden}),
      c.bias ? random({d, 2 * c.gates * kHidden}) : Tensor(),
      c.start ? random({d, kBatch, kHidden}) : Tensor(),
      c.start && c.op == "LSTM" ? random({d, kBatch, kHidden}) : Tensor()};
  const Plain plain(c, x, rest);
  std::vector<Attribute> attributes = {{"hidden_size", Index{kHidden}}, {"direction", c.direction}};
  if (c.layout) attributes.push_back({"layout", std::int64_t{1}});
  if (c.op == "GRU") attributes.push_back({"linear_before_reset", std::int64_t{c.before_reset}});
  if (c.relu)
    attributes.push_back(
        {"activations", std::vector<std::string>(static_cast<std::size_t>(d), "Relu")});
  const auto turn = [&](const Tensor& of) {
    return of.defined() && c.layout ? of.transpose(0, 1) : of;
  };
  std::vector<Tensor> in = {
      turn(x),      rest[0], rest[1], rest[2], c.lengths.empty() ? Tensor() : ints(c.lengths),
      turn(rest[3])};
  if (c.op == "LSTM") in.push_back(turn(rest[4]));
  const auto out =
      OneNode{.op = c.op, .attributes = attributes, .results = c.op == "LSTM" ? 3U : 2U}.all(in);
  const std::string what = c.op + " " + c.direction;
  EXPECT_LT(difference(c.layout ? out[0].permute({1, 2, 0, 3}) : out[0], plain.y), 1e-13) << what;
  EXPECT_LT(difference(turn(out[1]), plain.y_h), 1e-13) << what;
  if (c.op == "LSTM") {
    EXPECT_LT(difference(turn(out[2]), plain.y_c), 1e-13) << what;
  }
}

TEST_F(OnnxRecurrent, EachLayerInEachDirection) {
  for (const Case& each :
       {Case{.op = "RNN"}, Case{.op = "RNN", .relu = true}, Case{.op = "GRU", .gates = 3},
        Case{.op = "GRU", .gates = 3, .before_reset = false}, Case{.op = "LSTM", .gates = 4}})
    for (const char* const direction : {"forward", "reverse", "bidirectional"})
      for (const Ints& lengths : {Ints{}, Ints{3, 5, 1}})
        for (const bool start : {false, true}) {
          Case own = each;
          own.direction = direction;
          own.lengths = lengths;
          own.start = start;
          own.bias = start || lengths.empty();
          own.layout = start && lengths.empty();
          check(own);
        }
}

TEST_F(OnnxRecurrent, RefuseWhatTheyDoNotKnow) {
  const Tensor x = random({kSteps, kBatch, kInput}), w = random({1, 4 * kHidden, kInput}),
               r = random({1, 4 * kHidden, kHidden});
  const auto with = [&](std::vector<Attribute> more) {
    more.push_back({"hidden_size", Index{kHidden}});
    return OneNode{"LSTM", more}(x, w, r);
  };
  EXPECT_ERROR_WITH(FormatError, "attribute clip is not supported", with({{"clip", 1.0F}}));
  EXPECT_ERROR_WITH(FormatError, "attribute input_forget = 1 is not supported",
                    with({{"input_forget", std::int64_t{1}}}));
  EXPECT_ERROR_WITH(FormatError, "attribute activations: Relu at 1 is not supported",
                    with({{"activations", std::vector<std::string>{"Sigmoid", "Relu", "Tanh"}}}));
  EXPECT_ERROR_WITH(FormatError, "attribute direction = \"up\" is not supported",
                    with({{"direction", std::string("up")}}));
  EXPECT_ERROR_WITH(FormatError, "activation_alpha and activation_beta",
                    with({{"activation_alpha", std::vector<float>{1}}}));
  EXPECT_ERROR_WITH(FormatError, "attribute hidden_size is missing", OneNode{"LSTM"}(x, w, r));
  const OneNode node{"LSTM", {{"hidden_size", Index{kHidden}}}};
  EXPECT_ERROR_WITH(FormatError, "peepholes are not supported",
                    node(x, w, r, Tensor(), Tensor(), Tensor(), Tensor(), w));
  EXPECT_ERROR_WITH(ShapeError, "LSTM \"y0\": R must be [1, 28, 7], not f64[1, 28, 2]",
                    node(x, w, w));
  EXPECT_ERROR_WITH(ShapeError, "B must be [1, 56]", node(x, w, r, random({1, 28})));
  EXPECT_ERROR_WITH(ShapeError, "initial_h must be [1, 3, 7]",
                    node(x, w, r, Tensor(), Tensor(), random({1, 7, 3})));
  EXPECT_ERROR_WITH(ShapeError, "X must have three axes", node(random({3, 2}), w, r));
  EXPECT_ERROR_WITH(Error, "LSTM \"y0\"", node(x, w, r, Tensor(), ints({1, 9, 2})));
}

// Also of a GRU whose reset gate comes first, which has no operator.
TEST_F(OnnxRecurrent, LengthsAreThoseOfTheRows) {
  const Tensor x = random({kSteps, kBatch, kInput});
  for (const auto& [op, gates] :
       {std::pair<const char*, Index>{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
    const Tensor w = random({1, gates * kHidden, kInput}),
                 r = random({1, gates * kHidden, kHidden});
    const OneNode node{op, {{"hidden_size", Index{kHidden}}}};
    EXPECT_ERROR_WITH(ValueError, "sequence_lens has 9, not in [0, 5]",
                      node(x, w, r, Tensor(), ints({1, 9, 2})));
    EXPECT_ERROR_WITH(ValueError, "sequence_lens has -1, not in [0, 5]",
                      node(x, w, r, Tensor(), ints({-1, 5, 2})));
    EXPECT_ERROR_WITH(ShapeError, "sequence_lens has 2 lengths for 3 rows",
                      node(x, w, r, Tensor(), ints({1, 2})));
  }
}

}  // namespace
}  // namespace heed::onnx
