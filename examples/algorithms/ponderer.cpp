// Parity and addition: a recurrent cell that ponders each input, and one that takes a single step.
#include <fmt/format.h>

#include <sstream>

#include "../../attention/mechanisms/memory/adaptive_computation.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/generated/additions.h"
#include "../../data/generated/parity.h"
#include "../../nn/cells.h"
#include "../../train/alignment.h"
#include "solver.h"

namespace algorithms {
namespace {

constexpr Index kDigits = 5;  // of a number to add

// x [B, T, I], y [B, T, outputs] with -1 where nothing is wanted.
struct Batch {
  Tensor x, y;
  std::vector<Index> lengths;
};

class Ponderer : public Solver {
 public:
  explicit Ponderer(const ModelOptions& o)
      : Solver(o),
        parity_(o.task == "parity"),
        classes_(parity_ ? 2 : data::kDecimals + 1),
        outputs_(parity_ ? 1 : kDigits + 1) {
    const Index input = (parity_ ? o.longest : kDigits * data::kDecimals) + 1;
    std::function<Tensor(const Tensor&, const Tensor&)> cell;
    if (parity_) {
      nn::RNNCell& own = child<nn::RNNCell>("cell", input, o.hidden);
      cell = [&own](const Tensor& x, const Tensor& state) { return own(x, state); };
    } else {  // c beside h
      nn::LSTMCell& own = child<nn::LSTMCell>("cell", input, o.hidden);
      cell = [&own, H = o.hidden](const Tensor& x, const Tensor& state) {
        const LstmState next = own(x, {narrow(state, 1, 0, H), narrow(state, 1, H, H)});
        return concat({next.h, next.c}, 1);
      };
    }
    ponder_ = &child<attention::AdaptiveComputation>(
        "ponder",
        attention::AdaptiveComputationOptions{
            .state = state_width(), .cell = cell, .max_steps = o.plain ? 1 : o.most_steps});
    out_ = &child<nn::Linear>("out", o.hidden, classes_ * outputs_);
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const Batch some = draw(batch, lengths, generator);
    const Found found = look(some);
    const Tensor wanted = reshape(some.y, {-1});
    const Tensor loss =
        cross_entropy(reshape(found.logits, {-1, classes_}), wanted, {.ignore_index = -1});
    return options.plain ? loss : loss + options.ponder * mean(sum(found.seen.cost, {1}));
  }

  Score score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const Batch some = draw(batch, lengths, generator);
    const Found found = look(some);
    const Tensor real = some.y >= 0;
    const Tensor wrong = heed::to(real & (argmax(found.logits, -1) != some.y), DType::f64);
    const auto whole = [](const Tensor& x) { return static_cast<Index>(sum(x).item()); };
    const Tensor steps = heed::to(found.seen.steps, DType::f64);
    const double inputs = sum(heed::to(steps > 0, DType::f64)).item();
    return {.wrong = whole(wrong),
            .count = whole(heed::to(real, DType::f64)),
            .failed = whole(heed::to(sum(wrong, {1, 2}) > 0, DType::f64)),
            .problems = batch,
            .extra = "steps of pondering",
            .extra_sum = static_cast<double>(batch) * sum(steps).item() / inputs};
  }

