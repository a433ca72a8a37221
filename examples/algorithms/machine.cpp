// Vectors of bits: the neural Turing machine, and an LSTM without its memory.
#include <fmt/format.h>

#include "../../attention/mechanisms/memory/turing_machine.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../data/generated/bit_tasks.h"
#include "../../nn/lstm.h"
#include "../../train/memory_picture.h"
#include "solver.h"

namespace algorithms {
namespace {

constexpr Index kMostRepeats = 10;

data::BitTask bit_task(const std::string& name) {
  if (name == "copy") return data::BitTask::copy;
  if (name == "repeat_copy") return data::BitTask::repeat_copy;
  return name == "recall" ? data::BitTask::recall : data::BitTask::sort;
}

class Machine : public Solver {
 public:
  explicit Machine(const ModelOptions& o) : Solver(o), task_(bit_task(o.task)) {
    const Index input = o.bits + 2, output = o.bits + 1;
    if (o.plain) {
      lstm_ = &child<nn::LSTM>("lstm", nn::LSTMOptions{.input = input, .hidden = o.hidden});
      out_ = &child<nn::Linear>("out", o.hidden, output);
    } else {
      machine_ = &child<attention::TuringMachine>(
          "machine", attention::TuringMachineOptions{.input = input,
                                                     .output = output,
                                                     .hidden = o.hidden,
                                                     .slots = o.slots,
                                                     .slot_width = o.slot_width,
                                                     .recurrent = o.recurrent});
    }
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const data::BitSequences some = draw(batch, lengths, generator);
    return binary_cross_entropy_with_logits(logits(some).output, Tensor(some.y));
  }

  Score score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const data::BitSequences some = draw(batch, lengths, generator);
    const Tensor wrong = heed::to((logits(some).output > 0) != (Tensor(some.y) > 0.5), DType::f64);
    const Tensor failed = heed::to(sum(wrong, {1, 2}) > 0, DType::f64);
    return {.wrong = static_cast<Index>(sum(wrong).item()),
            .count = wrong.numel(),
            .failed = static_cast<Index>(sum(failed).item()),
            .problems = batch};
  }

  std::string answer(const std::string& line) const override {
    const auto problem = data::read_bit_problem(task_, options.bits, line);
    const auto asked = data::bit_sequences(task_, options.bits, {problem});
    const Tensor said = select(sigmoid(logits(asked).output), 0, 0);
    const Tensor wrong = (said > 0.5) != (select(Tensor(asked.y), 0, 0) > 0.5);
    return fmt::format("{}  ({:.0f} bits wrong)", data::bits_in_text(said.array(), options.bits),
                       sum(heed::to(wrong, DType::f64)).item());
  }

  train::Picture picture(Index length, Generator& generator) const override {
    const data::BitSequences some = draw(1, {length, length}, generator);
    const auto found = logits(some, true);
    const Index T = some.x.size(1);
    Array said = Array::zeros({T, options.bits + 1}, DType::f32);
    narrow(Tensor(said), 0, T - some.answer, some.answer)
        .copy_from(select(sigmoid(found.output), 0, 0));
    train::MemoryTrace trace{select(Tensor(some.x), 0, 0).array(), said, {}, {}};
    if (found.weights.defined()) {
      trace.read = select(select(found.weights, 0, 0), 1, 0).array();
      trace.write = select(select(found.weights, 0, 0), 1, 1).array();
    }
    return train::memory_picture(trace);
  }

 private:
  data::BitSequences draw(Index batch, const Lengths& lengths, Generator& generator) const {
    const Index length = lengths.shortest + generator.below(lengths.longest - lengths.shortest + 1);
    const Index repeats =
        task_ == data::BitTask::repeat_copy ? 1 + generator.below(kMostRepeats) : 1;
    std::vector<data::BitProblem> problems;
    for (Index b = 0; b < batch; ++b) {
      problems.push_back(data::draw_bit_problem(task_, options.bits, length, repeats, generator));
    }
    return data::bit_sequences(task_, options.bits, problems);
  }

  // Of the answer's steps.
  attention::TuringMachineOutput logits(const data::BitSequences& some,
                                        bool weights = false) const {
    attention::TuringMachineOutput out;
    if (machine_ != nullptr) {
      out = (*machine_)(Tensor(some.x), {}, weights);
    } else {
      out.output = (*out_)((*lstm_)(Tensor(some.x)).output);
    }
    out.output = narrow(out.output, 1, some.x.size(1) - some.answer, some.answer);
    return out;
  }

  data::BitTask task_;
  attention::TuringMachine* machine_ = nullptr;
  nn::LSTM* lstm_ = nullptr;  // of the plain one
  nn::Linear* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Solver> make_machine(const ModelOptions& options) {
  return std::make_unique<Machine>(options);
}

}  // namespace algorithms
