// nn.Module: the base of layers, and of modules that are written in Python.
#include "modules.h"

#include <algorithm>
#include <set>

#include "device.h"

namespace heed::python {

/// (missing_keys, unexpected_keys)
class IncompatibleKeys : public py::object {
 public:
  explicit IncompatibleKeys(py::object object) : py::object(std::move(object)) {}
};

}  // namespace heed::python

template <>
struct pybind11::detail::handle_type_name<heed::python::IncompatibleKeys> {
  static constexpr auto name = const_name("heed._heed._IncompatibleKeys");
};

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

std::vector<std::pair<std::string, TensorObject>> by_names(const Module& module,
                                                           const std::string& prefix,
                                                           bool recurse) {
  std::vector<std::pair<std::string, TensorObject>> out;
  for (const auto& [name, tensor] : module.named_parameters()) {
    if (!recurse && name.find('.') != std::string::npos) continue;
    out.emplace_back(prefix.empty() ? name : prefix + "." + name, parameter_object(tensor));
  }
  return out;
}

std::shared_ptr<Module> submodule(const std::shared_ptr<Module>& module,
                                  const std::string& target) {
  std::shared_ptr<Module> at = module;
  for (std::size_t begin = 0; begin < target.size();) {
    const std::size_t end = std::min(target.find('.', begin), target.size());
    const std::string name = target.substr(begin, end - begin);
    const NamedModules children = children_of(at);
    const auto child = std::find_if(children.begin(), children.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (child == children.end()) {
      throw py::attribute_error(at->class_name() + " has no child '" + name + "', of " + target);
    }
    at = child->second;
    begin = end + 1;
  }
  return at;
}

TensorObject parameter_at(const std::shared_ptr<Module>& module, const std::string& target) {
  const std::size_t point = target.rfind('.');
  const std::string name = point == target.npos ? target : target.substr(point + 1);
  const auto owner = point == target.npos ? module : submodule(module, target.substr(0, point));
  const Tensor* const found = own_tensor(*owner, name);
  if (!found || is_buffer(*owner, *found)) {
    throw py::attribute_error(owner->class_name() + " has no parameter '" + name + "'");
  }
  return parameter_object(*found);
}

void bind_walks(ModuleBase& c) {
  c.def(
       "parameters",
       [](const Module& module, bool recurse) {
         std::vector<TensorObject> out;
         for (auto& [name, tensor] : by_names(module, "", recurse)) out.push_back(tensor);
         return out;
       },
       py::arg("recurse") = true, "A list of every parameter once.")
      .def("named_parameters", &by_names, py::arg("prefix") = "", py::arg("recurse") = true)
      .def("get_submodule", &submodule, py::arg("target"), "That of a path, as \"layers.0.norm\".")
      .def("get_parameter", &parameter_at, py::arg("target"))
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

// What heed gives back of a Parameter is one, too.
void bind_parameter(py::module_& m) {
  const auto copied = [](const Parameter& x) {
    return Parameter(clone(x.detach()), x.requires_grad());
  };
  py::class_<Parameter, Tensor>(m, "Parameter",
                                "A leaf that becomes a parameter of the module it is assigned to.")
      .def(py::init<const Tensor&, bool>(), py::arg("data"), py::arg("requires_grad") = true)
      .def("__copy__", copied)
      .def("__deepcopy__", [copied](const Parameter& x, const py::object&) { return copied(x); })
      .def("__reduce__", [](const py::object& self) {
        const auto& x = self.cast<const Parameter&>();
        return py::make_tuple(py::type::of(self), py::make_tuple(x.detach(), x.requires_grad()));
      });
}

// What of a state did not fit, where that is no error.
IncompatibleKeys left_out(const Module& module, const NamedTensors& entries) {
  std::set<std::string> missing, unexpected;
  for (const auto& [name, tensor] : entries) unexpected.insert(name);
  for (const auto& [name, tensor] : module.state_dict()) {
    if (unexpected.erase(name) == 0) missing.insert(name);
  }
  const auto keys = [](const std::set<std::string>& names) {
    py::list out;
    for (const std::string& name : names) out.append(name);
    return out;
  };
  return IncompatibleKeys(
      py::module_::import("heed._heed").attr("_IncompatibleKeys")(keys(missing), keys(unexpected)));
}

}  // namespace

void bind_modules(py::module_& m) {
  bind_parameter(m);
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
          [](Module& module, const py::dict& given, bool strict) {
            const NamedTensors entries = entries_of(given);
            {
              const py::gil_scoped_release free;
              module.load_state_dict(entries, strict);
            }
            return left_out(module, entries);
          },
          py::arg("state_dict"), py::arg("strict") = true,
          "Copies numbers in place, all or none; raises ValueError that lists what does not fit. "
          "Without `strict` names may differ: it gives (missing_keys, unexpected_keys).")
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
      .def_property("training", &Module::training, &set_mode)
      .def(
          "zero_grad",
          [](Module& module, bool none) {
            if (none) return module.zero_grad();
            for (Tensor& parameter : module.parameters()) {
              if (!parameter.grad().defined()) continue;
              parameter.set_grad(zeros(parameter.shape(), parameter.dtype()));
            }
          },
          Free(), py::arg("set_to_none") = true,
          "Forgets the gradients, or, where not set_to_none, makes zeros of those there are.")
      .def(
          "to",
          [](const py::object& self, DType dtype) {
            auto& module = self.cast<Module&>();
            {
              const py::gil_scoped_release free;
              module.to(dtype);
            }
            return self;
          },
          py::arg("dtype"))
      .def(
          "to", [](const py::object& self, Device) { return self; }, py::arg("device").none(false),
          "Of \"cpu\" nothing is to be done.")
      .def("cpu", [](const py::object& self) { return self; })
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
