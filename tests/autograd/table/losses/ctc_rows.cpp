#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/losses/ctc_loss.h"
#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;

struct Form {
  std::string name;
  Index steps = 4, rows = 2, classes = 3;
  std::vector<std::vector<Index>> targets = {{1, 2}, {2}};
  std::vector<Index> lengths = {};  // none: all steps
  CtcLossOptions options = {};
  bool joined = false;
  bool plain = false;

  std::vector<Index> input_lengths() const {
    return lengths.empty() ? std::vector<Index>(static_cast<std::size_t>(rows), steps) : lengths;
  }
};

// Labels of an alignment: repeats merged, then blanks dropped.
std::vector<Index> collapsed(const std::vector<Index>& path, Index blank) {
  std::vector<Index> out;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) out.push_back(path[t]);
  }
  return out;
}

// The definition: over every sequence of classes, one a step, that means the labels.
double loss_of(const Block& log_probs, Index row, Index steps, const std::vector<Index>& target,
               Index blank) {
  const Index classes = log_probs.size(2);
  std::vector<Index> path(static_cast<std::size_t>(steps), 0);
  double probability = 0;
  while (true) {
    if (collapsed(path, blank) == target) {
      double log_probability = 0;
      for (std::size_t t = 0; t < path.size(); ++t) {
        log_probability += log_probs({static_cast<Index>(t), row, path[t]});
      }
      probability += std::exp(log_probability);
    }
    std::size_t t = 0;
    while (t < path.size() && ++path[t] == classes) path[t++] = 0;
    if (t == path.size()) break;
  }
  return -std::log(probability);
}

Block enumerated(const Form& form, const Block& log_probs) {
  const auto lengths = form.input_lengths();
  std::vector<double> losses;
  double total = 0, mean = 0;
  for (std::size_t n = 0; n < form.targets.size(); ++n) {
    const auto& target = form.targets[n];
    double loss = loss_of(log_probs, static_cast<Index>(n), lengths[n], target, form.options.blank);
    if (form.options.zero_infinity && std::isinf(loss)) loss = 0;
    losses.push_back(loss);
    total += loss;
    mean += loss / static_cast<double>(target.empty() ? 1 : target.size());
  }
  if (form.options.reduction == Reduction::none) return Block({form.rows}, losses);
  if (form.options.reduction == Reduction::sum) return Block({}, std::vector<double>{total});
  return Block({}, std::vector<double>{mean / static_cast<double>(form.rows)});
}

Tensor called(const Form& form, const Tensor& log_probs) {
  std::vector<Index> labels, lengths;
  std::size_t width = 0;
  for (const auto& target : form.targets) width = std::max(width, target.size());
  for (const auto& target : form.targets) {
    labels.insert(labels.end(), target.begin(), target.end());
    lengths.push_back(static_cast<Index>(target.size()));
    // What lies past a row's labels may be anything.
    if (!form.joined) labels.insert(labels.end(), width - target.size(), -99);
  }
  const Tensor targets =
      form.joined ? ids(labels) : ids(labels, Shape{form.rows, static_cast<Index>(width)});
  return (form.plain ? ctc_loss_plain : ctc_loss)(log_probs, targets, form.input_lengths(), lengths,
                                                  form.options);
}

// What a right call takes, for a wrong one to change.
struct Arguments {
  Tensor log_probs = of(5, 2, 3), targets = ids({1, 2, 2, 1, 1, 1}, {2, 3});
  std::vector<Index> input_lengths = {5, 5}, target_lengths = {3, 1};
  CtcLossOptions options = {};
};

template <class E>
BadCall wrong(const std::string& text, void (*change)(Arguments&)) {
  return bad<E>("ctc_loss: " + text, [change] {
    Arguments a;
    change(a);
    ctc_loss(a.log_probs, a.targets, a.input_lengths, a.target_lengths, a.options);
  });
}

}  // namespace

