#include <cmath>

#include "../../../../autograd/ops/recurrent/gru.h"
#include "../../../../autograd/ops/recurrent/lstm.h"
#include "../../../../autograd/ops/recurrent/rnn.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Numbers = std::vector<double>;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double positive(double x) { return x > 0 ? x : 0; }

// One unit of a cell: its own number of W_ih x + b_ih and of W_hh h + b_hh for each gate, its
// states before.
using Unit = void (*)(const Numbers& from_x, const Numbers& from_h, double& h, double& c);

void tanh_unit(const Numbers& x, const Numbers& s, double& h, double&) {
  h = std::tanh(x[0] + s[0]);
}
void relu_unit(const Numbers& x, const Numbers& s, double& h, double&) {
  h = positive(x[0] + s[0]);
}
void gru_unit(const Numbers& x, const Numbers& s, double& h, double&) {
  const double r = logistic(x[0] + s[0]);
  const double z = logistic(x[1] + s[1]);
  h = (1 - z) * std::tanh(x[2] + r * s[2]) + z * h;
}
void lstm_unit(const Numbers& x, const Numbers& s, double& h, double& c) {
  c = logistic(x[1] + s[1]) * c + logistic(x[0] + s[0]) * std::tanh(x[2] + s[2]);
  h = logistic(x[3] + s[3]) * std::tanh(c);
}

// What is called: all results, one after the other.
using Layer = Tensor (*)(const Tensor& x, const LstmState& start,
                         const std::vector<RnnWeights>& directions,
                         const std::vector<Index>& lengths);

Tensor joined(const RnnResult& result) {
  return concat({flatten(result.output), flatten(result.h_n)});
}
Tensor joined(const LstmResult& result) {
  return concat({flatten(result.output), flatten(result.h_n), flatten(result.c_n)});
}

struct Cell {
  Index gates, states;
  Unit unit;
};
constexpr Cell kTanh{1, 1, tanh_unit}, kRelu{1, 1, relu_unit}, kGru{3, 1, gru_unit},
    kLstm{4, 2, lstm_unit};

struct Form {
  const char* name;
  Index batch = 2, steps = 3, width = 2, hidden = 2;
  Index directions = 1;
  bool bias = true, start = true;
  std::vector<Index> lengths = {};

  std::vector<Input> inputs(const Cell& cell) const {
    std::vector<Input> all = {in({batch, steps, width})};
    if (start) {
      for (Index i = 0; i < cell.states; ++i) all.push_back(in({directions, batch, hidden}));
    }
    for (Index d = 0; d < directions; ++d) {
      all.push_back(in({cell.gates * hidden, width}));
      all.push_back(in({cell.gates * hidden, hidden}));
      if (bias) all.insert(all.end(), 2, in({cell.gates * hidden}));
    }
    return all;
  }
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {.name = "one direction"},
      {.name = "no start", .start = false},
      {.name = "no biases", .bias = false},
      {.name = "lengths", .lengths = {1, 3}},
      {.name = "two directions", .steps = 2, .directions = 2},
      {.name = "two directions, lengths", .directions = 2, .lengths = {3, 2}},
      {.name = "a row of no steps", .steps = 2, .directions = 2, .start = false, .lengths = {0, 2}},
      {.name = "one step of one row", .batch = 1, .steps = 1, .width = 1, .hidden = 1},
      {.name = "no rows", .batch = 0},
      {.name = "no steps", .steps = 0}};
  return all;
}

Tensor called(Layer layer, const Cell& cell, const Form& form, X x) {
  auto next = x.begin() + 1;
  LstmState start;
  if (form.start) start.h = *next++;
  if (form.start && cell.states == 2) start.c = *next++;
  std::vector<RnnWeights> directions(static_cast<std::size_t>(form.directions));
  for (RnnWeights& weights : directions) {
    weights.w_ih = *next++;
    weights.w_hh = *next++;
    if (!form.bias) continue;
    weights.b_ih = *next++;
    weights.b_hh = *next++;
  }
  return layer(x[0], start, directions, form.lengths);
}

