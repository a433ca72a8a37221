// nn.Module: the base of layers, and of modules that are written in Python.
#include "modules.h"

#include <algorithm>

namespace heed::python {

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(data.detach()) {
  // Memory of its own only where another's would not do: as in PyTorch the numbers are shared.
  set_requires_grad(requires_grad);
}

void assign_parameter(Tensor& place, const Tensor& given, const char* name) {
  if (given.defined() && !given.is_leaf()) {
    throw GradError(std::string(name) + ": the result of an operator is no parameter: detach() it");
  }
  if (given.defined() && place.defined() && !(given.shape() == place.shape())) {
    throw ShapeError(std::string(name) + ": " + describe(given) + " does not stand for " +
                     describe(place));
  }
  place = given;
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

// Before super().__init__() there is nothing behind a Python object.
Module& made(const py::object& self) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self.ptr());
  if (!instance->get_value_and_holder().holder_constructed()) {
    throw py::type_error(std::string(Py_TYPE(self.ptr())->tp_name) +
                         ".__init__() must call super().__init__() first");
  }
  return self.cast<Module&>();
}

// Modules of C++ give what they compute to their hooks by themselves.
py::object call(const py::object& self, const py::args& args, const py::kwargs& kwargs) {
  auto& module = self.cast<Module&>();
  auto* const ours = dynamic_cast<PythonModule*>(&module);
  if (!ours) return self.attr("forward")(*args, **kwargs);
  const heed::Scope scope(module);
  py::object out = self.attr("forward")(*args, **kwargs);
  if (!py::isinstance<Tensor>(out)) return out;
  const Tensor given = out.cast<Tensor>();
  const py::gil_scoped_release free;
  Tensor seen = ours->forwarded(given);
  const py::gil_scoped_acquire lock;
  return seen.is_same(given) ? out : py::cast(seen);
}

void set_attribute(const py::object& self, const py::str& key, const py::object& value) {
  auto* const ours = dynamic_cast<PythonModule*>(&made(self));
  const std::string name = key;
  const bool module = py::isinstance<Module>(value), parameter = py::isinstance<Parameter>(value);
  if (!ours && (module || (parameter && !own_tensor(made(self), name) &&
                           !py::hasattr(py::type::of(self), key)))) {
    throw ValueError(name +
                     ": a layer of heed takes no more children or parameters; what derives from "
                     "heed.nn.Module itself does");
  }
  if (ours && module) {
    ours->set_child(name, value.cast<std::shared_ptr<Module>>());
  } else if (ours && parameter) {
    ours->set_parameter(name, value.cast<const Tensor&>());
    return;  // found by __getattr__
  } else if (ours && ours->own(name) && (value.is_none() || py::isinstance<Tensor>(value))) {
    assign_parameter(*ours->own(name), value.cast<Tensor>(), name.c_str());
    return;
  } else if (Tensor* const place = ours ? nullptr : own_tensor(made(self), name);
             place && py::isinstance<Tensor>(value) && !py::hasattr(py::type::of(self), key)) {
    assign_parameter(*place, value.cast<Tensor>(), name.c_str());
    return;
  }
  if (PyObject_GenericSetAttr(self.ptr(), key.ptr(), value.ptr()) != 0)
    throw py::error_already_set();
}

// Parameters and buffers, and children of layers of heed, by their names in the state dict.
py::object get_attribute(const py::object& self, const std::string& name) {
  Module& module = made(self);
  auto* const ours = dynamic_cast<PythonModule*>(&module);
  if (Tensor* const found = ours ? ours->own(name) : own_tensor(module, name)) {
    return py::cast(*found);
  }
  if (!ours) {
    if (py::object child = child_of(self.cast<std::shared_ptr<Module>>(), name)) return child;
  }
  throw py::attribute_error(std::string(Py_TYPE(self.ptr())->tp_name) + " has no attribute '" +
                            name + "'");
}

