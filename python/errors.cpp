// heed's tree of errors as exceptions of Python: each derives from heed.Error and from the built-in
// one that a Python programmer would expect, so that `except IndexError` works as well.
#include <cstring>

#include "bindings.h"

namespace heed::python {
namespace {

// Live as long as the process: translators run until its end.
struct Tree {
  PyObject *error, *shape, *dtype, *index, *value, *grad, *format, *io, *memory, *anomaly;
};
Tree g_tree;

PyObject* make(py::module_& to, const char* name, PyObject* base, PyObject* built_in,
               const char* what) {
  const py::tuple bases = built_in ? py::make_tuple(py::handle(base), py::handle(built_in))
                                   : py::make_tuple(py::handle(base));
  const std::string full = std::string("heed.") + name;
  PyObject* const made = PyErr_NewExceptionWithDoc(full.c_str(), what, bases.ptr(), nullptr);
  if (!made) throw py::error_already_set();
  to.attr(name) = py::handle(made);
  return made;
}

// A type of C++ by the name that it has for who calls from Python; empty where it has none.
std::string in_python(const std::string& type) {
  const std::pair<const char*, const char*> words[] = {{"double", "float"},
                                                       {"float", "float"},
                                                       {"long", "int"},
                                                       {"int", "int"},
                                                       {"bool", "bool"},
                                                       {"heed::Scalar", "number"},
                                                       {"heed::DType", "heed.dtype"}};
  for (const auto& [theirs, ours] : words) {
    if (type == theirs) return ours;
  }
  const std::string maybe = "std::optional<";
  if (type.starts_with(maybe)) {
    const std::string inner = in_python(type.substr(maybe.size(), type.size() - maybe.size() - 1));
    return inner.empty() ? "" : inner + " or None";
  }
  const std::string many = "std::vector<";
  if (type.starts_with(many)) {
    const std::string inner = in_python(type.substr(many.size(), type.find(',') - many.size()));
    return inner.empty() ? "list" : "list of " + inner;
  }
  const std::pair<const char*, const char*> kinds[] = {{"std::__cxx11::basic_string<", "str"},
                                                       {"std::pair<", "tuple"},
                                                       {"std::tuple<", "tuple"},
                                                       {"std::map<", "dict"}};
  for (const auto& [theirs, ours] : kinds) {
    if (type.starts_with(theirs)) return ours;
  }
  if (!type.starts_with("heed::") || type.find('<') != std::string::npos) return "";
  return "heed." + type.substr(type.rfind(':') + 1);
}

// pybind11's text of a value of another type, "Unable to cast Python instance of type <class 'X'>
// to C++ type 'Y'", in words of Python.
std::string of_cast(const std::string& text) {
  const auto between = [&text](const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) return std::string();
    const auto end = text.find(after, begin + before.size());
    return text.substr(begin + before.size(), end - begin - before.size());
  };
  const std::string given = between("<class '", "'>");
  const std::string wanted = in_python(between("to C++ type '", "'"));
  if (given.empty()) return "a value is of another type than is needed here";
  if (wanted.empty()) return "another type is needed here than " + given;
  if (given == "str" && wanted == "str") return "a str of other characters than text has";
  const bool content = wanted.starts_with("list") && (given == "list" || given == "tuple");
  return "a " + wanted + " is needed, not " + (content ? "this " : "") + given;
}

// An error of files, which carries where.
template <class... Fields>
void raise(PyObject* type, const char* text, const Fields&... fields) {
  const py::object error = py::reinterpret_borrow<py::object>(type)(text);
  (py::setattr(error, fields.first, fields.second), ...);
  PyErr_SetObject(type, error.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const FormatError& e) {
    raise(g_tree.format, e.what(), std::pair("path", py::str(e.path())),
          std::pair("offset", py::int_(e.offset())));
  } catch (const IoError& e) {
    raise(g_tree.io, e.what(), std::pair("filename", py::str(e.path())),
          std::pair("errno", py::int_(e.code())),
          std::pair("strerror", py::str(std::strerror(e.code()))));
  } catch (const ShapeError& e) {
    PyErr_SetString(g_tree.shape, e.what());
  } catch (const DTypeError& e) {
    PyErr_SetString(g_tree.dtype, e.what());
  } catch (const IndexError& e) {
    PyErr_SetString(g_tree.index, e.what());
  } catch (const ValueError& e) {
    PyErr_SetString(g_tree.value, e.what());
  } catch (const GradError& e) {
    PyErr_SetString(g_tree.grad, e.what());
  } catch (const OutOfMemory& e) {
    PyErr_SetString(g_tree.memory, e.what());
  } catch (const AnomalyError& e) {
    PyErr_SetString(g_tree.anomaly, e.what());
  } catch (const Error& e) {
    PyErr_SetString(g_tree.error, e.what());
  } catch (const std::bad_alloc&) {  // of anything else than arrays and the tape
    PyErr_SetString(g_tree.memory, "memory could not be had");
  } catch (const py::cast_error& e) {
    PyErr_SetString(PyExc_TypeError, of_cast(e.what()).c_str());
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  PyObject* const base =
      make(m, "Error", PyExc_Exception, nullptr,
           "Base of all that heed throws. The text names the operator, the rule, and what came.");
  g_tree = {
      .error = base,
      .shape =
          make(m, "ShapeError", base, PyExc_ValueError, "Ranks, sizes or axes that do not fit."),
      .dtype =
          make(m, "DTypeError", base, PyExc_TypeError, "A dtype that the operator does not take."),
      .index = make(m, "IndexError", base, PyExc_IndexError, "An index outside its range."),
      .value =
          make(m, "ValueError", base, PyExc_ValueError, "An argument whose value makes no sense."),
      .grad = make(m, "GradError", base, PyExc_RuntimeError,
                   "The tape was used in a way it cannot serve."),
      .format = make(m, "FormatError", base, PyExc_ValueError,
                     "A file whose content breaks its format; has path and offset."),
      .io = make(m, "IoError", base, PyExc_OSError, "The system refused; has errno and filename."),
      .memory = make(m, "OutOfMemory", base, PyExc_MemoryError, "Memory could not be had."),
      .anomaly = make(m, "AnomalyError", base, PyExc_ArithmeticError,
                      "detect_anomaly() saw a number that is not finite."),
  };
  // OSError's own would print its fields in the place of the text.
  py::setattr(g_tree.io, "__str__", py::handle(PyExc_BaseException).attr("__str__"));
  py::register_exception_translator(&translate);
}

}  // namespace heed::python