// One row of the batch at a time, one unit at a time.
Block in_loops(const Cell& cell, const Form& form, B x) {
  const Index H = form.hidden;
  const auto nothing = [](const Place&) { return 0.0; };
  Block output({form.batch, form.steps, form.directions * H}, nothing);
  Blocks last(static_cast<std::size_t>(cell.states),
              Block({form.directions, form.batch, H}, nothing));
  auto next = x.begin() + (form.start ? 1 + cell.states : 1);
  for (Index d = 0; d < form.directions; ++d) {
    const Block& w_ih = *next++;
    const Block& w_hh = *next++;
    const Block none({cell.gates * H}, nothing);
    const Block& b_ih = form.bias ? *next++ : none;
    const Block& b_hh = form.bias ? *next++ : none;
    for (Index b = 0; b < form.batch; ++b) {
      Numbers h, c;
      for (Index j = 0; j < H; ++j) {
        h.push_back(form.start ? x[1]({d, b, j}) : 0);
        c.push_back(form.start && cell.states == 2 ? x[2]({d, b, j}) : 0);
      }
      const Index length =
          form.lengths.empty() ? form.steps : form.lengths[static_cast<std::size_t>(b)];
      for (Index step = 0; step < length; ++step) {
        const Index t = d == 0 ? step : length - 1 - step;
        const Numbers before = h;
        for (Index j = 0; j < H; ++j) {
          Numbers from_x, from_h;
          for (Index row = j; row < cell.gates * H; row += H) {
            from_x.push_back(b_ih({row}));
            from_h.push_back(b_hh({row}));
            for (Index i = 0; i < form.width; ++i)
              from_x.back() += w_ih({row, i}) * x[0]({b, t, i});
            for (Index i = 0; i < H; ++i) {
              from_h.back() += w_hh({row, i}) * before[static_cast<std::size_t>(i)];
            }
          }
          const auto at = static_cast<std::size_t>(j);
          cell.unit(from_x, from_h, h[at], c[at]);
          output.at({b, t, d * H + j}) = h[at];
        }
      }
      for (Index j = 0; j < H; ++j) {
        last[0].at({d, b, j}) = h[static_cast<std::size_t>(j)];
        if (cell.states == 2) last[1].at({d, b, j}) = c[static_cast<std::size_t>(j)];
      }
    }
  }
  Numbers values = output.values();
  for (const Block& state : last) {
    values.insert(values.end(), state.values().begin(), state.values().end());
  }
  return {{static_cast<Index>(values.size())}, values};
}

Sample sample_of(const std::string& name, Layer layer, const Cell& cell, const Form& form) {
  return sample(
      name, form.inputs(cell), [=](X x) { return called(layer, cell, form, x); },
      [=](B x) { return in_loops(cell, form, x); });
}

// What a right call takes, for a wrong one to change; 3 inputs of width 5, states of width 2.
struct Arguments {
  explicit Arguments(Index gates)
      : weights{of(gates * 2, 5), of(gates * 2, 2), of(gates * 2), of(gates * 2)} {}
  Tensor x = of(2, 3, 5);
  LstmState start;
  RnnWeights weights;
  std::vector<Index> lengths;
};

std::vector<BadCall> bad_layers(const std::string& op, Layer layer, Index gates) {
  std::vector<BadCall> all;
  const auto wrong = [&]<class E>(E*, const std::string& text, void (*change)(Arguments&)) {
    all.push_back(bad<E>(op + ": " + text, [=] {
      Arguments arguments(gates);
      change(arguments);
      layer(arguments.x, arguments.start, {arguments.weights}, arguments.lengths);
    }));
  };
  ShapeError* const shape = nullptr;
  DTypeError* const dtype = nullptr;
  ValueError* const value = nullptr;
  GradError* const grad = nullptr;
  const std::string rows = std::to_string(2 * gates);
  const std::string square = gates == 1 ? "[H, H]" : "[" + std::to_string(gates) + " H, H]";
  wrong(shape, "x must be [B, T, I], not f32[3, 5]", [](Arguments& a) { a.x = of(3, 5); });
  wrong(grad, "x is undefined", [](Arguments& a) { a.x = Tensor(); });
  wrong(dtype, "takes f32 or f64, not i64", [](Arguments& a) { a.x = of<DType::i64>(2, 3, 5); });
  wrong(shape, "w_hh must be " + square + " with H > 0, not f32[5, 2]",
        [](Arguments& a) { a.weights.w_hh = of(5, 2); });
  wrong(shape, "w_hh must be " + square + " with H > 0, not f32[0, 0]",
        [](Arguments& a) { a.weights.w_hh = of(0, 0); });
  wrong(grad, "w_hh is undefined", [](Arguments& a) { a.weights.w_hh = Tensor(); });
  wrong(shape, "w_ih must be [" + rows + ", 5]", [](Arguments& a) { a.weights.w_ih = of(6, 3); });
  wrong(grad, "w_ih is undefined", [](Arguments& a) { a.weights.w_ih = Tensor(); });
  wrong(shape, "b_ih must be [" + rows + "]", [](Arguments& a) { a.weights.b_ih = of(7); });
  wrong(dtype, "b_hh is f64[" + rows + "] for x f32[2, 3, 5]",
        [](Arguments& a) { a.weights.b_hh = zeros(a.weights.b_hh.shape(), DType::f64); });
  wrong(shape, "h0 must be [1, 2, 2]", [](Arguments& a) { a.start.h = of(2, 2); });
  wrong(shape, "3 lengths for x f32[2, 3, 5]", [](Arguments& a) { a.lengths = {1, 2, 3}; });
  wrong(value, "length 4 at 1 is not in [0, 3]", [](Arguments& a) { a.lengths = {3, 4}; });
  wrong(value, "length -1 at 0 is not in [0, 3]", [](Arguments& a) { a.lengths = {-1, 3}; });
  // Expanded, it takes no memory; what would come out does.
  all.push_back(bad<OutOfMemory>("allocate:", [=] {
    const Arguments a(gates);
    layer(expand(of(1, 1, 5), Shape{2, Index{1} << 50, 5}), {}, {a.weights}, {});
  }));
  all.push_back(
      BAD(ValueError, op + ": directions must be 1 or 2, not 0", layer(of(2, 3, 5), {}, {}, {})));
  return all;
}

