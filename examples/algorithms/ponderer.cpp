// Parity and addition: a recurrent cell that ponders each input, and, plain, takes a single step.
#include <fmt/format.h>

#include "solver.h"

namespace algorithms {
namespace {

constexpr Index kMostSteps = 20, kDigits = 5, kMostAddends = 50;
using data::AnsweredSteps;

class Ponderer : public Solver {
 public:
  explicit Ponderer(const ModelOptions& o)
      : Solver(o),
        parity_(o.task == "parity"),
        classes_(parity_ ? 2 : data::kDecimals + 1),
        outputs_(parity_ ? 1 : kDigits + 1) {
    const Index input = (parity_ ? o.longest : kDigits * data::kDecimals) + 1;
    const auto run = [](const auto& own) {
      return [&own](const Tensor& x, const Tensor& h) { return own(x, h); };
    };
    decltype(attention::AdaptiveComputationOptions::cell) cell;
    if (parity_) cell = run(child<nn::RNNCell>("cell", input, o.hidden));
    if (!parity_) cell = run(child<nn::GRUCell>("cell", input, o.hidden));
    ponder_ = &child<attention::AdaptiveComputation>(
        "ponder", attention::AdaptiveComputationOptions{
                      .state = o.hidden, .cell = cell, .max_steps = o.plain ? 1 : kMostSteps});
    out_ = &child<nn::Linear>("out", o.hidden, classes_ * outputs_);
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const AnsweredSteps some = draw(batch, lengths, generator);
    const Found found = look(some);
    const Tensor loss = cross_entropy(reshape(found.logits, {-1, classes_}),
                                      reshape(Tensor(some.y), {-1}), {.ignore_index = -1});
    return options.plain ? loss : loss + options.ponder * mean(sum(found.seen.cost, {1}));
  }

  train::Tally score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const AnsweredSteps some = draw(batch, lengths, generator);
    const Found found = look(some);
    train::Tally out =
        train::Tally::of(argmax(found.logits, -1) != Tensor(some.y), Tensor(some.y) >= 0);
    out.extra = "steps of pondering";
    const Tensor& steps = found.seen.steps;  // of an input; 0 in the padding
    out.extra_sum = static_cast<double>(batch) * sum(heed::to(steps, DType::f64)).item() /
                    sum(heed::to(steps > 0, DType::f64)).item();
    return out;
  }

  std::string answer(const std::string& line) const override {
    const AnsweredSteps asked =
        parity_ ? data::read_parity(line, options.longest)
                : data::additions({data::read_addends(line, kDigits, kMostAddends)}, kDigits);
    const Found found = look(asked);
    const auto said = argmax(found.logits, -1).array().to_vector<Index>();
    const auto steps = found.seen.steps.array().to_vector<Index>();
    std::string out;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const Index* at = said.data() + static_cast<Index>(t) * outputs_;
      const std::string sum =
          parity_ ? (*at == 1 ? "odd" : "even") : data::sum_in_text(at, at + outputs_);
      if (t > 0 || parity_) out += fmt::format("{} (after {} steps)  ", sum, steps[t]);
    }
    return out;
  }

  // How much of the answer each step was given.
  train::Picture picture(Index length, Generator& generator) const override {
    train::Alignment out{"the part of each step of pondering", {}, {}, {}};
    std::vector<Tensor> rows;
    for (Index own = parity_ ? 1 : length; own <= length; ++own) {
      rows.push_back(select(look(draw(1, {own, own}, generator), true).seen.weights, 0, 0));
      for (Index t = 1; t <= rows.back().size(0); ++t)
        out.rows.push_back(parity_ ? fmt::format("{} numbers", own) : fmt::format("number {}", t));
    }
    out.weights = concat(rows, 0).array();
    out.columns = train::numbered("", out.weights.size(1));
    return train::alignment_picture(out);
  }

 private:
  struct Found {
    attention::AdaptiveComputationOutput seen;
    Tensor logits;  // [B, T, outputs, classes]
  };
  Found look(const AnsweredSteps& some, bool weights = false) const {
    const auto seen = (*ponder_)(Tensor(some.x), some.lengths, Tensor(), weights);
    return {seen,
            reshape((*out_)(seen.state), {some.x.size(0), some.x.size(1), outputs_, classes_})};
  }

  AnsweredSteps draw(Index batch, const Lengths& lengths, Generator& generator) const {
    return parity_ ? data::draw_parity(batch, options.longest, lengths, generator)
                   : data::draw_additions(batch, lengths, kDigits, generator);
  }

  bool parity_;
  Index classes_, outputs_;
  attention::AdaptiveComputation* ponder_ = nullptr;
  nn::Linear* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make_ponderer(const ModelOptions& o) {
  return std::make_unique<Ponderer>(o);
}

}  // namespace algorithms
