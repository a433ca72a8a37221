#include "neural_programmer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/losses/regression_losses.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "NeuralProgrammer";
constexpr auto kCount = static_cast<Index>(kTableOperations.size());
enum : Index { kSum, kCounting, kDifference, kGreater, kLesser, kAnd, kOr, kAssign, kReset };

const NeuralProgrammerOptions& checked(const NeuralProgrammerOptions& o) {
  if (o.vocabulary > 0 && o.width > 0 && o.steps > 0) return o;
  throw ValueError(fmt::format("{}: vocabulary {}, width {} and steps {} must be positive", kName,
                               o.vocabulary, o.width, o.steps));
}

void check(const char* what, const Tensor& x, const Shape& shape, DType dtype) {
  check_defined(kName, x, what);
  if (x.shape() != shape) {
    throw ShapeError(
        fmt::format("{}: {} must be {}, not {}", kName, what, heed::to_string(shape), describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(
        fmt::format("{}: {} must be {}, not {}", kName, what, name(dtype), describe(x)));
  }
}

void check_rank(const char* what, const Tensor& x, Index rank) {
  check_defined(kName, x, what);
  if (x.rank() == rank) return;
  throw ShapeError(
      fmt::format("{}: {} must have {} axes, not be {}", kName, what, rank, describe(x)));
}

// The place of each number's left word, 0 where there is no number.
Tensor places_of(const Tensor& left, const std::vector<Index>& lengths, Index Q) {
  Array out = left.array().contiguous().clone();
  const Index N = left.size(1);
  for (Index i = 0; i < out.numel(); ++i) {
    Index& place = out.mutable_data<Index>()[i];
    const Index length = lengths.empty() ? Q : lengths[static_cast<std::size_t>(i / N)];
    if (place >= length || place < -1) {
      throw IndexError(fmt::format("{}: left {} is no place of {} words", kName, place, length));
    }
    place = std::max<Index>(place, 0);
  }
  return out;
}

// softmax(x) over the last axis, or 1 at its largest.
Tensor chosen(const Tensor& x, bool hard, const Tensor& mask = Tensor()) {
  Tensor soft = softmax(x, -1, mask);
  if (!hard) return soft;
  const Tensor best = one_hot(argmax(soft, -1), soft.size(-1), soft.dtype());
  return mask.defined() ? where(mask, best, 0) : best;
}

}  // namespace

Tensor table_answer_loss(const TableAnswers& found, const TableAnswers& wanted,
                         const std::vector<Index>& rows, const TableLossOptions& options) {
  constexpr const char* op = "table_answer_loss";
  constexpr double kEps = 1e-6;
  check_defined(op, found.cells, "cells");
  check_defined(op, wanted.is_scalar, "is_scalar");
  const DType dtype = found.cells.dtype();
  const Tensor is_scalar = heed::to(wanted.is_scalar, dtype);
  const auto crossed = [&](const Tensor& x, const Tensor& y) {
    const Tensor p = clamp(x, kEps, 1 - kEps);
    return -(y * log(p) + (1 - y) * log(1 - p));
  };
  const MaskedSequence cells = masked_sequence(op, "cells", found.cells, rows);
  const Tensor each =
      zero_elsewhere(crossed(cells.x, zero_elsewhere(wanted.cells, cells.real)), cells.real);
  Tensor places = full({cells.x.size(0)}, static_cast<double>(cells.x.size(1)), dtype);
  if (cells.real.defined()) places = sum(heed::to(cells.real, dtype), {1});
  const Tensor count = clamp(places * static_cast<double>(cells.x.size(2)), 1);
  const Tensor of_cells = sum(each, {1, 2}) / count;
  const Tensor of_scalar = huber_loss(found.scalar, wanted.scalar, options.delta, Reduction::none);
  Tensor total = is_scalar * of_scalar + options.cells * (1 - is_scalar) * of_cells;
  if (options.kind > 0) total = total + options.kind * crossed(found.is_scalar, is_scalar);
  return mean(total);
}

NeuralProgrammer::NeuralProgrammer(const NeuralProgrammerOptions& options)
    : options_(checked(options)),
      words(child<nn::Embedding>("words", nn::EmbeddingOptions{.count = options.vocabulary,
                                                               .width = options.width,
                                                               .dtype = options.dtype})),
      question(child<nn::RNN>(
          "question",
          nn::RNNOptions{.input = options.width, .hidden = options.width, .dtype = options.dtype})),
      operations(parameter("operations", zeros({kCount, options.width}, options.dtype))),
      operation(child<nn::Linear>("operation", 2 * Checked(kName, options.width), options.width,
                                  true, options.dtype)),
      column(child<nn::Linear>("column", 2 * Checked(kName, options.width), options.width, true,
                               options.dtype)),
      history(child<nn::Linear>("history", 3 * Checked(kName, options.width), options.width, true,
                                options.dtype)) {
  nn::normal_(operations, 0, 1 / std::sqrt(static_cast<double>(options.width)));
}

NeuralProgrammerOutput NeuralProgrammer::operator()(const TableQuestions& asked, bool hard) const {
  const Scope scope(*this);
  const DType dtype = operations.dtype();
  const Index d = options_.width;
  check_rank("words", asked.words, 2);
  check_rank("table", asked.table, 3);
  check_rank("numbers", asked.numbers, 2);
  const Index B = asked.words.size(0), Q = asked.words.size(1), N = asked.numbers.size(1);
  const Index R = asked.table.size(1), C = asked.table.size(2);
  if (Q == 0 || C == 0) {
    throw ShapeError(fmt::format("{}: a question of {} words, a table of {} columns", kName, Q, C));
  }
  check("words", asked.words, {B, Q}, DType::i64);
  check("numbers", asked.numbers, {B, N}, dtype);
  check("left", asked.left, {B, N}, DType::i64);
  check("table", asked.table, {B, R, C}, dtype);
  check("names", asked.names, {B, C}, DType::i64);
  const MaskedSequence table = masked_sequence(kName, "table", asked.table, asked.rows);
  const Mask read = first_places(kName, "words", unsqueeze(asked.words, -1), asked.lengths);
  const Tensor real_words = real_places(kName, "words", read, B, Q);
  const Tensor ids = real_ids(kName, "words", asked.words, options_.vocabulary, real_words);

  const RnnResult z = question(words(ids), asked.lengths);
  const Tensor q = select(z.h_n, 0, 0);  // [B, d]
  const Tensor P = words(real_ids(kName, "names", asked.names, options_.vocabulary, Tensor()));
  const Tensor real_rows =
      table.real.defined() ? heed::to(table.real, dtype) : ones({B, R}, dtype);  // [B, R]

  // What the comparisons choose, in each column: [B, R, C].
  const Tensor places = places_of(asked.left, asked.lengths, Q);
  const Tensor Z = take_along(z.output, expand(unsqueeze(places, -1), {B, N, d}), 1);  // [B, N, d]
  const Tensor numbered = unsqueeze(asked.left >= 0, 1);                               // [B, 1, N]
  const Tensor beta = chosen(matmul(narrow(operations, 0, kGreater, 2), transpose(Z, 1, 2)), hard,
                             expand(numbered, {B, 2, N}));  // [B, 2, N]
  const Tensor cells = unsqueeze(table.x, -1);
  const Tensor numbers = reshape(where(asked.left >= 0, asked.numbers, 0), {B, 1, 1, N});
  const auto compared = [&](const Tensor& found, Index which) {
    const Tensor share = reshape(narrow(beta, 1, which, 1), {B, 1, 1, N});
    return sum(heed::to(found, dtype) * share, {-1}) * unsqueeze(real_rows, -1);
  };
  const Tensor greater = compared(cells > numbers, 0), lesser = compared(cells < numbers, 1);

  NeuralProgrammerOutput out;
  out.pivots = beta;
  const Tensor nothing = zeros({B, 1}, dtype);
  std::vector<Tensor> scalars(3, nothing), rows = {real_rows, real_rows}, by_step, by_column;
  Tensor h = zeros({B, d}, dtype);
  for (Index t = 0; t < options_.steps; ++t) {
    const Tensor qh = concat({q, h}, -1);
    const Tensor a = chosen(matmul(tanh(operation(qh)), transpose(operations, 0, 1)), hard);
    const Tensor a_col =
        chosen(squeeze(matmul(P, unsqueeze(tanh(column(qh)), -1)), -1), hard);  // [B, C]
    const auto part = [&](Index which) { return narrow(a, 1, which, 1); };      // [B, 1]
    const Tensor &last = rows[rows.size() - 1], &before = rows[rows.size() - 2];
    const Tensor sums = squeeze(matmul(unsqueeze(last, 1), table.x), 1);  // [B, C]
    const Tensor difference = scalars[scalars.size() - 3] - scalars.back();
    scalars.push_back(part(kSum) * sum(a_col * sums, {1}, true) +
                      part(kCounting) * sum(last, {1}, true) + part(kDifference) * difference);
    out.answers.cells = unsqueeze(part(kAssign) * last, -1) * unsqueeze(a_col, 1);
    out.answers.is_scalar = 1 - squeeze(part(kAssign), 1);
    const Tensor compared_rows = squeeze(
        matmul(unsqueeze(part(kGreater), 1) * greater + unsqueeze(part(kLesser), 1) * lesser,
               unsqueeze(a_col, -1)),
        -1);
    const Tensor now = part(kAnd) * minimum(last, before) + part(kOr) * maximum(last, before) +
                       part(kReset) * real_rows + compared_rows;
    rows.push_back(now);
    by_step.push_back(a);
    by_column.push_back(a_col);
    const Tensor c =
        concat({matmul(a, operations), squeeze(matmul(unsqueeze(a_col, 1), P), 1), h}, -1);
    h = tanh(history(c));
  }
  out.answers.scalar = forwarded(squeeze(scalars.back(), 1));
  out.operations = stack(by_step, 1);
  out.columns = stack(by_column, 1);
  out.rows = stack({rows.begin() + 2, rows.end()}, 1);
  return out;
}

}  // namespace heed::attention
