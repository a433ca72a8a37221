#include "gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../core/generator.h"
#include "backward.h"
#include "grad_mode.h"

namespace heed {
namespace {

using Function = std::function<std::vector<Tensor>()>;

constexpr double kFiner = 30;  // the first step is so much finer than that of the options

std::string place_of(Index element, const Shape& shape) {
  std::vector<Index> places(static_cast<std::size_t>(shape.rank()));
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    places[static_cast<std::size_t>(axis)] = element % shape[axis];
    element /= shape[axis];
  }
  return to_string(Shape(places));
}

// Whether outputs are those that the cotangents were drawn for.
bool alike(const std::vector<Tensor>& outputs, const std::vector<Array>& cotangents) {
  if (outputs.size() != cotangents.size()) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    if (output.defined() != cotangents[i].defined()) return false;
    if (!output.defined()) continue;
    if (!(output.shape() == cotangents[i].shape()) || output.dtype() != DType::f64) return false;
  }
  return true;
}

// sum over outputs of cotangent . output
double weigh(const std::vector<Tensor>& outputs, const std::vector<Array>& cotangents) {
  double total = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) continue;
    const Array dense = outputs[i].array().contiguous();
    const double* y = dense.data<double>();
    const double* c = cotangents[i].data<double>();
    for (Index k = 0; k < dense.numel(); ++k) total += y[k] * c[k];
  }
  return total;
}

void check_f64(const Tensor& tensor, const std::string& what) {
  if (tensor.dtype() != DType::f64) {
    throw DTypeError(
        fmt::format("gradcheck: {} is {}; differences need f64", what, describe(tensor)));
  }
}

// Elements of a leaf to compare: all, or some of them drawn at random.
std::vector<Index> elements_of(Index count, Index most, Generator& generator) {
  std::vector<Index> order = generator.permutation(count);
  if (most > 0 && most < count) order.resize(static_cast<std::size_t>(most));
  std::sort(order.begin(), order.end());
  return order;
}

// Puts an element back that was moved, whatever the function throws.
class Moved {
 public:
  Moved(Array& numbers, Index element)
      : numbers_(numbers), element_(element), before_(numbers.data<double>()[element]) {}
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;
  ~Moved() { to(before_); }

  double before() const { return before_; }
  void to(double value) {
    numbers_.mutable_data<double>()[element_] = value;
    numbers_.bump_version();
  }

 private:
  Array& numbers_;
  Index element_;
  double before_;
};

class Checker {
 public:
  Checker(const Function& function, const std::vector<NamedLeaf>& leaves,
          const GradcheckOptions& options)
      : function_(function), leaves_(leaves), options_(options), generator_(options.seed) {}

