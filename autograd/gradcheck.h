// Checks of gradients against central differences, in f64. The function's outputs are weighed by
// random cotangents and every element of every input is moved: two evaluations an element, a
// thirtieth of the step to each side. Where these do not agree with the gradient four more decide,
// one and two steps to each side, whose error falls with the fourth power of the step: a relative
// tolerance of 1e-6 has room.
//
//   auto report = gradcheck([](const std::vector<Tensor>& x) { return tanh(matmul(x[0], x[1])); },
//                           {randn({3, 5}, DType::f64), randn({5, 2}, DType::f64)});
//   if (!report) std::puts(report.text().c_str());
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor.h"

namespace heed {

struct GradcheckOptions {
  double rtol = 1e-6;
  double atol = 1e-8;
  double step = 1e-3;       ///< times max(1, |x|); a kink within two steps may fail it
  Index max_elements = 0;   ///< of each input, drawn at random; 0: all
  bool allow_zero = false;  ///< accept that none is above atol: such a check proves nothing
  std::uint64_t seed = 1;   ///< of the cotangents
};

struct GradcheckFault {
  std::string input;  ///< "input 0", or the parameter's name
  Shape shape;
  Index element;  ///< row-major
  double analytic, numeric;
};

/// What a check found. Converts to true when every element agreed.
struct GradcheckReport {
  bool ok = false;
  Index checked = 0;                  ///< elements compared
  Index faulty = 0;                   ///< of these
  std::vector<GradcheckFault> worst;  ///< up to ten, the largest differences
  std::string problem;                ///< why the check could not be made, or proves nothing

  explicit operator bool() const { return ok; }
  /// For people: one line when all is well, else a table of input, index, analytic, numeric,
  /// difference.
  std::string text() const;
};

using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// First-order gradients of all of `inputs` (f64; used as constants' values, not changed). The
/// function must give the same result for the same input, and results of the same shapes for all:
/// where moving an element changes these the check ends with that problem. It is recorded, under
/// NoGrad too. Throws DTypeError when an input is not f64, GradError inside an InferenceMode.
GradcheckReport gradcheck(const TensorFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});
GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

/// Second order: checks the gradient as a function of inputs and cotangents, through create_graph.
GradcheckReport gradgradcheck(const TensorFunction& function, const std::vector<Tensor>& inputs,
                              const GradcheckOptions& options = {});
GradcheckReport gradgradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                              const std::vector<Tensor>& inputs,
                              const GradcheckOptions& options = {});

/// A leaf to move, and what to call it.
struct NamedLeaf {
  std::string name;
  Tensor leaf;
};

/// The same over leaves that the function reaches by itself, such as a model's parameters. They are
/// moved in place and put back. Throws ValueError for one that is not contiguous.
GradcheckReport gradcheck(const std::function<std::vector<Tensor>()>& function,
                          const std::vector<NamedLeaf>& leaves,
                          const GradcheckOptions& options = {});
GradcheckReport gradgradcheck(const std::function<std::vector<Tensor>()>& function,
                              const std::vector<NamedLeaf>& leaves,
                              const GradcheckOptions& options = {});

}  // namespace heed
