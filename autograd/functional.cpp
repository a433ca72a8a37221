#include "functional.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "../core/kernels/elementwise/copy.h"
#include "backward.h"
#include "grad_mode.h"
#include "ops/elementwise/elementwise.h"
#include "ops/reduce/reduce.h"

namespace heed {
namespace {

// Leaves of their own with the inputs' values.
std::vector<Tensor> leaves_of(const char* op, const std::vector<Tensor>& inputs) {
  if (inference()) {
    throw GradError(fmt::format("{}: it must record, which an InferenceMode forbids", op));
  }
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs) {
    check_floating(op, input.dtype());
    leaves.push_back(input.detach());
    leaves.back().set_requires_grad();
  }
  return leaves;
}

void check_fits(const char* op, const Tensor& v, const Tensor& x) {
  if (!(v.shape() == x.shape())) {
    throw ShapeError(fmt::format("{}: v is {} for {}", op, describe(v), describe(x)));
  }
  if (v.dtype() != widened(x.dtype())) {
    throw DTypeError(fmt::format("{}: v is {} for {}{}", op, describe(v), describe(x),
                                 x.dtype() == DType::bf16 ? ": it is in f32" : ""));
  }
}

void check_single(const char* op, const Tensor& value) {
  if (value.numel() != 1) {
    throw ShapeError(
        fmt::format("{}: the function must give one element, not {}", op, describe(value)));
  }
}

// d(sum outputs . weights) / d inputs; zeros where an input has no part.
std::vector<Tensor> gradients(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& weights, const BackwardOptions& options) {
  std::vector<Tensor> ends, starts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    ends.push_back(outputs[i]);
    starts.push_back(i < weights.size() ? weights[i] : Tensor());
  }
  std::vector<Tensor> out(inputs.size());
  if (!ends.empty()) out = grad(ends, inputs, starts, options);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].defined()) out[i] = zeros_like(inputs[i]);
  }
  return out;
}

// One row of the Jacobian for each element of `value`, written where it belongs.
std::vector<Tensor> rows(const Tensor& value, const std::vector<Tensor>& inputs) {
  std::vector<Array> out;
  for (const Tensor& input : inputs) {
    Shape shape = value.shape();
    for (const Index size : input.shape()) shape.push_back(size);
    out.push_back(Array::zeros(shape, input.dtype()));
  }
  const Index count = value.numel();
  for (Index i = 0; i < count && value.requires_grad(); ++i) {
    Array one = Array::zeros({count}, widened(value.dtype()));
    Array element = one.select(0, i);
    kernels::copy_into(element, Array::full({}, 1, one.dtype()));
    const std::vector<Tensor> found =
        gradients({value}, inputs, {one.reshape(value.shape())}, {.retain_graph = true});
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k].numel() == 0) continue;
      Array row = out[k].reshape(Shape{count, inputs[k].numel()}).select(0, i);
      kernels::copy_into(row, found[k].array().reshape({inputs[k].numel()}));
    }
  }
  return {out.begin(), out.end()};
}

ManyToOne of_first(const OneToOne& function) {
  return [&function](const std::vector<Tensor>& inputs) { return function(inputs[0]); };
}

}  // namespace

Products vjp(const ManyToOne& function, const std::vector<Tensor>& inputs, const Tensor& v) {
  const std::vector<Tensor> leaves = leaves_of("vjp", inputs);
  const EnableGrad mode;
  const Tensor value = function(leaves);
  if (v.defined()) {
    check_fits("vjp", v, value);
  } else {
    check_single("vjp", value);
  }
  return {value.detach(), gradients({value}, leaves, {v}, {})};
}

Product jvp(const ManyToOne& function, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v) {
  const std::vector<Tensor> leaves = leaves_of("jvp", inputs);
  if (v.size() != inputs.size()) {
    throw ValueError(fmt::format("jvp: {} directions for {} inputs", v.size(), inputs.size()));
  }
  for (std::size_t i = 0; i < v.size(); ++i) check_fits("jvp", v[i], inputs[i]);
  const EnableGrad mode;
  const Tensor value = function(leaves);
  Tensor u = zeros(value.shape(), widened(value.dtype()));  // any: u J is linear in u
  u.set_requires_grad();
  const auto products = gradients({value}, leaves, {u}, {.create_graph = true});
  return {value.detach(), gradients(products, {u}, v, {})[0]};
}

std::vector<Tensor> jacobian(const ManyToOne& function, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> leaves = leaves_of("jacobian", inputs);
  const EnableGrad mode;
  return rows(function(leaves), leaves);
}

Tensor hessian(const OneToOne& function, const Tensor& x) {
  const std::vector<Tensor> leaves = leaves_of("hessian", {x});
  const EnableGrad mode;
  const Tensor value = function(leaves[0]);
  check_single("hessian", value);
  return rows(gradients({value}, leaves, {}, {.create_graph = true})[0], leaves)[0];
}

Product hvp(const OneToOne& function, const Tensor& x, const Tensor& v) {
  const std::vector<Tensor> leaves = leaves_of("hvp", {x});
  check_fits("hvp", v, x);
  const EnableGrad mode;
  const Tensor value = function(leaves[0]);
  check_single("hvp", value);
  const auto first = gradients({value}, leaves, {}, {.create_graph = true});
  return {value.detach(), gradients(first, leaves, {v}, {})[0]};
}

Product vjp(const OneToOne& function, const Tensor& x, const Tensor& v) {
  const Products found = vjp(of_first(function), std::vector<Tensor>{x}, v);
  return {found.value, found.products[0]};
}
Product jvp(const OneToOne& function, const Tensor& x, const Tensor& v) {
  return jvp(of_first(function), std::vector<Tensor>{x}, std::vector<Tensor>{v});
}
Tensor jacobian(const OneToOne& function, const Tensor& x) {
  return jacobian(of_first(function), std::vector<Tensor>{x})[0];
}

}  // namespace heed
