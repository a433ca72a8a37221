#include "record.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::detail {

void tell_call(const Label& label, const Array* outs, std::size_t count, const InputRef* begin,
               const InputRef* end, TapeNode* node) {
  std::vector<Array> inputs;
  inputs.reserve(static_cast<std::size_t>(end - begin));
  for (const InputRef* input = begin; input != end; ++input) {
    const bool dense = (**input).defined() && !(**input).is_sparse();
    inputs.push_back(dense ? (**input).array() : Array());
  }
  const std::uint32_t number =
      tell_called({label.name(), inputs, {outs, count}, t_current != nullptr});
  if (node) node->set_call(number);
}

void throw_undefined_result(const Label& label) {
  throw GradError(fmt::format("record: the result of {} is undefined", label.name()));
}

void throw_rule_count(const Label& label, std::size_t rules, std::size_t inputs) {
  throw GradError(fmt::format("record: {} has {} rules for {} inputs; one rule an input",
                              label.name(), rules, inputs));
}

void throw_gradient_count(const TapeNode& node, std::size_t gradients) {
  throw GradError(fmt::format("backward: the derivative of {} gave {} gradients for {} inputs",
                              node.name(), gradients, node.edge_count()));
}

}  // namespace heed::detail
