// Questions over a table: the neural programmer, and, plain, an LSTM that reads question and table.
#include <fmt/format.h>

#include "solver.h"

namespace algorithms {
namespace {

constexpr Index kSteps = 4;
constexpr double kRange = 10, kSure = 2;  // of numbers; what being sure costs at first

class Programming : public Solver {
 public:
  explicit Programming(const ModelOptions& o) : Solver(o) {
    const auto words = static_cast<Index>(data::table_words().size());
    if (!o.plain) {
      programmer_ = &child<attention::NeuralProgrammer>(
          "programmer", attention::NeuralProgrammerOptions{words, o.hidden, kSteps});
      return;
    }
    words_ = &child<nn::Embedding>("words", words, o.hidden);
    numbers_ = &child<nn::Linear>("numbers", 1, o.hidden);
    lstm_ = &child<nn::LSTM>("lstm", o.hidden, o.hidden);
    out_ = &child<nn::Linear>("out", o.hidden, 3);
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const data::TableBatch some = data::table_batch(draw(batch, lengths, generator));
    const attention::NeuralProgrammerOutput found = look(some, false);
    const Tensor loss = attention::table_answer_loss(
        found.answers, {some.scalar, some.cells, some.is_scalar}, some.rows,
        {.delta = kRange, .cells = 50 * kRange, .kind = options.plain ? 1.0 : 0.0});
    if (options.plain) return loss;
    const Tensor& a = found.operations;
    return loss + (1 - done) * kSure * mean(sum(a * log(a + 1e-8), {2}));
  }

  train::Tally score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const data::TableBatch some = data::table_batch(draw(batch, lengths, generator));
    const auto found = look(some, true).answers;
    const Tensor is_scalar = some.is_scalar, scalar = some.scalar;
    const Tensor near = abs(found.scalar - scalar) < 0.01 + 1e-4 * abs(scalar);
    const Tensor same = heed::all((found.cells > 0.5) == (Tensor(some.cells) > 0.5), {1, 2});
    const Tensor right =
        ((found.is_scalar > 0.5) == is_scalar) & ((is_scalar & near) | (~is_scalar & same));
    return train::Tally::of(~right);
  }

  std::string answer(const std::string& line) const override {
    const auto asked = data::read_table_question(line, options.columns);
    const data::TableBatch batch = data::table_batch({asked});
    const auto seen = look(batch, true);
    const attention::TableAnswers& found = seen.answers;
    std::string out = data::answer_in_text(asked, found.is_scalar.item() > 0.5, found.scalar.item(),
                                           found.cells.array().to(DType::f64).to_vector<double>());
    if (programmer_ == nullptr) return out;
    for (const Index step : argmax(seen.operations, -1).array().to_vector<Index>())
      out += fmt::format(" {}", attention::kTableOperations.at(static_cast<std::size_t>(step)));
    return out;
  }

  // The operations of each step, of some questions.
  train::Picture picture(Index length, Generator& generator) const override {
    std::vector<train::Picture> pictures = {train::Picture(8, 8, {255, 255, 255})};
    for (int i = 0; i < 4 && programmer_ != nullptr; ++i) {
      const auto asked = draw(1, {length, length}, generator);
      const Tensor seen = look(data::table_batch(asked), false).operations;
      pictures.push_back(train::alignment_picture(
          {data::in_text(asked.front()),
           {attention::kTableOperations.begin(), attention::kTableOperations.end()},
           train::numbered("step ", kSteps),
           select(seen, 0, 0).array()}));
    }
    return train::stack(pictures);
  }

 private:
  // Longer tables than those to train on have larger numbers, too, as in the paper.
  std::vector<data::TableQuestion> draw(Index batch, const Lengths& lengths,
                                        Generator& generator) const {
    const double range = lengths.longest > options.longest ? 20 * kRange : kRange;
    return data::draw_table_questions(batch, {options.columns, lengths, range}, generator);
  }

  attention::NeuralProgrammerOutput look(const data::TableBatch& some, bool hard) const {
    if (programmer_ != nullptr)
      return (*programmer_)(
          {some.words, some.lengths, some.numbers, some.left, some.table, some.rows, some.names},
          hard);
    const auto read = [&](const Array& x) {
      return (*numbers_)(reshape(Tensor(x), {x.size(0), -1, 1}) / kRange);
    };
    // Words, numbers, the table: the last state answers, each cell's says whether it is meant.
    const Tensor x =
        concat({(*words_)(Tensor(some.words)), read(some.numbers), read(some.table)}, 1);
    const data::TableSteps steps = data::table_steps(some);
    const Tensor given = index_select(reshape(x, {-1, options.hidden}), 0, Tensor(steps.given));
    const LstmResult found = (*lstm_)(Packed{given, steps.offsets});
    const Tensor last = (*out_)(select(found.h_n, 0, 0));
    const Tensor chosen = select(embedding((*out_)(found.output), Tensor(steps.cells)), 3, 2);
    return {{kRange * select(last, 1, 0), where(Tensor(steps.there), sigmoid(chosen), 0),
             sigmoid(select(last, 1, 1))}};
  }

  attention::NeuralProgrammer* programmer_ = nullptr;
  nn::Embedding* words_ = nullptr;  // of the plain one, as the next ones
  nn::Linear *numbers_ = nullptr, *out_ = nullptr;
  nn::LSTM* lstm_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make_programming(const ModelOptions& o) {
  return std::make_unique<Programming>(o);
}

}  // namespace algorithms
