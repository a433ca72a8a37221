// Optimizer: the base of SGD, Adam and the others. It holds handles of parameters in groups, each
// group with its learning rate and options, and the state that each parameter has gathered:
//
//   optim::Adam optimizer(model.parameters(), {.lr = 1e-3});
//   loss.backward();
//   optimizer.step();
//   optimizer.zero_grad();
//
// Gradients add up until zero_grad(): a batch too large for memory can come in pieces, each with
// its share of the loss, (loss / pieces).backward(), and one step() after the last.
//
// Parameters without a gradient are passed over. A gradient that holds only some rows (SparseRows,
// from Embedding) changes only those rows of the parameter and of its state: the others stay bit
// for bit as they are, without momentum or decay. The numbers of steps, and with them Adam's bias
// corrections, count for the whole parameter. Where all rows come every time the result is the
// dense one.
//
// Threads: an optimizer is used by one thread at a time, and step() wants its parameters for
// itself. Optimizers of different parameters may step at once.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"

namespace heed::optim {

using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// What has parameters: a module.
template <class T>
concept HasParameters = requires(const T& model) {
  { model.parameters() } -> std::same_as<std::vector<Tensor>>;
};

/// Parameters beside their names, as named_parameters() gives them.
template <class T>
concept NamedParameters = std::derived_from<T, std::vector<std::pair<std::string, Tensor>>>;

template <NamedParameters T>
std::vector<Tensor> without_names(const T& named) {
  std::vector<Tensor> out;
  for (const auto& entry : named) out.push_back(entry.second);
  return out;
}

template <class Options>
struct ParameterGroup {
  std::vector<Tensor> parameters;
  Options options = {};
};

class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer();

  /// One step from the gradients as they are. Throws ShapeError, DTypeError, IndexError for a
  /// gradient that does not fit, and OutOfMemory, before anything has changed.
  virtual void step();
  /// Forgets the gradients of all parameters.
  void zero_grad();
  /// By PyTorch's argument: gradients are forgotten (true). Throws ValueError for false, which
  /// would fill them with zeros.
  void zero_grad(bool set_to_none);

  std::size_t group_count() const { return groups_.size(); }
  /// Of all groups, in their order.
  std::vector<Tensor> parameters() const;
  /// The learning rate of a group. Throws IndexError out of range.
  double lr(std::size_t group = 0) const;
  /// Throws ValueError unless finite and not negative.
  void set_lr(std::size_t group, double lr);
  /// Of all groups.
  void set_lr(double lr);
  /// Throws what set_lr() would.
  void check_lr(double lr) const;
  void param_groups(Say<"optimizer.set_lr(lr), set_lr(group, lr)"> = {}) const = delete;

  /// "groups.0.lr", where there are several groups "groups.0.size", their parameters' number, and
  /// for each parameter that has been stepped "parameters.3.step" and its state under PyTorch's
  /// names ("parameters.3.exp_avg"), counted over all groups. The arrays share memory with the
  /// optimizer. A checkpoint with these and the parameters goes on to the same bits.
  virtual NamedArrays state_dict() const;
  /// Takes copies; sizes may be missing. Throws one ValueError that lists what does not fit, the
  /// first three and how many more, and then has changed nothing.
  virtual void load_state_dict(const NamedArrays& entries);

 protected:
  /// A parameter, how often it was stepped, and state of its shape.
  struct Slot {
    Tensor parameter;
    std::size_t group;
    Index steps = 0;
    std::vector<Array> state;
  };

  const std::vector<Slot>& slots() const { return slots_; }
  /// `op` names the optimizer in messages.
  explicit Optimizer(const char* op) : op_(op) {}
  /// Throws ValueError for a group that is empty or has a parameter that is in a group already,
  /// GradError for one that is no leaf, DTypeError.
  void add_group(const std::vector<Tensor>& parameters, double lr,
                 std::vector<std::string> state_names);
  /// Moves `numbers`, contiguous, and slot.state, zeros at first, along `gradient`, which is sparse
  /// or contiguous. slot.steps counts this step already. Must not throw: others have moved.
  virtual void update(Slot& slot, const Tensor& gradient, Array& numbers) = 0;

 private:
  struct Group {
    double lr;
    std::vector<std::string> state_names;
  };
  /// All that the step of one parameter needs memory for.
  struct Move {
    Slot* slot;
    Tensor gradient;
    std::vector<Array> state;
    Array numbers;
  };
  /// How many parameters a group has.
  Index size_of(std::size_t group) const;
  void check_slot(const Slot& slot) const;
  Move prepare(Slot& slot) const;

  const char* op_;
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
};

}  // namespace heed::optim
