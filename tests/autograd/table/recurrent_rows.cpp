#include <cmath>

#include "../../../autograd/ops/gru.h"
#include "../../../autograd/ops/shape.h"
#include "../../../core/error.h"
#include "table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;

struct Form {
  const char* name;
  Index batch = 2, steps = 3, width = 2, hidden = 2;
  Index directions = 1;
  bool bias = true, start = true;
  std::vector<Index> lengths = {};
  GruResult (*call)(const Tensor&, const Tensor&, const std::vector<GruWeights>&,
                    const std::vector<Index>&) = gru;

  std::vector<Input> inputs() const {
    std::vector<Input> all = {in({batch, steps, width})};
    if (start) all.push_back(in({directions, batch, hidden}));
    for (Index d = 0; d < directions; ++d) {
      all.push_back(in({3 * hidden, width}));
      all.push_back(in({3 * hidden, hidden}));
      if (bias) all.insert(all.end(), 2, in({3 * hidden}));
    }
    return all;
  }
};

// Both results, one after the other.
Tensor called(const Form& form, X x) {
  auto next = x.begin() + 1;
  const Tensor h0 = form.start ? *next++ : Tensor();
  std::vector<GruWeights> directions(static_cast<std::size_t>(form.directions));
  for (GruWeights& weights : directions) {
    weights.w_ih = *next++;
    weights.w_hh = *next++;
    if (!form.bias) continue;
    weights.b_ih = *next++;
    weights.b_hh = *next++;
  }
  const GruResult result = form.call(x[0], h0, directions, form.lengths);
  return concat({flatten(result.output), flatten(result.h_n)});
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// One row of the batch at a time, one unit at a time.
Block in_loops(const Form& form, B x) {
  const Index H = form.hidden;
  Block output({form.batch, form.steps, form.directions * H}, [](const Place&) { return 0.0; });
  Block last({form.directions, form.batch, H}, [](const Place&) { return 0.0; });
  auto next = x.begin() + (form.start ? 2 : 1);
  for (Index d = 0; d < form.directions; ++d) {
    const Block& w_ih = *next++;
    const Block& w_hh = *next++;
    const Block none({3 * H}, [](const Place&) { return 0.0; });
    const Block& b_ih = form.bias ? *next++ : none;
    const Block& b_hh = form.bias ? *next++ : none;
    for (Index b = 0; b < form.batch; ++b) {
      std::vector<double> h;
      for (Index j = 0; j < H; ++j) h.push_back(form.start ? x[1]({d, b, j}) : 0);
      const Index length =
          form.lengths.empty() ? form.steps : form.lengths[static_cast<std::size_t>(b)];
      for (Index step = 0; step < length; ++step) {
        const Index t = d == 0 ? step : length - 1 - step;
        const auto from_input = [&](Index row) {
          double total = b_ih({row});
          for (Index i = 0; i < form.width; ++i) total += w_ih({row, i}) * x[0]({b, t, i});
          return total;
        };
        const auto from_state = [&](Index row) {
          double total = b_hh({row});
          for (Index i = 0; i < H; ++i) total += w_hh({row, i}) * h[static_cast<std::size_t>(i)];
          return total;
        };
        std::vector<double> after;
        for (Index j = 0; j < H; ++j) {
          const double r = logistic(from_input(j) + from_state(j));
          const double z = logistic(from_input(H + j) + from_state(H + j));
          const double n = std::tanh(from_input(2 * H + j) + r * from_state(2 * H + j));
          after.push_back((1 - z) * n + z * h[static_cast<std::size_t>(j)]);
          output.at({b, t, d * H + j}) = after.back();
        }
        h = after;
      }
      for (Index j = 0; j < H; ++j) last.at({d, b, j}) = h[static_cast<std::size_t>(j)];
    }
  }
  std::vector<double> values = output.values();
  values.insert(values.end(), last.values().begin(), last.values().end());
  return {{static_cast<Index>(values.size())}, values};
}

// What a right call takes, for a wrong one to change.
struct Arguments {
  Tensor x = of(2, 3, 5), h0;
  GruWeights weights{of(6, 5), of(6, 2), of(6), of(6)};
  std::vector<Index> lengths;
};

template <class E>
BadCall wrong(const std::string& text, void (*change)(Arguments&)) {
  return bad<E>("gru: " + text, [change] {
    Arguments arguments;
    change(arguments);
    gru(arguments.x, arguments.h0, {arguments.weights}, arguments.lengths);
  });
}

}  // namespace

