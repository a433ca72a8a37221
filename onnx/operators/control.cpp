// Which of two graphs runs, and one that runs step by step.
#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/factories.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "operators.h"

namespace heed::onnx {
namespace {

// The plan adds what the branches use of the graphs around them to the inputs, first that of
// `then_branch`.
Operation if_of(NodeReader& node) {
  node.inputs(1, 1);
  const Branch yes = node.branch("then_branch"), no = node.branch("else_branch");
  if (yes.outputs != no.outputs || yes.outputs != node.output_count())
    node.fail("its branches have other numbers of results");
  return [yes, no](const std::vector<Tensor>& in, const Run& run) {
    if (in[0].numel() != 1)
      throw ShapeError("the condition must be one truth, not " + describe(in[0].array()));
    const bool holds = in[0].item() != 0;
    const auto begin =
        in.begin() + 1 + (holds ? 0 : static_cast<std::ptrdiff_t>(yes.captured.size()));
    const auto count = static_cast<std::ptrdiff_t>((holds ? yes : no).captured.size());
    return (holds ? yes : no).run({begin, begin + count}, run);
  };
}

// An axis of each sequence and whether it is gone through from its end; what is not said is 0.
struct Way {
  std::vector<std::int64_t> axes, turned;
};
Way way_of(NodeReader& node, const char* axes, const char* directions, std::size_t count) {
  Way out{node.integers(axes), node.integers(directions)};
  for (auto* const each : {&out.axes, &out.turned}) {
    if (each->empty()) each->resize(count);
    if (each->size() != count) {
      node.fail(fmt::format("{} numbers in {} and {}, for {} sequences", each->size(), axes,
                            directions, count));
    }
  }
  return out;
}

Tensor zero_place(const Tensor& x, Index axis) {
  std::vector<Index> sizes(x.shape().begin(), x.shape().end());
  sizes.erase(sizes.begin() + axis);
  return zeros(Shape(sizes), x.dtype());
}

// States, then sequences of which each step gets one place: the body makes the next states, and a
// place of each result.
Operation scan_of(NodeReader& node) {
  if (node.opset() < 9) node.fail("before version 9 Scan had an axis for the batch");
  const std::size_t given = node.input_count();
  node.inputs(1, given);
  const auto wanted =
      static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs"), 0));
  if (wanted == 0 || wanted > given)
    node.fail(fmt::format("{} of its {} inputs are sequences", wanted, given));
  const std::size_t states = given - wanted;
  const Branch body = node.body("body");
  if (body.inputs != given || body.outputs < states || body.outputs != node.output_count()) {
    node.fail(fmt::format("its body makes {} values of {}, of {} states and {} sequences",
                          body.outputs, body.inputs, states, wanted));
  }
  const Way in_way = way_of(node, "scan_input_axes", "scan_input_directions", wanted);
  const std::size_t made = body.outputs - states;
  const Way out_way = way_of(node, "scan_output_axes", "scan_output_directions", made);
  return [=](const std::vector<Tensor>& in, const Run& run) {
    std::vector<Tensor> now(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(states));
    std::vector<Index> axes;
    for (std::size_t i = 0; i < wanted; ++i)
      axes.push_back(normalize_axis("Scan", in_way.axes[i], in[states + i].rank()));
    const Index steps = in[states].size(axes[0]);
    for (std::size_t i = 0; i < wanted; ++i) {
      if (in[states + i].size(axes[i]) != steps) {
        throw ShapeError(fmt::format("its sequence {} has {} steps, its first {}", i,
                                     in[states + i].size(axes[i]), steps));
      }
    }
    const auto step_of = [&](const auto& place) {  // place(i): of sequence i
      std::vector<Tensor> step = now;
      for (std::size_t i = 0; i < wanted; ++i) step.push_back(place(i));
      step.insert(step.end(), in.begin() + static_cast<std::ptrdiff_t>(given), in.end());
      return body.run(step, run);
    };
    if (steps == 0) {
      // No step is made; one of zeros says of which sizes the results are empty.
      const NoGrad scope;
      const std::vector<Tensor> out =
          step_of([&](std::size_t i) { return zero_place(in[states + i], axes[i]); });
      for (std::size_t i = 0; i < made; ++i) {
        const Tensor none = stack({out[states + i]}, out_way.axes[i]);
        now.push_back(narrow(none, out_way.axes[i], 0, 0));
      }
      return now;
    }
    std::vector<std::vector<Tensor>> parts(made);
    for (Index t = 0; t < steps; ++t) {
      std::vector<Tensor> out = step_of([&](std::size_t i) {
        return select(in[states + i], axes[i], in_way.turned[i] != 0 ? steps - 1 - t : t);
      });
      for (std::size_t i = 0; i < made; ++i) parts[i].push_back(out[states + i]);
      out.resize(states);
      now = std::move(out);
    }
    for (std::size_t i = 0; i < made; ++i) {
      if (out_way.turned[i] != 0) std::reverse(parts[i].begin(), parts[i].end());
      now.push_back(stack(parts[i], out_way.axes[i]));
    }
    return now;
  };
}

}  // namespace

void add_control(Makers& to) {
  to["If"] = if_of;
  to["Scan"] = scan_of;
}

}  // namespace heed::onnx
