// nn.Module's __call__() and its hooks.
#include "modules.h"

namespace heed::python {
namespace {

using nn::HeldOff;
using nn::Module;

/// A forward hook that is written in Python: of a module whose forward() is, too, it sees whatever
/// that gives.
struct PythonHook {
  Held hook;
  std::weak_ptr<Module> module;

  /// None to keep `output`. Under the lock only.
  py::object seen(const py::object& output) const { return hook()(module.lock(), output); }
  Tensor operator()(const Module&, const Tensor& output) const {
    const py::gil_scoped_acquire lock;
    return seen(py::cast(output)).cast<Tensor>();
  }
};

Tensor without_lock(const auto& f) {
  const py::gil_scoped_release free;
  return f();
}

// `out` through the module's forward hooks, in their order.
py::object hooked(const Module& module, py::object out) {
  if (!hooks_of(module)) return out;
  {
    const HeldOff already(module);
    static_cast<void>(hooks_of(module)->run(module, Tensor()));  // they count as called
  }
  const auto now = hooks_of(module)->forward();  // a hook may remove itself
  for (const auto& [id, hook] : now) {
    if (const auto* const python = hook.target<PythonHook>()) {
      py::object changed = python->seen(out);
      if (!changed.is_none()) out = std::move(changed);
    } else if (py::isinstance<Tensor>(out)) {
      const Tensor changed =
          without_lock([&, given = out.cast<Tensor>()] { return hook(module, given); });
      if (changed.defined()) out = py::cast(changed);
    }
  }
  return out;
}

// Whether this is a forward() of C++, which gives what it computes to the hooks by itself.
bool is_compiled(const py::object& forward) {
  return PyMethod_Check(forward.ptr()) && PyCFunction_Check(PyMethod_GET_FUNCTION(forward.ptr()));
}

// What is written in Python gives its hooks the final result, once.
py::object call(const py::object& self, const py::args& args, const py::kwargs& kwargs) {
  auto& module = self.cast<Module&>();
  auto* const ours = dynamic_cast<PythonModule*>(&module);
  const py::object forward = self.attr("forward");
  if (!ours && (!hooks_of(module) || is_compiled(forward))) return called(forward, args, kwargs);
  if (!ours) {
    py::object out;
    {
      const HeldOff within(module);  // super().forward()
      out = called(forward, args, kwargs);
    }
    return hooked(module, std::move(out));
  }
  const heed::Scope scope(module);
  py::object out = hooked(module, called(forward, args, kwargs));
  if (observed() && py::isinstance<Tensor>(out)) {
    const HeldOff already(module);
    without_lock([&, given = out.cast<Tensor>()] { return ours->forwarded(given); });
  }
  return out;
}

}  // namespace

void bind_hooks(ModuleBase& c) {
  c.def("__call__", &call)
      .def(
          "register_forward_hook",
          [](const py::object& self, const py::function& hook) {
            const auto module = self.cast<std::shared_ptr<Module>>();
            return hook_handle(self, module->register_forward_hook(PythonHook{Held(hook), module}));
          },
          py::arg("hook"),
          "hook(module, output) sees what the module returns, and replaces it by what it gives, if "
          "any. Of a module whose forward() is written in Python that is the final result, of any "
          "type; of a layer with several results the first.")
      .def(
          "register_hook",
          [](const py::object& self, const py::function& hook) {
            const auto id = self.cast<Module&>().register_hook(
                [held = Held(hook)](const std::string& name, const Tensor& gradient) {
                  const py::gil_scoped_acquire lock;
                  return held()(name, gradient).cast<Tensor>();
                });
            return hook_handle(self, id);
          },
          py::arg("hook"), "hook(name, gradient) of every parameter.")
      .def("remove_hook", &Module::remove_hook, py::arg("id"));
}

}  // namespace heed::python