void delete_attribute(const py::object& self, const py::str& key) {
  auto* const ours = dynamic_cast<PythonModule*>(&made(self));
  const std::string name = key;
  const bool registered = ours && (ours->own(name) || ours->has_child(name));
  const bool plain = !registered || ours->has_child(name);
  if (registered) ours->drop(name);
  if (plain && PyObject_GenericSetAttr(self.ptr(), key.ptr(), nullptr) != 0)
    throw py::error_already_set();
}

using Walked = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

Walked children_of(const std::shared_ptr<Module>& module) {
  Walked out;
  for (const auto& [name, child] : module->children())
    out.emplace_back(name, child_of(module, *child));
  return out;
}

void walk(const std::shared_ptr<Module>& root, Module& module, const std::string& path,
          Walked& out) {
  const bool seen = std::any_of(out.begin(), out.end(),
                                [&](const auto& entry) { return entry.second.get() == &module; });
  if (seen) return;
  out.emplace_back(path, child_of(root, module));
  for (const auto& [name, child] : module.children()) {
    walk(root, *child, path.empty() ? name : path + "." + name, out);
  }
}

void bind_hooks(auto& c) {
  c.def(
       "register_forward_hook",
       [](Module& module, const py::function& hook) {
         return module.register_forward_hook(
             [held = Held(hook)](const Module& of, const Tensor& output) {
               const py::gil_scoped_acquire lock;
               return held()(py::cast(&of, py::return_value_policy::reference), output)
                   .template cast<Tensor>();
             });
       },
       py::arg("hook"),
       "hook(module, output) sees what the module returns, and replaces it by what it gives, if "
       "any.")
      .def(
          "register_hook",
          [](Module& module, const py::function& hook) {
            return module.register_hook(
                [held = Held(hook)](const std::string& name, const Tensor& gradient) {
                  const py::gil_scoped_acquire lock;
                  return held()(name, gradient).template cast<Tensor>();
                });
          },
          py::arg("hook"), "hook(name, gradient) of every parameter.")
      .def("remove_hook", &Module::remove_hook, py::arg("id"));
}

void bind_walks(auto& c) {
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
             Walked out;
             walk(module, *module, "", out);
             return out;
           })
      .def("modules",
           [](const std::shared_ptr<Module>& module) {
             Walked all;
             walk(module, *module, "", all);
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
  py::class_<Module, std::shared_ptr<Module>> c(
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
  c.def("__call__", &call)
      .def("forward",
           [](const py::object& self, const py::args&, const py::kwargs&) -> py::object {
             throw py::type_error(std::string(Py_TYPE(self.ptr())->tp_name) + " has no forward()");
           })
      .def("__setattr__", &set_attribute)
      .def("__getattr__", &get_attribute)
      .def("__delattr__", &delete_attribute)
      .def(
          "register_buffer",
          [](Module& module, const std::string& name, const Tensor& tensor) {
            auto* const ours = dynamic_cast<PythonModule*>(&module);
            if (!ours) throw ValueError("register_buffer: only of a module written in Python");
            ours->set_buffer(name, tensor);
          },
          py::arg("name"), py::arg("tensor"))
      .def(
          "register_parameter",
          [](const py::object& self, const std::string& name, const Tensor& tensor) {
            auto* const ours = dynamic_cast<PythonModule*>(&made(self));
            if (!ours) throw ValueError("register_parameter: only of a module written in Python");
            ours->set_parameter(name, tensor);
          },
          py::arg("name"), py::arg("param"))
      .def(
          "add_module",
          [](const py::object& self, const std::string& name, const py::object& module) {
            set_attribute(self, py::str(name), module);
          },
          py::arg("name"), py::arg("module"))
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
            self.cast<Module&>().train(mode);
            return self;
          },
          py::arg("mode") = true)
      .def("eval",
           [](const py::object& self) {
             self.cast<Module&>().eval();
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
  bind_walks(c);
  bind_hooks(c);
}

}  // namespace heed::python
