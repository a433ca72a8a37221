// Vectors of bits: the neural Turing machine, and an LSTM without its memory.
#include <fmt/format.h>

#include "solver.h"

namespace algorithms {
namespace {

class Machine : public Solver {
 public:
  explicit Machine(const ModelOptions& o) : Solver(o), task_(data::bit_task(o.task)) {
    const Index input = o.bits + 2, output = o.bits + 1;
    if (o.plain) {
      lstm_ = &child<nn::LSTM>("lstm", input, o.hidden);
      out_ = &child<nn::Linear>("out", o.hidden, output);
      return;
    }
    attention::TuringMachineOptions how{.input = input, .output = output, .hidden = o.hidden};
    how.slots = o.slots;
    how.slot_width = o.slot_width;
    how.read_heads = how.write_heads = o.heads;
    how.recurrent = o.recurrent;
    machine_ = &child<attention::TuringMachine>("machine", how);
  }

  Tensor loss(Index batch, const Lengths& lengths, Generator& generator) const override {
    const auto some = data::draw_bit_sequences(task_, options.bits, batch, lengths, generator);
    return binary_cross_entropy_with_logits(logits(some).output, Tensor(some.y));
  }

  train::Tally score(Index batch, const Lengths& lengths, Generator& generator) const override {
    const auto some = data::draw_bit_sequences(task_, options.bits, batch, lengths, generator);
    return train::Tally::of((logits(some).output > 0) != (Tensor(some.y) > 0.5));
  }

  std::string answer(const std::string& line) const override {
    const auto asked = data::bit_sequences(task_, options.bits,
                                           {data::read_bit_problem(task_, options.bits, line)});
    const Tensor said = select(sigmoid(logits(asked).output), 0, 0);
    const Tensor wrong = (said > 0.5) != (select(Tensor(asked.y), 0, 0) > 0.5);
    return fmt::format("{}  ({} bits wrong)", data::bits_in_text(said.array(), options.bits),
                       train::Tally::of(wrong).wrong);
  }

  train::Picture picture(Index length, Generator& generator) const override {
    const auto some = data::draw_bit_sequences(task_, options.bits, 1, {length, length}, generator);
    const auto found = logits(some, true);
    train::MemoryTrace trace{.inputs = some.x.select(0, 0),
                             .outputs = select(sigmoid(found.output), 0, 0).array()};
    if (machine_ != nullptr) trace.weights = found.weights.array().select(0, 0);
    return train::memory_picture(trace);
  }

 private:
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

std::unique_ptr<Solver> make_machine(const ModelOptions& o) { return std::make_unique<Machine>(o); }

}  // namespace algorithms