std::vector<Row> recurrent_rows() {
  const std::vector<Form> forms = {
      {.name = "one direction"},
      {.name = "no start", .start = false},
      {.name = "no biases", .bias = false},
      {.name = "lengths", .lengths = {1, 3}},
      {.name = "two directions", .steps = 2, .directions = 2},
      {.name = "two directions, lengths", .directions = 2, .lengths = {3, 2}},
      {.name = "a row of no steps", .steps = 2, .directions = 2, .start = false, .lengths = {0, 2}},
      {.name = "one step of one row", .batch = 1, .steps = 1, .width = 1, .hidden = 1},
      {.name = "no rows", .batch = 0},
      {.name = "no steps", .steps = 0},
      {.name = "plain", .directions = 2, .lengths = {3, 1}, .call = gru_plain}};
  Row row{
      Op::gru,
      {},
      {wrong<ShapeError>("x must be [B, T, I], not f32[3, 5]",
                         [](Arguments& a) { a.x = of(3, 5); }),
       wrong<ShapeError>("x must be [B, T, I], not undefined",
                         [](Arguments& a) { a.x = Tensor(); }),
       wrong<DTypeError>("takes f32 or f64, not i64",
                         [](Arguments& a) { a.x = of<DType::i64>(2, 3, 5); }),
       wrong<ShapeError>("w_hh must be [3 H, H] with H > 0, not f32[5, 2]",
                         [](Arguments& a) { a.weights.w_hh = of(5, 2); }),
       wrong<ShapeError>("w_hh must be [3 H, H] with H > 0, not f32[0, 0]",
                         [](Arguments& a) { a.weights.w_hh = of(0, 0); }),
       wrong<ShapeError>("w_ih must be [6, 5]", [](Arguments& a) { a.weights.w_ih = of(6, 3); }),
       wrong<ShapeError>("w_ih must be [6, 5]", [](Arguments& a) { a.weights.w_ih = Tensor(); }),
       wrong<DTypeError>("b_ih is f64[6] for x f32[2, 3, 5]",
                         [](Arguments& a) { a.weights.b_ih = of<DType::f64>(6); }),
       wrong<ShapeError>("h0 must be [1, 2, 2]", [](Arguments& a) { a.h0 = of(2, 2); }),
       wrong<ShapeError>("3 lengths for x f32[2, 3, 5]",
                         [](Arguments& a) {
                           a.lengths = {1, 2, 3};
                         }),
       wrong<ValueError>("length 4 at 1 is not in [0, 3]",
                         [](Arguments& a) {
                           a.lengths = {3, 4};
                         }),
       wrong<ValueError>("length -1 at 0 is not in [0, 3]",
                         [](Arguments& a) {
                           a.lengths = {-1, 3};
                         }),
       bad<ValueError>("gru: directions must be 1 or 2, not 0",
                       [] { gru(of(2, 3, 5), Tensor(), {}); })}};
  // A hundred numbers go into each sample and as many derive from them: some of every input must
  // do.
  row.gradcheck.max_elements = 6;
  for (const Form& form : forms) {
    row.samples.push_back(sample(
        form.name, form.inputs(), [form](X x) { return called(form, x); },
        [form](B x) { return in_loops(form, x); }));
  }
  return {row};
}

}  // namespace heed::table
