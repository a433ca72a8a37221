// heed.attention: controllers with a memory that they write: machines, tables, pondering.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(HeadSignals, key, strength, gate, shift, sharpen)
HEED_FIELDS(TuringMachineOptions, input, output, hidden, slots, slot_width, read_heads, write_heads,
            reach, recurrent, dtype)
HEED_GIVES(TuringState, memory, weights, reads, controller)
HEED_GIVES(TuringMachineOutput, output, weights)
HEED_FIELDS(NeuralComputerOptions, input, output, hidden, slots, slot_width, read_heads, dtype)
HEED_GIVES(NeuralComputerState, memory, usage, written, precedence, links, weights, reads,
           controller)
HEED_GIVES(NeuralComputerOutput, output, weights)
HEED_FIELDS(NeuralGPUOptions, width, columns, layers, kernel, cutoff, dtype)
HEED_GIVES(NeuralGPUOutput, output, image)
HEED_FIELDS(NeuralProgrammerOptions, vocabulary, width, steps, dtype)
HEED_FIELDS(TableQuestions, words, lengths, numbers, left, table, rows, names)
HEED_GIVES(TableAnswers, scalar, cells, is_scalar)
HEED_GIVES(NeuralProgrammerOutput, answers, operations, columns, rows, pivots)
HEED_FIELDS(TableLossOptions, delta, cells, kind)
HEED_FIELDS(AdaptiveComputationOptions, state, cell, epsilon, max_steps, dtype)
HEED_GIVES(AdaptiveComputationOutput, state, cost, steps, weights)

namespace {

template <class T>
void steps(Mechanism<T>& c) {
  c.forward("input, lengths, need_weights", &T::operator(), "[B, T, I] -> [B, T, O].")
      .method("begin", "batch", &T::begin, "The state before the first step.")
      .method("step", "input, state", &T::step,
              "[B, I] -> [B, O]; the state becomes that after the step.");
}

void bind_turing(py::module_& m) {
  function(
      m, "address_memory", "memory, last",
      [](const Tensor& memory, const Tensor& last, const HeadSignals& signals) {
        return address_memory(memory, last, signals);
      },
      "Weights [B, H, N] of memory [B, N, W] and the last ones (Graves et al. 2014); signals "
      "by name: key [B, H, W], strength, gate, sharpen [B, H, 1], shift [B, H, 2 reach + 1].");
  function(m, "find_in_memory", "memory, key, strength", &find_in_memory,
           "By content alone: [B, N, W], [B, H, W], [B, H, 1] -> [B, H, N].");
  function(m, "read_memory", "memory, weights", &read_memory, "[B, N, W], [B, H, N] -> [B, H, W].");
  function(m, "write_memory", "memory, weights, erase, add", &write_memory,
           "[B, N, W] after writes of weights [B, H, N], erase and add [B, H, W].");
  record<TuringState>(m, "memory [B, N, W], weights [B, heads, N], reads [B, R W].");
  record<TuringMachineOutput>(m, "output [B, T, O], weights [B, T, heads, N].");
  Mechanism<TuringMachine> machine(m, "Neural Turing machines (Graves et al. 2014).");
  steps(machine.init<TuringMachineOptions>());
}

void bind_computer(py::module_& m) {
  function(m, "allocate_memory", "usage", &allocate_memory, "[B, N] -> [B, N].");
  function(m, "link_memory", "links, w, precedence", &link_memory,
           "[B, N, N] after a write of w [B, N].");
  record<NeuralComputerState>(m, "memory, usage, written, precedence, links, weights, reads.");
  record<NeuralComputerOutput>(m, "output [B, T, O], weights [B, T, R, N].");
  Mechanism<NeuralComputer> computer(m, "Differentiable neural computers (Graves et al. 2016).");
  steps(computer.init<NeuralComputerOptions>());
}

void bind_gpu(py::module_& m) {
  record<NeuralGPUOutput>(m, "output [B, T, m], image [B, m, T, w].");
  Mechanism<NeuralGPU>(m, "Neural GPUs (Kaiser, Sutskever 2016).")
      .init<NeuralGPUOptions>()
      .forward("x, lengths", &NeuralGPU::operator(), "[B, T, m] -> [B, T, m].");
}

void bind_programmer(py::module_& m) {
  record<TableAnswers>(m, "scalar [B], cells [B, R, C], is_scalar [B].");
  record<NeuralProgrammerOutput>(m, "answers, operations, columns, rows, pivots.");
  Mechanism<NeuralProgrammer>(m, "Neural programmers (Neelakantan et al. 2016).")
      .init<NeuralProgrammerOptions>()
      .forward(
          "hard",
          [](const NeuralProgrammer& f, bool hard, const TableQuestions& asked) {
            return f(asked, hard);
          },
          "words i64 [B, Q], numbers [B, N], left i64 [B, N], table [B, R, C], names i64 "
          "[B, C], by name.");
  function(
      m, "table_answer_loss", "found, wanted, rows",
      [](const TableAnswers& found, const TableAnswers& wanted, const Lengths& rows,
         const TableLossOptions& options) {
        return table_answer_loss(found, wanted, rows, options);
      },
      "The paper's loss, [].");
}

void bind_pondering(py::module_& m) {
  record<AdaptiveComputationOutput>(m, "state [B, S], cost [B], steps i64 [B], weights.");
  Mechanism<AdaptiveComputation>(m,
                                 "Adaptive computation time (Graves 2016): cell(x and a flag "
                                 "[B, I + 1], state [B, S]) -> state.")
      .init<AdaptiveComputationOptions>()
      .forward("input, lengths, state=, need_weights", &AdaptiveComputation::operator(),
               "[B, T, I].")
      .method("step", "input, state=, need_weights", &AdaptiveComputation::step, "[B, I].");
}

}  // namespace

void bind_machines(py::module_& m) {
  bind_turing(m);
  bind_computer(m);
  bind_gpu(m);
  bind_programmer(m);
  bind_pondering(m);
}

}  // namespace heed::python