Row layer_row(Op op, const Cell& cell, Layer fused, Layer plain) {
  Row row{op, {}, bad_layers(name(op), fused, cell.gates)};
  for (const Form& form : forms()) row.samples.push_back(sample_of(form.name, fused, cell, form));
  const Form both{.name = "plain", .directions = 2, .lengths = {3, 1}};
  row.samples.push_back(sample_of(both.name, plain, cell, both));
  // A hundred numbers go into each sample and as many derive from them: some of every input must
  // do.
  row.gradcheck.max_elements = 6;
  return row;
}

Row gru_row() {
  return layer_row(
      Op::gru, kGru,
      [](const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
         const std::vector<Index>& lengths) {
        return joined(gru(x, start.h, directions, lengths));
      },
      [](const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
         const std::vector<Index>& lengths) {
        return joined(gru_plain(x, start.h, directions, lengths));
      });
}

Row lstm_row() {
  const Layer fused =
      [](const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
         const std::vector<Index>& lengths) { return joined(lstm(x, start, directions, lengths)); };
  return with(
      layer_row(Op::lstm, kLstm, fused,
                [](const Tensor& x, const LstmState& start,
                   const std::vector<RnnWeights>& directions, const std::vector<Index>& lengths) {
                  return joined(lstm_plain(x, start, directions, lengths));
                }),
      {}, {bad<ShapeError>("lstm: c0 must be [1, 2, 2]", [=] {
        const Arguments a(4);
        fused(a.x, {Tensor(), of(1, 2, 3)}, {a.weights}, {});
      })});
}

template <Nonlinearity nonlinearity>
Tensor rnn_layer(const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
                 const std::vector<Index>& lengths) {
  return joined(rnn(x, start.h, directions, lengths, nonlinearity));
}
template <Nonlinearity nonlinearity>
Tensor rnn_plain_layer(const Tensor& x, const LstmState& start,
                       const std::vector<RnnWeights>& directions,
                       const std::vector<Index>& lengths) {
  return joined(rnn_plain(x, start.h, directions, lengths, nonlinearity));
}

Row rnn_row() {
  constexpr Nonlinearity relu = Nonlinearity::relu;
  const Form both{.name = "relu, two directions", .directions = 2, .lengths = {3, 2}};
  return with(
      layer_row(Op::rnn, kTanh, rnn_layer<Nonlinearity::tanh>, rnn_plain_layer<Nonlinearity::tanh>),
      {sample_of("relu", rnn_layer<relu>, kRelu, {.name = ""}),
       sample_of("relu, two directions", rnn_layer<relu>, kRelu, both),
       sample_of("relu, plain", rnn_plain_layer<relu>, kRelu, both)});
}

// The cells as layers of one step and one direction; x [B, 1, I], states [1, B, H].
Tensor one(const Tensor& states) { return states.defined() ? select(states, 0, 0) : states; }