std::vector<Row> ctc_rows() {
  const CtcLossOptions each{.reduction = Reduction::none};
  const std::vector<Form> forms = {
      {.name = "mean"},
      {.name = "sum", .options = {.reduction = Reduction::sum}},
      {.name = "none", .options = each},
      {.name = "lengths", .lengths = {3, 2}, .options = each},
      {.name = "repeated labels", .targets = {{1, 1}, {2, 2}}, .options = each},
      {.name = "another blank", .targets = {{0, 1}, {1, 0}}, .options = {.blank = 2}},
      {.name = "no labels", .steps = 3, .targets = {{}, {2}}, .options = each},
      {.name = "no labels at all", .steps = 3, .targets = {{}, {}}},
      {.name = "joined targets", .targets = {{1, 2}, {2}}, .joined = true},
      {.name = "no alignment",
       .steps = 2,
       .targets = {{1, 1}, {2}},
       .options = {.reduction = Reduction::none, .zero_infinity = true}},
      {.name = "a row of no steps",
       .steps = 2,
       .targets = {{}, {1}},
       .lengths = {0, 2},
       .options = each},
      {.name = "one row, one step", .steps = 1, .rows = 1, .targets = {{1}}},
      {.name = "no rows", .rows = 0, .targets = {}, .options = each},
      {.name = "plain", .targets = {{2, 1}, {1, 1}}, .lengths = {4, 3}, .plain = true},
      {.name = "plain, no alignment",
       .steps = 2,
       .targets = {{1, 1}, {}},
       .options = {.reduction = Reduction::sum, .zero_infinity = true},
       .plain = true}};
  Row row{
      Op::ctc_loss,
      {},
      {wrong<ShapeError>("log_probs must be [T, N, C] with C > 0, not f32[5, 3]",
                         [](Arguments& a) { a.log_probs = of(5, 3); }),
       wrong<ShapeError>("log_probs must be [T, N, C] with C > 0, not f32[5, 2, 0]",
                         [](Arguments& a) { a.log_probs = of(5, 2, 0); }),
       wrong<DTypeError>("takes f32 or f64, not i64",
                         [](Arguments& a) { a.log_probs = of<DType::i64>(5, 2, 3); }),
       wrong<DTypeError>("targets must be i64, not f32[2, 3]",
                         [](Arguments& a) { a.targets = of(2, 3); }),
       wrong<ShapeError>("targets must be [2, U] or [U], not i64[3, 2]",
                         [](Arguments& a) {
                           a.targets = ids({1, 1, 1, 1, 1, 1}, {3, 2});
                         }),
       wrong<ShapeError>("target_lengths do not sum to the size of targets i64[3]",
                         [](Arguments& a) { a.targets = ids(1, 2, 1); }),
       wrong<ShapeError>("1 input_lengths for 2 rows", [](Arguments& a) { a.input_lengths = {5}; }),
       wrong<ShapeError>("0 target_lengths for 2 rows",
                         [](Arguments& a) { a.target_lengths = {}; }),
       wrong<ValueError>("input_lengths: 6 at 1 is not in [0, 5]",
                         [](Arguments& a) {
                           a.input_lengths = {5, 6};
                         }),
       wrong<ValueError>("target_lengths: -1 at 0 is not in [0, 3]",
                         [](Arguments& a) {
                           a.target_lengths = {-1, 2};
                         }),
       wrong<ValueError>("blank 3 is not in [0, 3)", [](Arguments& a) { a.options.blank = 3; }),
       wrong<IndexError>("target 3 at [0, 1] is the blank or out of range [0, 3)",
                         [](Arguments& a) {
                           a.targets = ids({1, 3, 1, 1, 1, 1}, {2, 3});
                         }),
       wrong<IndexError>("target 0 at [1, 0] is the blank or out of range [0, 3)",
                         [](Arguments& a) {
                           a.targets = ids({1, 2, 1, 0, 1, 1}, {2, 3});
                         }),
       BAD(GradError, "ctc_loss: log_probs is undefined", ctc_loss(Tensor(), ids(1), {1}, {1})),
       BAD(GradError, "ctc_loss: targets is undefined",
           ctc_loss(of(5, 1, 3), Tensor(), {1}, {1}))}};
  // Both recursions run for every number that is moved: some of them must do.
  row.gradcheck.max_elements = 6;
  for (const Form& form : forms) {
    row.samples.push_back(sample(
        form.name, {in({form.steps, form.rows, form.classes})},
        [form](X x) { return called(form, x[0]); },
        [form](B x) { return enumerated(form, x[0]); }));
  }
  return {row};
}

}  // namespace heed::table
