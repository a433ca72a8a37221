// Checks of gradients: of functions and of whole models against central differences, and of random
// gradients against their mean (stochastic.cpp has the estimators).
#include <algorithm>

#include "bindings.h"

namespace heed::python {
namespace {

// The tensors of a result: alone, in lists, tuples, dicts, in what a module gives, also inside one
// another. None and what is no tensor are passed over.
void add_tensors(const py::handle& given, std::vector<Tensor>& found) {
  if (given.is_none() || PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr())) return;
  if (py::isinstance<Tensor>(given)) {
    found.push_back(given.cast<Tensor>());
  } else if (PyDict_Check(given.ptr())) {
    for (const auto& entry : py::reinterpret_borrow<py::dict>(given)) {
      add_tensors(entry.second, found);
    }
  } else if (py::hasattr(given, "__iter__")) {
    for (const py::handle part : py::iter(given)) add_tensors(part, found);
  }
}

// Those that are floating, where any is: places and counts beside them have no gradient.
std::vector<Tensor> results(const char* who, const py::object& given) {
  check_signals();
  std::vector<Tensor> found, floating;
  add_tensors(given, found);
  if (found.empty()) {
    throw py::type_error(std::string(who) + ": the function gave " + std::string(py::repr(given)) +
                         ", no Tensor");
  }
  for (const Tensor& x : found) {
    if (is_floating(x.dtype())) floating.push_back(x);
  }
  return floating.empty() ? found : floating;
}

// All that a model gives, as one tensor; of several those in f64 that the tape reaches.
Tensor as_one(const std::vector<Tensor>& found) {
  if (found.size() == 1) return found[0];
  std::vector<Tensor> all, recorded;
  const bool wide = std::any_of(found.begin(), found.end(),
                                [](const Tensor& x) { return x.dtype() == DType::f64; });
  for (const Tensor& x : found) {
    if (x.dtype() != (wide ? DType::f64 : found[0].dtype())) continue;
    all.push_back(flatten(x));
    if (x.requires_grad()) recorded.push_back(all.back());
  }
  return concat(recorded.empty() ? all : recorded, 0);
}

TensorFunction called(const char* who, const py::function& function) {
  return [who, held = Held(function)](const std::vector<Tensor>& inputs) {
    const py::gil_scoped_acquire lock;
    return results(who, called(held(), py::tuple(py::cast(inputs))));
  };
}

using Check = GradcheckReport (*)(const TensorFunction&, const std::vector<Tensor>&,
                                  const GradcheckOptions&);
using ModelCheck = GradcheckReport (*)(nn::Module&, const std::function<Tensor()>&,
                                       const GradcheckOptions&, const std::vector<NamedLeaf>&);

GradcheckOptions options_of(double rtol, double atol, double step, Index most, bool zero,
                            std::uint64_t seed) {
  return {.rtol = rtol,
          .atol = atol,
          .step = step,
          .max_elements = most,
          .allow_zero = zero,
          .seed = seed};
}

void bind_report(py::module_& m) {
  py::class_<GradcheckFault>(m, "GradcheckFault")
      .def_readonly("input", &GradcheckFault::input)
      .def_readonly("shape", &GradcheckFault::shape)
      .def_readonly("element", &GradcheckFault::element)
      .def_readonly("analytic", &GradcheckFault::analytic)
      .def_readonly("numeric", &GradcheckFault::numeric);
  py::class_<GradcheckReport>(m, "GradcheckReport",
                              "What a check found: true when every element agreed.")
      .def_readonly("ok", &GradcheckReport::ok)
      .def_readonly("checked", &GradcheckReport::checked)
      .def_readonly("faulty", &GradcheckReport::faulty)
      .def_readonly("worst", &GradcheckReport::worst)
      .def_readonly("problem", &GradcheckReport::problem)
      .def("__bool__", [](const GradcheckReport& report) { return report.ok; })
      .def("text", &GradcheckReport::text)
      .def("__repr__", &GradcheckReport::text);
}

#define HEED_CHECK_ARGUMENTS                                                             \
  py::kw_only(), py::arg("rtol") = 1e-6, py::arg("atol") = 1e-8, py::arg("step") = 1e-3, \
                 py::arg("max_elements") = 0, py::arg("allow_zero") = false, py::arg("seed") = 1

void bind_functions_checked(py::module_& m) {
  for (const auto& [name, check] : {std::pair<const char*, Check>("gradcheck", &gradcheck),
                                    {"gradgradcheck", &gradgradcheck}}) {
    m.def(
        name,
        [name, check](const py::function& function, const py::object& inputs, double rtol,
                      double atol, double step, Index most, bool zero, std::uint64_t seed) {
          const auto given = py::isinstance<Tensor>(inputs)
                                 ? std::vector<Tensor>{inputs.cast<Tensor>()}
                                 : inputs.cast<std::vector<Tensor>>();
          const TensorFunction held = called(name, function);
          const py::gil_scoped_release free;
          return check(held, given, options_of(rtol, atol, step, most, zero, seed));
        },
        py::arg("func"), py::arg("inputs"), HEED_CHECK_ARGUMENTS,
        "Compares the gradient of func(*inputs), f64, with central differences: of all floating "
        "tensors that it gives, also inside tuples. Gives a report, which is true when all agree.");
  }
}

void bind_models_checked(py::module_& nn) {
  for (const auto& [name, check] : {std::pair<const char*, ModelCheck>("gradcheck", &nn::gradcheck),
                                    {"gradgradcheck", &nn::gradgradcheck}}) {
    nn.def(
        name,
        [name, check](const py::object& model, const py::args& inputs, double rtol, double atol,
                      double step, Index most, bool zero, std::uint64_t seed) {
          auto given = inputs.cast<std::vector<Tensor>>();
          std::vector<Tensor*> places;
          for (Tensor& input : given) places.push_back(&input);
          const std::vector<NamedLeaf> leaves = nn::detail::separate(places);
          auto& module = model.cast<nn::Module&>();
          const auto forward = [name, &model, &given] {
            const py::gil_scoped_acquire lock;
            const EnableGrad recorded;  // the same tensors each time
            return as_one(results(name, model(*py::cast(given).cast<py::list>())));
          };
          const py::gil_scoped_release free;
          return check(module, forward, options_of(rtol, atol, step, most, zero, seed), leaves);
        },
        py::arg("model"), HEED_CHECK_ARGUMENTS,
        "Compares the gradients of model(*inputs), of all that it gives, by every parameter and "
        "every f64 input with central differences.");
  }
}

}  // namespace

void bind_gradcheck(py::module_& m, py::module_& nn) {
  bind_report(m);
  bind_functions_checked(m);
  bind_models_checked(nn);
}

}  // namespace heed::python