template <Nonlinearity nonlinearity>
Tensor rnn_once(const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
                const std::vector<Index>&) {
  const Tensor h = rnn_cell(select(x, 1, 0), one(start.h), directions[0], nonlinearity);
  return concat({flatten(h), flatten(h)});
}
Tensor gru_once(const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
                const std::vector<Index>&) {
  const Tensor h = gru_cell(select(x, 1, 0), one(start.h), directions[0]);
  return concat({flatten(h), flatten(h)});
}
Tensor lstm_once(const Tensor& x, const LstmState& start, const std::vector<RnnWeights>& directions,
                 const std::vector<Index>&) {
  const LstmState next = lstm_cell(select(x, 1, 0), {one(start.h), one(start.c)}, directions[0]);
  return concat({flatten(next.h), flatten(next.h), flatten(next.c)});
}

using Step = void (*)(const Tensor& x, const LstmState& state, const RnnWeights& weights);

Row cell_row(const char* op, const Cell& cell, Layer once, Step step) {
  const Index gates = cell.gates;
  const std::string rows = std::to_string(2 * gates), name = std::string(op) + ": ";
  const auto wrong = [=](const Tensor& x, const LstmState& state, const RnnWeights& weights) {
    return [=] { step(x, state, weights); };
  };
  const RnnWeights right = Arguments(gates).weights;
  const auto changed = [&](Tensor RnnWeights::*which, const Tensor& to) {
    RnnWeights weights = right;
    weights.*which = to;
    return weights;
  };
  const Tensor x = of(3, 5);
  Row row{
      op,
      {},
      {bad<ShapeError>(name + "x must be [B, I], not f32[5]", wrong(of(5), {}, right)),
       bad<GradError>(name + "x is undefined", wrong({}, {}, right)),
       bad<DTypeError>(name + "takes f32 or f64, not i64", wrong(of<DType::i64>(3, 5), {}, right)),
       bad<GradError>(name + "w_hh is undefined", wrong(x, {}, changed(&RnnWeights::w_hh, {}))),
       bad<ShapeError>(name + "w_hh must be",
                       wrong(x, {}, changed(&RnnWeights::w_hh, of(2 * gates, 3)))),
       bad<ShapeError>(name + "w_ih must be [" + rows + ", 5] for x f32[3, 5]",
                       wrong(x, {}, changed(&RnnWeights::w_ih, of(2 * gates, 7)))),
       bad<DTypeError>(name + "b_ih is f64[" + rows + "] for x f32[3, 5]",
                       wrong(x, {}, changed(&RnnWeights::b_ih, of<DType::f64>(2 * gates)))),
       bad<ShapeError>(name + "b_hh must be [" + rows + "]",
                       wrong(x, {}, changed(&RnnWeights::b_hh, of(1)))),
       bad<ShapeError>(name + "h must be [3, 2] for x f32[3, 5], not f32[2, 2]",
                       wrong(x, {of(2, 2), {}}, right))}};
  for (const Form& form : {Form{.name = "all", .steps = 1, .width = 3},
                           Form{.name = "no start", .steps = 1, .start = false},
                           Form{.name = "no biases", .steps = 1, .bias = false},
                           Form{.name = "wide", .batch = 1, .steps = 1, .width = 1, .hidden = 3},
                           Form{.name = "no rows", .batch = 0, .steps = 1}}) {
    row.samples.push_back(sample_of(form.name, once, cell, form));
  }
  row.gradcheck.max_elements = 6;  // as for the layers
  return row;
}

}  // namespace

std::vector<Row> recurrent_rows() {
  constexpr Nonlinearity tanh = Nonlinearity::tanh, relu = Nonlinearity::relu;
  const Form form{.name = "relu", .batch = 3, .steps = 1};
  return {rnn_row(),
          gru_row(),
          lstm_row(),
          with(cell_row("rnn_cell", kTanh, rnn_once<tanh>,
                        [](const Tensor& x, const LstmState& state, const RnnWeights& weights) {
                          rnn_cell(x, state.h, weights);
                        }),
               {sample_of(form.name, rnn_once<relu>, kRelu, form)}),
          cell_row("gru_cell", kGru, gru_once,
                   [](const Tensor& x, const LstmState& state, const RnnWeights& weights) {
                     gru_cell(x, state.h, weights);
                   }),
          with(cell_row("lstm_cell", kLstm, lstm_once,
                        [](const Tensor& x, const LstmState& state, const RnnWeights& weights) {
                          lstm_cell(x, state, weights);
                        }),
               {},
               {BAD(ShapeError, "lstm_cell: c must be [2, 2]",
                    lstm_cell(of(2, 5), {Tensor(), of(2, 3)}, Arguments(4).weights))})};
}

}  // namespace heed::table
