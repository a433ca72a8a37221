#include "checkpoint.h"

#include <fmt/format.h>

#include "../core/draws.h"
#include "../core/error.h"
#include "record.h"

namespace heed {
namespace {

using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// What runs in here is the user's, not the derivative of the checkpoint.
class OutsideOfDerivative {
 public:
  OutsideOfDerivative() : before_(std::exchange(detail::t_current, nullptr)) {}
  ~OutsideOfDerivative() { detail::t_current = before_; }
  OutsideOfDerivative(const OutsideOfDerivative&) = delete;
  OutsideOfDerivative& operator=(const OutsideOfDerivative&) = delete;

 private:
  TapeNode* before_;
};

class CheckpointNode final : public TapeNode {
 public:
  CheckpointNode(Function function, const std::vector<Tensor>& inputs, Draws draws,
                 std::vector<Edge> edges, std::vector<OutputSlot> outputs)
      : TapeNode("checkpoint", edges.data(), edges.size(), outputs.data(),
             static_cast<std::uint32_t>(outputs.size())),
        edges_(std::move(edges)),
        outputs_(std::move(outputs)),
        kept_(Kept{std::move(function), {inputs.begin(), inputs.end()}, std::move(draws)}) {
    take_order();
  }

  // Recorded with the places on the tape that the inputs have, the second run leads the walk on by
  // itself: to the inputs, and to whatever else the function reached.
  void differentiate(GradientSink& sink) override {
    Gradients gradients(outputs_.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = std::move(outputs_[i].gradient);
    }
    const std::vector<Tensor> results = run_again();
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) sink.graft(results[i], std::move(gradients[i]));
    }
  }
  void free_saved() noexcept override { kept_.reset(); }
  bool grafts() const override { return true; }

 private:
  struct Kept {
    Function function;
    std::vector<Saved> inputs;
    Draws draws;
  };

  std::vector<Tensor> run_again() const {
    if (inference()) {
      throw GradError("checkpoint: its backward pass must record, which an InferenceMode forbids");
    }
    std::vector<Tensor> inputs;
    for (const Saved& input : kept_->inputs) inputs.push_back(input());
    const EnableGrad mode;
    const RepeatDraws random(kept_->draws);
    const OutsideOfDerivative outside;
    detail::continue_order_after(order());
    std::vector<Tensor> results = kept_->function(inputs);
    bool same = results.size() == outputs_.size();
    for (std::size_t i = 0; same && i < results.size(); ++i) {
      same = results[i].defined() && results[i].shape() == outputs_[i].shape &&
             results[i].dtype() == outputs_[i].dtype;
      if (!same) {
        throw GradError(fmt::format("checkpoint: result {} was {}{}, but {} when it was made again",
                                    i, heed::name(outputs_[i].dtype), to_string(outputs_[i].shape),
                                    describe(results[i])));
      }
    }
    if (!same) {
      throw GradError(fmt::format("checkpoint: there were {} results, but {} when made again",
                                  outputs_.size(), results.size()));
    }
    return results;
  }
  std::size_t size() const override { return sizeof(*this); }

  std::vector<Edge> edges_;
  std::vector<OutputSlot> outputs_;
  std::optional<Kept> kept_;
};

}  // namespace

std::vector<Tensor> checkpoint(Function function, const std::vector<Tensor>& inputs) {
  if (!function) throw GradError("checkpoint: there is no function");
  if (!recording()) return function(inputs);
  Draws draws;
  std::vector<Edge> edges;
  edges.reserve(inputs.size());
  for (const Tensor& input : inputs) edges.push_back(Edge::to(input));
  std::vector<Tensor> made;
  {
    const NoGrad off;
    const NoteDraws note(draws);
    made = function(inputs);
  }
  std::vector<OutputSlot> slots(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i].defined()) detail::throw_undefined_result("checkpoint");
    check_floating("checkpoint", made[i].dtype());
    slots[i].shape = made[i].shape();
    slots[i].dtype = made[i].dtype();
  }
  const Ref<TapeNode> node = detail::make_node<CheckpointNode>(
      std::move(function), inputs, std::move(draws), std::move(edges), std::move(slots));
  if (detail::t_anomaly) {
    const std::vector<InputRef> refs(inputs.begin(), inputs.end());
    detail::note_origin(*node, refs.data(), refs.data() + refs.size());
  }
  if (observed()) {
    const std::vector<InputRef> refs(inputs.begin(), inputs.end());
    detail::tell_call("checkpoint", nullptr, 0, refs.data(), refs.data() + refs.size(), node.get());
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = Tensor::on_tape(made[i].array(), node, static_cast<std::uint32_t>(i));
  }
  return made;
}

Tensor checkpoint(std::function<Tensor(const Tensor&)> function, const Tensor& input) {
  if (!function) throw GradError("checkpoint: there is no function");
  const Function several = [function = std::move(function)](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{function(inputs[0])};
  };
  return checkpoint(several, std::vector<Tensor>{input})[0];
}

}  // namespace heed
