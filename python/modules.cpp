// nn.Module: the base of layers, and of modules that are written in Python.
#include "modules.h"

#include <algorithm>

namespace heed::python {

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(data.detach()) {
  // Memory of its own only where another's would not do: as in PyTorch the numbers are shared.
  set_requires_grad(requires_grad);
}

namespace {

using nn::Module;

py::dict dict_of(const NamedTensors& entries) {
  py::dict out;
  for (const auto& [name, tensor] : entries) out[py::str(name)] = tensor;
  return out;
}

// By names, of tensors or of arrays.
NamedTensors entries_of(const py::dict& dict) {
  NamedTensors out;
  for (const auto& [name, value] : dict) {
    out.emplace_back(name.cast<std::string>(),
                     py::isinstance<Tensor>(value)
                         ? value.cast<Tensor>()
                         : tensor_of(py::reinterpret_borrow<py::object>(value), {}));
  }
  return out;
}

void walk(const std::shared_ptr<Module>& module, const std::string& path, NamedModules& out) {
  const bool seen = std::any_of(out.begin(), out.end(),
                                [&](const auto& entry) { return entry.second == module; });
  if (seen) return;
  out.emplace_back(path, module);
  for (const auto& [name, child] : children_of(module)) {
    walk(child, path.empty() ? name : path + "." + name, out);
  }
}

// By the children's own train(), which a class of Python may override.
void train_by_parts(const py::object& self, bool mode) {
  const auto module = self.cast<std::shared_ptr<Module>>();
  set_mode(*module, mode);
  for (const auto& [name, child] : children_of(module)) py::cast(child).attr("train")(mode);
}

void bind_walks(ModuleBase& c) {
  c.def("parameters", &Module::parameters, "Every parameter once.")
      .def("named_parameters", &Module::named_parameters)
      .def("named_buffers", &Module::named_buffers)
      .def("buffers",
           [](const Module& module) {
             std::vector<Tensor> out;
             for (auto& [name, tensor] : module.named_buffers()) out.push_back(tensor);
             return out;
           })
      .def("named_children", &children_of)
      .def("children",
           [](const std::shared_ptr<Module>& module) {
             std::vector<std::shared_ptr<Module>> out;
             for (auto& [name, child] : children_of(module)) out.push_back(child);
             return out;
           })
      .def("named_modules",
           [](const std::shared_ptr<Module>& module) {
             NamedModules out;
             walk(module, "", out);
             return out;
           })
      .def("modules",
           [](const std::shared_ptr<Module>& module) {
             NamedModules all;
             walk(module, "", all);
             std::vector<std::shared_ptr<Module>> out;
             for (auto& [name, child] : all) out.push_back(child);
             return out;
           })
      .def(
          "apply",
          [](const py::object& self, const py::function& change) {
            for (auto& [name, child] : children_of(self.cast<std::shared_ptr<Module>>())) {
              py::cast(child).attr("apply")(change);
            }
            change(self);
            return self;
          },
          py::arg("fn"));
}

}  // namespace

void bind_modules(py::module_& m) {
  py::class_<Parameter, Tensor>(m, "Parameter",
                                "A leaf that becomes a parameter of the module it is assigned to.")
      .def(py::init<const Tensor&, bool>(), py::arg("data"), py::arg("requires_grad") = true);
  ModuleBase c(
      m, "Module",
      "The base of layers and models. Of a module written in Python, call super().__init__(), "
      "assign children and "
      "Parameters, and write forward().");
  c.def(
      "__init__",
      [](py::detail::value_and_holder& place) {
        const std::string name = Py_TYPE(reinterpret_cast<PyObject*>(place.inst))->tp_name;
        place.value_ptr() = new PythonModule(name);
      },
      py::detail::is_new_style_constructor());
  c.def("forward",
        [](const py::object& self, const py::args&, const py::kwargs&) -> py::object {
          throw py::type_error(std::string(Py_TYPE(self.ptr())->tp_name) + " has no forward()");
        })
      .def(
          "state_dict", [](const Module& module) { return dict_of(module.state_dict()); },
          "Parameters and buffers by their names, off the tape; they share memory with the module.")
      .def(
          "load_state_dict",
          [](Module& module, const py::dict& entries, bool strict) {
            module.load_state_dict(entries_of(entries), strict);
          },
          py::arg("state_dict"), py::arg("strict") = true,
          "Copies numbers in place, all or none; raises ValueError that lists what does not fit.")
      .def(
          "train",
          [](const py::object& self, bool mode) {
            train_by_parts(self, mode);
            return self;
          },
          py::arg("mode") = true)
      .def("eval",
           [](const py::object& self) {
             self.attr("train")(false);
             return self;
           })
      .def_property_readonly("training", &Module::training)
      .def("zero_grad", &Module::zero_grad)
      .def(
          "to",
          [](const py::object& self, DType dtype) {
            self.cast<Module&>().to(dtype);
            return self;
          },
          py::arg("dtype"))
      .def("float", [](const py::object& self) { return self.attr("to")(DType::f32); })
      .def("double", [](const py::object& self) { return self.attr("to")(DType::f64); })
      .def(
          "requires_grad_",
          [](const py::object& self, bool on) {
            self.cast<Module&>().requires_grad(on);
            return self;
          },
          py::arg("requires_grad") = true)
      .def("parameter_count", &Module::parameter_count)
      .def("summary", &Module::summary)
      .def_property_readonly("path", &Module::path)
      .def("__repr__", &Module::summary);
  bind_attributes(c);
  bind_walks(c);
  bind_hooks(c);
}

}  // namespace heed::python
