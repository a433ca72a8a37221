#include "trace.h"

#include <algorithm>
#include <tuple>

#include "../autograd/grad_mode.h"
#include "../core/scope.h"

namespace heed::onnx {
namespace {

// What makes two arrays the same numbers: one place in memory, read in one way, not written to
// between.
using View = std::tuple<const std::byte*, std::uint32_t, DType, std::vector<Index>>;

View view_of(const Array& array) {
  std::vector<Index> layout(array.shape().begin(), array.shape().end());
  layout.insert(layout.end(), array.strides().begin(), array.strides().end());
  return {array.raw(), array.version(), array.dtype(), std::move(layout)};
}

class Recorder final : public Tracer {
 public:
  void add(TracedValue value) {
    known_[view_of(value.array)] = static_cast<Index>(trace_.values.size());
    trace_.values.push_back(std::move(value));
  }

  std::uint32_t called(const Call& call) override {
    take(call);
    return 0;
  }
  void computed(const Call& call) override { take(call); }

  Trace finish(const std::vector<Tensor>& results) {
    for (const Tensor& result : results) trace_.results.push_back(value_of(result.array()));
    return std::move(trace_);
  }

 private:
  void take(const Call& call) {
    if (heed::detail::t_tracer != this || call.in_derivative) return;  // another thread's
    TracedCall made{call.op, Scope::path(), {}, {}, {}};
    for (const Array& input : call.inputs) made.inputs.push_back(value_of(input));
    for (Said& said : take_said()) {
      if (const auto* array = std::get_if<Array>(&said.value)) {
        if (array->defined()) made.operands.emplace_back(said.name, value_of(*array));
      } else {
        made.said.emplace(said.name, std::move(said.value));
      }
    }
    for (const Array& result : call.results) {
      made.outputs.push_back(static_cast<Index>(trace_.values.size()));
      add({TracedValue::Kind::result, {}, 0, result});
    }
    trace_.calls.push_back(std::move(made));
  }

  Index value_of(const Array& array) {
    if (!array.defined()) return -1;
    const auto found = known_.find(view_of(array));
    if (found != known_.end()) return found->second;
    add({TracedValue::Kind::constant, {}, 0, array});
    return static_cast<Index>(trace_.values.size()) - 1;
  }

  Trace trace_;
  std::map<View, Index> known_;  // the values hold the memory, so that no place is used twice
};

// Keeps the calls that results need, and numbers the values as they are met.
Trace needed(const Trace& all) {
  std::vector<bool> read(all.values.size());
  const auto want = [&](Index value) {
    if (value >= 0) read[static_cast<std::size_t>(value)] = true;
  };
  for (const Index result : all.results) want(result);
  std::vector<const TracedCall*> kept;
  for (auto call = all.calls.rbegin(); call != all.calls.rend(); ++call) {
    const bool used = std::any_of(call->outputs.begin(), call->outputs.end(),
                                  [&](Index out) { return read[static_cast<std::size_t>(out)]; });
    if (!used) continue;
    for (const Index input : call->inputs) want(input);
    for (const auto& operand : call->operands) want(operand.second);
    kept.push_back(&*call);
  }
  Trace out;
  std::vector<Index> places(all.values.size(), -1);
  const auto place_of = [&](Index value) -> Index {
    if (value < 0 || !read[static_cast<std::size_t>(value)]) return -1;
    Index& place = places[static_cast<std::size_t>(value)];
    if (place < 0) {
      place = static_cast<Index>(out.values.size());
      out.values.push_back(all.values[static_cast<std::size_t>(value)]);
    }
    return place;
  };
  for (auto call = kept.rbegin(); call != kept.rend(); ++call) {
    TracedCall made = **call;
    for (Index& input : made.inputs) input = place_of(input);
    for (auto& operand : made.operands) operand.second = place_of(operand.second);
    for (Index& output : made.outputs) output = place_of(output);
    out.calls.push_back(std::move(made));
  }
  for (const Index result : all.results) out.results.push_back(place_of(result));
  return out;
}

}  // namespace

Trace trace(const nn::Module& module, const Forward& forward, const std::vector<Tensor>& inputs) {
  Recorder recorder;
  for (const nn::NamedTensors& named :
       {module.named_parameters(), nn::NamedTensors(module.named_buffers())}) {
    for (const auto& [name, tensor] : named) {
      recorder.add({TracedValue::Kind::parameter, name, 0, tensor.array()});
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    recorder.add({TracedValue::Kind::input, {}, static_cast<Index>(i), inputs[i].array()});
  }
  const NoGrad scope;
  const Tracer::Installed installed(recorder);
  Trace out = needed(recorder.finish(forward(inputs)));
  for (const Tensor& input : inputs) out.inputs.push_back(input.array());
  return out;
}

}  // namespace heed::onnx
