// Objects of Python that have nothing behind them: a class of one's own whose __init__() has not
// called super().__init__() yet, or what __new__() alone gave.
#include "bindings.h"

namespace heed::python {
namespace {

// pybind11 would give such an object memory that nobody has initialised.
void* refuse(std::size_t) { throw py::type_error("__init__() must call super().__init__() first"); }

}  // namespace

void refuse_unmade() {
  for (const auto& [cpp, type] : py::detail::get_internals().registered_types_cpp) {
    const py::handle name = reinterpret_cast<PyObject*>(type->type);
    if (py::str(name.attr("__module__")).cast<std::string>().starts_with("heed"))
      type->operator_new = &refuse;
  }
}

}  // namespace heed::python