  GradcheckReport run() {
    if (inference()) {
      throw GradError("gradcheck: it must record, which an InferenceMode forbids");
    }
    const EnableGrad recorded;  // whatever the caller's mode
    for (const auto& [leaf_name, leaf] : leaves_) {
      check_f64(leaf, leaf_name);
      if (!leaf.array().is_contiguous()) {
        throw ValueError(fmt::format(
            "gradcheck: {} is not contiguous; its elements cannot be moved one by one", leaf_name));
      }
    }
    const std::vector<Tensor> outputs = function_();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].defined()) check_f64(outputs[i], fmt::format("output {}", i));
      cotangents_.push_back(outputs[i].defined()
                                ? generator_.uniform(outputs[i].shape(), 0.5, 1.5, DType::f64)
                                : Array());
      // Signs at random: sums that cancel hide nothing then.
      if (!outputs[i].defined()) continue;
      double* c = cotangents_.back().mutable_data<double>();
      for (Index k = 0; k < outputs[i].numel(); ++k) c[k] *= generator_.uniform() < 0.5 ? -1 : 1;
    }
    const double once = weigh(outputs, cotangents_), again = weighed();
    if (other_shapes_) return report_;
    if (once != again) {  // as NaN is of itself
      report_.problem = std::isnan(once) && std::isnan(again)
                            ? "the function gives NaN, or infinities that make one"
                            : "the function gives different results for the same inputs";
      return report_;
    }
    const std::vector<Array> analytic = differentiate(outputs);
    for (std::size_t i = 0; i < leaves_.size() && !other_shapes_; ++i) {
      compare(leaves_[i], analytic[i]);
    }
    finish();
    return report_;
  }

 private:
  std::vector<Array> differentiate(const std::vector<Tensor>& outputs) const {
    std::vector<Tensor> ends, starts, leaves;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].requires_grad()) continue;
      ends.push_back(outputs[i]);
      starts.emplace_back(cotangents_[i]);
    }
    for (const auto& entry : leaves_) leaves.push_back(entry.leaf);
    std::vector<Tensor> gradients(leaves.size());
    if (!ends.empty()) gradients = grad(ends, leaves, starts);
    std::vector<Array> out;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      out.push_back(gradients[i].defined() ? gradients[i].array().contiguous()
                                           : Array::zeros(leaves[i].shape(), DType::f64));
    }
    return out;
  }

  // The outputs as they are now. Of others than the first ones there is no difference to take.
  double weighed() {
    const std::vector<Tensor> outputs = function_();
    if (alike(outputs, cotangents_)) return weigh(outputs, cotangents_);
    other_shapes_ = true;
    report_.problem = "the function gives results of other shapes";
    return NAN;
  }

  // The weighed outputs with one element moved to `value`.
  double at(Moved& element, double value) {
    element.to(value);
    return other_shapes_ ? NAN : weighed();
  }

  // What is infinite would have a tolerance that all numbers are within.
  bool agree(double found, double numeric) const {
    return std::isfinite(numeric) &&
           std::fabs(found - numeric) <= options_.atol + options_.rtol * std::fabs(numeric);
  }

  // Two evaluations so near each other that their error is rounding, in most functions far below
  // the tolerance; where they do not agree, four further apart decide.
  double difference(Array& numbers, Index k, double found) {
    Moved element(numbers, k);
    const double x = element.before(), h = options_.step * std::max(1.0, std::fabs(x));
    const auto across = [&](double d) { return at(element, x + d) - at(element, x - d); };
    const double near = across(h / kFiner) / (2 * h / kFiner);
    return agree(found, near) ? near : (8 * across(h) - across(2 * h)) / (12 * h);
  }

  void compare(const NamedLeaf& entry, const Array& analytic) {
    Array numbers = entry.leaf.array();
    for (const Index k : elements_of(numbers.numel(), options_.max_elements, generator_)) {
      const double found = analytic.data<double>()[k], numeric = difference(numbers, k, found);
      if (other_shapes_) return;
      ++report_.checked;
      if (found != 0) zero_ = false;
      largest_ = std::max({largest_, std::fabs(found), std::fabs(numeric)});
      if (agree(found, numeric)) continue;
      ++report_.faulty;
      report_.worst.push_back({entry.name, numbers.shape(), k, found, numeric});
    }
  }

  void finish() {
    // NaN first: it agrees with nothing.
    const auto badness = [](const GradcheckFault& fault) {
      const double difference = std::fabs(fault.analytic - fault.numeric);
      return std::isnan(difference) ? HUGE_VAL : difference;
    };
    std::stable_sort(report_.worst.begin(), report_.worst.end(),
                     [&](const auto& a, const auto& b) { return badness(a) > badness(b); });
    if (report_.worst.size() > 10) report_.worst.resize(10);
    const bool any = options_.allow_zero || other_shapes_;  // which has its problem already
    if (report_.checked == 0 && !any) {
      report_.problem = "there was no element to check";
    } else if (largest_ <= options_.atol && report_.faulty == 0 && !any) {
      report_.problem = zero_ ? "every gradient is zero, so agreement proves nothing"
                              : "no gradient is above atol, so agreement proves nothing";
    }
    report_.ok = report_.faulty == 0 && report_.problem.empty();
  }

  const Function& function_;
  const std::vector<NamedLeaf>& leaves_;
  const GradcheckOptions& options_;
  Generator generator_;
  std::vector<Array> cotangents_;
  GradcheckReport report_;
  bool zero_ = true;  // all that the tape gave
  bool other_shapes_ = false;
  double largest_ = 0;
};

