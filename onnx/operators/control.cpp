// Which of two graphs runs.
#include "../../autograd/ops/shape/shape.h"
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

}  // namespace

void add_control(Makers& to) { to["If"] = if_of; }

}  // namespace heed::onnx
