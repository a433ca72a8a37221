// Questions over a table: the neural programmer, and an LSTM that reads question and table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../attention/mechanisms/memory/neural_programmer.h"
#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/regression_losses.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/generated/table_questions.h"
#include "../../nn/lstm.h"
#include "../../train/alignment.h"
#include "solver.h"

namespace algorithms {
namespace {

using Questions = std::vector<data::TableQuestion>;
constexpr double kRange = 10, kLookup = 50;  // of numbers to train on; the weight of cells' loss

struct Batch {
  attention::TableQuestions asked;
  Tensor scalar, cells, is_scalar, real;  // [B], [B, R, C], [B], [B, R, C]; f32
};

Index word_id(const std::string& word) {
  const auto& words = data::table_words();
  return std::find(words.begin(), words.end(), word) - words.begin();
}

Batch batch_of(const Questions& some) {
  const auto B = static_cast<Index>(some.size());
  Index Q = 1, N = 1, R = 1;
  const Index C = some.front().columns;
  Batch out;
  for (const data::TableQuestion& each : some) {
    Q = std::max(Q, static_cast<Index>(each.words.size()));
    N = std::max(N, static_cast<Index>(each.numbers.size()));
    R = std::max(R, each.rows);
    out.asked.lengths.push_back(static_cast<Index>(each.words.size()));
    out.asked.rows.push_back(each.rows);
  }
  Array words = Array::zeros({B, Q}, DType::i64), left = Array::full({B, N}, -1, DType::i64);
  Array numbers = Array::zeros({B, N}, DType::f32), table = Array::zeros({B, R, C}, DType::f32);
  Array names = Array::zeros({B, C}, DType::i64), scalar = Array::zeros({B}, DType::f32);
  Array cells = table.clone(), real = table.clone(), is_scalar = scalar.clone();
  for (Index b = 0; b < B; ++b) {
    const data::TableQuestion& each = some[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < each.words.size(); ++i) {
      words.mutable_data<Index>()[b * Q + static_cast<Index>(i)] = word_id(each.words[i]);
    }
    for (std::size_t i = 0; i < each.numbers.size(); ++i) {
      left.mutable_data<Index>()[b * N + static_cast<Index>(i)] = each.left[i];
      numbers.mutable_data<float>()[b * N + static_cast<Index>(i)] =
          static_cast<float>(each.numbers[i]);
    }
    for (std::size_t i = 0; i < each.table.size(); ++i) {
      const Index at = b * R * C + static_cast<Index>(i);
      table.mutable_data<float>()[at] = static_cast<float>(each.table[i]);
      cells.mutable_data<float>()[at] = each.cells[i] ? 1.0F : 0.0F;
      real.mutable_data<float>()[at] = 1;
    }
    for (Index c = 0; c < C; ++c) {
      names.mutable_data<Index>()[b * C + c] = word_id(data::column_name(c));
    }
    scalar.mutable_data<float>()[b] = static_cast<float>(each.answer);
    is_scalar.mutable_data<float>()[b] = each.scalar ? 1.0F : 0.0F;
  }
  out.asked.words = words;
  out.asked.left = left;
  out.asked.numbers = numbers;
  out.asked.table = table;
  out.asked.names = names;
  out.scalar = scalar;
  out.cells = cells;
  out.is_scalar = is_scalar;
  out.real = real;
  return out;
}

struct Answers {
  Tensor scalar, cells, is_scalar;  // [B], [B, R, C] in [0, 1], [B] in [0, 1]
};

class Programming : public Solver {
 public:
  explicit Programming(const ModelOptions& o) : Solver(o) {
    const auto words = static_cast<Index>(data::table_words().size());
    if (!o.plain) {
      programmer_ = &child<attention::NeuralProgrammer>(
          "programmer", attention::NeuralProgrammerOptions{
                            .vocabulary = words, .width = o.hidden, .steps = o.operations});
      return;
    }
    words_ = &child<nn::Embedding>("words", words, o.hidden);
    cells_ = &child<nn::Linear>("cells", 1, o.hidden);
    lstm_ = &child<nn::LSTM>("lstm", o.hidden, o.hidden);
    out_ = &child<nn::Linear>("out", o.hidden, 3);
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const Batch some = batch_of(draw(batch, lengths, generator));
    const Answers found = answers(some, false);
    const Tensor scalar =
        huber_loss(found.scalar, some.scalar, 1, Reduction::none) * some.is_scalar;
    const Tensor p = clamp(found.cells, 1e-6, 1 - 1e-6);
    const Tensor right = some.cells * log(p) + (1 - some.cells) * log(1 - p);
    const Tensor cells = -sum(right * some.real, {1, 2}) / sum(some.real, {1, 2});
    Tensor total = mean(scalar + kLookup * cells * (1 - some.is_scalar));
    if (options.plain) {
      const Tensor kind = clamp(found.is_scalar, 1e-6, 1 - 1e-6);
      total = total - mean(some.is_scalar * log(kind) + (1 - some.is_scalar) * log(1 - kind));
    }
    return total;
  }