std::vector<NamedLeaf> leaves_of(const std::vector<Tensor>& inputs) {
  std::vector<NamedLeaf> leaves;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_f64(inputs[i], fmt::format("input {}", i));
    Tensor leaf(inputs[i].array().clone());
    leaf.set_requires_grad();
    leaves.push_back({fmt::format("input {}", i), leaf});
  }
  return leaves;
}

Function bind(const TensorFunction& function, const std::vector<NamedLeaf>& leaves) {
  std::vector<Tensor> inputs;
  inputs.reserve(leaves.size());
  for (const auto& entry : leaves) inputs.push_back(entry.leaf);
  return [&function, inputs] { return function(inputs); };
}

}  // namespace

std::string GradcheckReport::text() const {
  std::string out;
  if (!problem.empty()) out += fmt::format("gradient check failed: {}\n", problem);
  if (faulty == 0) {
    if (ok) out += fmt::format("gradient check passed: {} elements agree", checked);
    return out;
  }
  out +=
      fmt::format("gradient check failed: {} of {} elements differ; the worst:\n", faulty, checked);
  out += fmt::format("  {:<24} {:<14} {:>16} {:>16} {:>12}\n", "input", "index", "analytic",
                     "numeric", "difference");
  for (const GradcheckFault& fault : worst) {
    out += fmt::format("  {:<24} {:<14} {:>16.9g} {:>16.9g} {:>12.3g}\n", fault.input,
                       place_of(fault.element, fault.shape), fault.analytic, fault.numeric,
                       fault.analytic - fault.numeric);
  }
  return out;
}

GradcheckReport gradcheck(const Function& function, const std::vector<NamedLeaf>& leaves,
                          const GradcheckOptions& options) {
  return Checker(function, leaves, options).run();
}

GradcheckReport gradgradcheck(const Function& function, const std::vector<NamedLeaf>& leaves,
                              const GradcheckOptions& options) {
  Generator generator(options.seed + 1);
  std::vector<NamedLeaf> all = leaves;
  std::vector<Tensor> inputs, cotangents;
  std::vector<Array> numbers;  // of the cotangents
  for (const auto& [leaf_name, leaf] : leaves) {
    check_f64(leaf, leaf_name);
    inputs.push_back(leaf);
  }
  {
    const NoGrad scope;
    const std::vector<Tensor> outputs = function();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      cotangents.emplace_back();
      numbers.emplace_back();
      if (!outputs[i].defined()) continue;
      check_f64(outputs[i], fmt::format("output {}", i));
      Tensor v(generator.normal(outputs[i].shape(), 0, 1, DType::f64));
      v.set_requires_grad();
      cotangents.back() = v;
      numbers.back() = v.array();
      all.push_back({fmt::format("cotangent {}", i), v});
    }
  }
  const Function gradient = [&] {
    std::vector<Tensor> ends, starts;
    const std::vector<Tensor> outputs = function();
    if (!alike(outputs, numbers)) return std::vector<Tensor>();  // which is not alike, either
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].requires_grad()) continue;
      ends.push_back(outputs[i]);
      starts.push_back(cotangents[i]);
    }
    return grad(ends, inputs, starts, {.create_graph = true});
  };
  return Checker(gradient, all, options).run();
}

GradcheckReport gradcheck(const TensorFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const std::vector<NamedLeaf> leaves = leaves_of(inputs);
  return gradcheck(bind(function, leaves), leaves, options);
}

GradcheckReport gradgradcheck(const TensorFunction& function, const std::vector<Tensor>& inputs,
                              const GradcheckOptions& options) {
  const std::vector<NamedLeaf> leaves = leaves_of(inputs);
  return gradgradcheck(bind(function, leaves), leaves, options);
}

GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  const TensorFunction several = [&](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{function(x)};
  };
  return gradcheck(several, inputs, options);
}

GradcheckReport gradgradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                              const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  const TensorFunction several = [&](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{function(x)};
  };
  return gradgradcheck(several, inputs, options);
}

}  // namespace heed