  std::string answer(const std::string& line) const override {
    std::istringstream in(line);
    std::vector<Index> numbers;
    for (std::string word; in >> word;) {
      const bool digits = word.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || word.size() > static_cast<std::size_t>(kDigits) ||
          (parity_ && word != "0" && word != "1")) {
        throw ValueError(fmt::format("\"{}\" is {}", word,
                                     parity_ ? "neither 0 nor 1" : "no number of 1 to 5 digits"));
      }
      numbers.push_back(std::stoll(word));
    }
    const auto most = static_cast<std::size_t>(parity_ ? options.longest : 100);
    if (numbers.empty() || numbers.size() > most) {
      throw ValueError(fmt::format("{} numbers, not 1 to {}", numbers.size(), most));
    }
    Batch asked;
    if (parity_) {
      Array x = Array::zeros({1, 1, options.longest}, DType::f32);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        x.mutable_data<float>()[i] = numbers[i] == 1 ? 1.0F : -1.0F;
      }
      asked = {x, {}, {1}};
    } else {
      asked = batch_of(data::additions({numbers}, kDigits));
    }
    const Found found = look(asked);
    const auto said = argmax(found.logits, -1).array().to_vector<Index>();
    const auto steps = found.seen.steps.array().to_vector<Index>();
    std::string out;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const std::string sum = in_text(said, t * static_cast<std::size_t>(outputs_));
      out += fmt::format("{}{}  ({} steps)", t == 0 ? "" : "; ", sum, steps[t]);
    }
    return out;
  }

  // How much of the answer each step was given, of problems from the shortest to the longest.
  train::Picture picture(Index length, Generator& generator) const override {
    train::Alignment out{"the part of each step of pondering", {}, {}, {}};
    std::vector<Tensor> rows;
    for (Index own = parity_ ? 1 : length; own <= length; ++own) {
      const Found found = look(draw(1, {own, own}, generator), true);
      rows.push_back(select(found.seen.weights, 0, 0));  // [T, most steps]
      for (Index t = 0; t < rows.back().size(0); ++t) {
        out.rows.push_back(parity_ ? fmt::format("{} numbers", own)
                                   : fmt::format("number {}", t + 1));
      }
    }
    const Tensor all = concat(rows, 0);
    for (Index n = 1; n <= all.size(1); ++n) out.columns.push_back(std::to_string(n));
    out.weights = all.array();
    return train::alignment_picture(out);
  }

 private:
  struct Found {
    attention::AdaptiveComputationOutput seen;
    Tensor logits;  // [B, T, outputs, classes]
  };

  Index state_width() const { return parity_ ? options.hidden : 2 * options.hidden; }

  Found look(const Batch& some, bool weights = false) const {
    Found out{(*ponder_)(some.x, some.lengths, Tensor(), weights), Tensor()};
    const Tensor& h = out.seen.state;
    out.logits = reshape((*out_)(narrow(h, 2, 0, options.hidden)),
                         {h.size(0), h.size(1), outputs_, classes_});
    return out;
  }

  static Batch batch_of(const data::Additions& some) { return {some.x, some.y, some.lengths}; }

  Batch draw(Index batch, const Lengths& lengths, Generator& generator) const {
    if (parity_) {
      const auto some =
          data::draw_parity(batch, options.longest, lengths.shortest, lengths.longest, generator);
      return {unsqueeze(Tensor(some.x), 1), reshape(Tensor(some.odd), {batch, 1, 1}),
              std::vector<Index>(static_cast<std::size_t>(batch), 1)};
    }
    std::vector<data::Addends> problems;
    for (Index b = 0; b < batch; ++b) {
      const Index count =
          lengths.shortest + generator.below(lengths.longest - lengths.shortest + 1);
      problems.push_back(data::draw_addends(count, kDigits, generator));
    }
    return batch_of(data::additions(problems, kDigits));
  }

  // What was said at one step, from the lowest digit up.
  std::string in_text(const std::vector<Index>& said, std::size_t from) const {
    if (parity_) return said[from] == 1 ? "odd" : "even";
    std::string out;
    for (Index place = outputs_ - 1; place >= 0; --place) {
      const Index digit = said[from + static_cast<std::size_t>(place)];
      if (digit != data::kNoDigit) out += std::to_string(digit);
    }
    return out.empty() ? "-" : out;
  }

  bool parity_;
  Index classes_, outputs_;
  attention::AdaptiveComputation* ponder_ = nullptr;
  nn::Linear* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make_ponderer(const ModelOptions& options) {
  return std::make_unique<Ponderer>(options);
}

}  // namespace algorithms