  Score score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const Batch some = batch_of(draw(batch, lengths, generator));
    const Answers found = answers(some, true);
    const Tensor kind = (found.is_scalar > 0.5) == (some.is_scalar > 0.5);
    const Tensor near = abs(found.scalar - some.scalar) < 0.02 * (1 + abs(some.scalar) / 100);
    const Tensor same =
        sum(heed::to((found.cells > 0.5) != (some.cells > 0.5), DType::f32) * some.real, {1, 2}) <
        0.5;
    const Tensor right = kind & where(some.is_scalar > 0.5, near, same);
    const auto wrong = batch - static_cast<Index>(sum(heed::to(right, DType::f64)).item());
    return {.wrong = wrong, .count = batch, .failed = wrong, .problems = batch};
  }

  std::string answer(const std::string& line) const override {
    const data::TableQuestion asked = data::read_table_question(line);
    if (asked.columns != options.columns) {
      throw ValueError(
          fmt::format("table: {} columns, but the model knows {}", asked.columns, options.columns));
    }
    const Batch batch = batch_of({asked});
    const Answers found = answers(batch, true);
    std::string out;
    if (found.is_scalar.item() > 0.5) {
      out = fmt::format("{:.2f}", found.scalar.item());
    } else {
      const auto cells = found.cells.array().to(DType::f64).to_vector<double>();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] > 0.5) out += fmt::format("{}{}", out.empty() ? "" : " ", asked.table[i]);
      }
      if (out.empty()) out = "no cell";
    }
    if (programmer_ == nullptr) return out;
    const auto seen = (*programmer_)(batch.asked, true);
    const auto steps = argmax(select(seen.operations, 0, 0), -1).array().to_vector<Index>();
    out += "  (";
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const auto step = static_cast<std::size_t>(steps[t]);
      out += fmt::format("{}{}", t == 0 ? "" : ", ", attention::kTableOperations.at(step));
    }
    return out + ")";
  }

  // The operations of each step, of some questions.
  train::Picture picture(Index length, Generator& generator) const override {
    std::vector<train::Picture> pictures;
    for (int i = 0; i < 4 && programmer_ != nullptr; ++i) {
      const data::TableQuestion asked = draw(1, {length, length}, generator).front();
      const auto seen = (*programmer_)(batch_of({asked}).asked);
      train::Alignment out{data::in_text(asked), {}, {}, {}};
      for (const char* name : attention::kTableOperations) out.columns.emplace_back(name);
      for (Index t = 1; t <= options.operations; ++t) out.rows.push_back(fmt::format("step {}", t));
      out.weights = select(seen.operations, 0, 0).array();
      pictures.push_back(train::alignment_picture(out));
    }
    if (pictures.empty()) pictures.emplace_back(8, 8, train::Colour{255, 255, 255});
    return train::stack(pictures);
  }

 private:
  // Longer tables than those to train on have larger numbers, too, as in the paper.
  Questions draw(Index batch, const Lengths& lengths, Generator& generator) const {
    const double range = lengths.longest > options.longest ? 20 * kRange : kRange;
    Questions out;
    for (Index b = 0; b < batch; ++b) {
      out.push_back(data::draw_table_question({.columns = options.columns,
                                               .fewest = lengths.shortest,
                                               .most = lengths.longest,
                                               .range = range},
                                              generator));
    }
    return out;
  }

  Answers answers(const Batch& some, bool hard) const {
    if (programmer_ != nullptr) {
      const auto out = (*programmer_)(some.asked, hard);
      const Tensor last = select(out.operations, 1, options.operations - 1);
      return {out.scalar, out.lookup, 1 - select(last, 1, 7)};
    }
    const Index B = some.scalar.size(0), R = some.real.size(1), C = some.real.size(2);
    // The table first, then words, and each number behind its word's place: the last state answers.
    const auto numbers = [&](const Tensor& x) { return (*cells_)(unsqueeze(x, -1)); };
    const Tensor table = reshape(some.asked.table, {B, R * C});
    const Tensor x = concat({(*words_)(some.asked.words), numbers(some.asked.numbers / kRange),
                             numbers(table / kRange)},
                            1);
    const Tensor out = (*out_)((*lstm_)(x).output);
    const Index T = out.size(1);
    const Tensor last = select(out, 1, T - 1);
    const Tensor cells = select(narrow(out, 1, T - R * C, R * C), 2, 2);
    return {kRange * select(last, 1, 0), reshape(sigmoid(cells), {B, R, C}),
            sigmoid(select(last, 1, 1))};
  }

  attention::NeuralProgrammer* programmer_ = nullptr;
  nn::Embedding* words_ = nullptr;  // these of the plain one
  nn::Linear *cells_ = nullptr, *out_ = nullptr;
  nn::LSTM* lstm_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make_programming(const ModelOptions& options) {
  return std::make_unique<Programming>(options);
}

}  // namespace algorithms
