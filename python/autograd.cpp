// The tape for Python: grad modes, derivatives of functions, checkpoints, anomaly mode, and what
// autograd.Function (heed/autograd.py) is made of.
#include "bindings.h"

namespace heed::python {
namespace {

Tensor tensor_in(const py::object& result, const char* who) {
  check_signals();
  if (py::isinstance<Tensor>(result)) return result.cast<Tensor>();
  throw py::type_error(std::string(who) + ": the function gave " + std::string(py::repr(result)) +
                       ", not a Tensor");
}

// Called as function(*tensors).
auto many(const py::function& function, const char* who) {
  return [held = Held(function), who](const std::vector<Tensor>& inputs) {
    const py::gil_scoped_acquire lock;
    return tensor_in(called(held(), py::tuple(py::cast(inputs))), who);
  };
}
auto one(const py::function& function, const char* who) {
  return [held = Held(function), who](const Tensor& input) {
    const py::gil_scoped_acquire lock;
    return tensor_in(held()(input), who);
  };
}

std::vector<Tensor> list_of(const py::object& tensors) {
  if (tensors.is_none()) return {};
  if (py::isinstance<Tensor>(tensors)) return {tensors.cast<Tensor>()};
  return tensors.cast<std::vector<Tensor>>();
}

void bind_modes(py::module_& m) {
  m.def("is_grad_enabled", &recording);
  m.def("is_inference_mode_enabled", &inference);
  m.def("_set_grad", [](bool on) {
    return std::exchange(heed::detail::t_recording, on && !heed::detail::t_inference);
  });
  m.def("_set_inference", [](bool on) { return std::exchange(heed::detail::t_inference, on); });
  py::class_<DetectAnomaly>(m, "_DetectAnomaly").def(py::init<bool>());
}

void bind_derivatives(py::module_& a) {
  a.def(
      "grad",
      [](const py::object& outputs, const py::object& inputs, const py::object& gradients,
         bool retain, bool create) {
        const auto from = list_of(outputs), to = list_of(inputs), given = list_of(gradients);
        std::vector<Tensor> found;
        {
          const py::gil_scoped_release free;
          found = grad(from, to, given, {.retain_graph = retain, .create_graph = create});
        }
        return py::tuple(py::cast(found));
      },
      py::arg("outputs"), py::arg("inputs"), py::arg("grad_outputs") = py::none(),
      py::arg("retain_graph") = false, py::arg("create_graph") = false,
      "The derivatives of the outputs by each input, as a tuple; None for an input that they do "
      "not depend on. "
      "No grad attribute changes.");
  a.def(
      "backward",
      [](const py::object& outputs, const py::object& gradients, bool retain, bool create) {
        const auto from = list_of(outputs), given = list_of(gradients);
        const py::gil_scoped_release free;
        backward(from, given, {.retain_graph = retain, .create_graph = create});
      },
      py::arg("tensors"), py::arg("grad_tensors") = py::none(), py::arg("retain_graph") = false,
      py::arg("create_graph") = false);
  a.def(
      "jacobian",
      [](const py::function& f, const Tensor& x) {
        const auto held = one(f, "jacobian");
        const py::gil_scoped_release free;
        return jacobian(held, x);
      },
      py::arg("func"), py::arg("inputs"), "Of func(x), the value's shape then the input's.");
  a.def(
      "jacobian",
      [](const py::function& f, const std::vector<Tensor>& inputs) {
        const auto held = many(f, "jacobian");
        const py::gil_scoped_release free;
        return jacobian(held, inputs);
      },
      py::arg("func"), py::arg("inputs"), "Of func(*inputs), one for each input.");
  a.def(
      "hessian",
      [](const py::function& f, const Tensor& x) {
        const auto held = one(f, "hessian");
        const py::gil_scoped_release free;
        return hessian(held, x);
      },
      py::arg("func"), py::arg("inputs"));
  using Product = heed::Product (*)(const OneToOne&, const Tensor&, const Tensor&);
  const std::pair<const char*, Product> rows[] = {{"vjp", &vjp}, {"jvp", &jvp}, {"hvp", &hvp}};
  for (const auto& [name, product] : rows) {
    a.def(
        name,
        [name, product](const py::function& f, const Tensor& x, const Tensor& v) {
          const OneToOne held = one(f, name);
          const py::gil_scoped_release free;
          const heed::Product found = product(held, x, v);
          return std::pair(found.value, found.product);
        },
        py::arg("func"), py::arg("inputs"), py::arg("v"), "The value, and the product with v.");
  }
}

// What a Function has kept: an input, or a result by its number, as no result may be kept itself.
void bind_function(py::module_& m) {
  py::class_<Saved>(m, "_Saved")
      .def(py::init<const Tensor&>())
      .def("__call__", [](const Saved& kept) { return kept(); });
  py::class_<SavedOutput>(m, "_SavedOutput")
      .def(py::init(
          [](const Tensor& x, std::uint32_t output) { return SavedOutput(x.array(), output); }))
      .def("__call__", [](const SavedOutput& kept) { return kept(); });
  m.def("_record", [](const std::string& name, const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>& outputs, const py::function& rule) {
    static auto& names = *new std::set<std::string>;  // of labels, which must outlive every graph
    const char* const label = names.insert(name).first->c_str();
    std::vector<Array> made;
    for (const Tensor& output : outputs) made.push_back(output.array());
    const std::vector<InputRef> from(inputs.begin(), inputs.end());
    return record_joint(label, made, from,
                        [held = Held(rule)](const Gradients& gradients, const std::vector<bool>&) {
                          const py::gil_scoped_acquire lock;
                          return held()(gradients).cast<Gradients>();
                        });
  });
}

}  // namespace

void bind_autograd(py::module_& m, py::module_& a) {
  bind_modes(m);
  bind_derivatives(a);
  bind_function(m);
  m.def(
      "checkpoint",
      [](const py::function& function, const py::args& inputs) {
        std::vector<std::size_t> places;  // of tensors; the others are passed on as they are
        std::vector<Tensor> given;
        py::list others(inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          if (!py::isinstance<Tensor>(inputs[i])) continue;
          places.push_back(i);
          given.push_back(inputs[i].cast<Tensor>());
          others[i] = py::none();
        }
        const auto call = [held = Held(function), all = Held(py::tuple(others)),
                           places](const std::vector<Tensor>& x) {
          const py::gil_scoped_acquire lock;
          py::list arguments(all());
          for (std::size_t i = 0; i < x.size(); ++i) arguments[places[i]] = x[i];
          return std::vector<Tensor>{tensor_in(called(held(), py::tuple(arguments)), "checkpoint")};
        };
        const py::gil_scoped_release free;
        return checkpoint(call, given)[0];
      },
      py::arg("function"),
      "function(*inputs), which keeps its inputs alone and runs again in the backward pass. Inputs "
      "that are no tensors are passed on.");
}

}  // namespace heed::python
