#include "mechanism.h"

namespace heed::python {
namespace {

// Signatures are in the documentation already.
py::cpp_function method(const py::object& type, auto call, const std::string& doc,
                        const auto&... more) {
  py::options plain;
  plain.disable_function_signatures();
  return py::cpp_function(call, py::is_method(type), py::doc(doc.c_str()), more...);
}

// Beside others of its name.
py::cpp_function named(const py::object& type, const char* name, auto call, const std::string& doc,
                       const auto&... more) {
  return method(type, std::move(call), doc, py::name(name),
                py::sibling(py::getattr(type, name, py::none())), more...);
}

void* checked(SelfOf of, const py::handle& type, const py::handle& self) {
  void* const at = of(self);
  if (!at) {
    throw py::type_error("what is called is of " + public_name(type) + ", not of " +
                         std::string(py::repr(py::type::of(self))));
  }
  return at;
}

}  // namespace

void define(py::module_& m, const char* name, Call call, const std::string& doc) {
  py::options plain;
  plain.disable_function_signatures();
  m.def(name, std::move(call), doc.c_str());
}

void define_method(py::object type, const char* name, SelfOf of, MethodCall call,
                   const std::string& doc, bool keeps) {
  type.attr(name) = named(
      type, name,
      [of, call, keeps, type = py::handle(type)](const py::object& self, const py::args& args,
                                                 const py::kwargs& kwargs) {
        py::object out = call(checked(of, type, self), args, kwargs);
        if (keeps) {
          py::detail::keep_alive_impl(out, self);
          for (const py::handle& given : args) py::detail::keep_alive_impl(out, given);
          for (const auto& named : kwargs) py::detail::keep_alive_impl(out, named.second);
        }
        return out;
      },
      doc);
}

void define_init(py::object type, InitCall call, const std::string& doc) {
  type.attr("__init__") =
      named(type, "__init__", std::move(call), doc, py::detail::is_new_style_constructor());
}

void define_record(py::object type, SelfOf of, InitCall init, const Fields& fields) {
  const auto by_name = [init](py::detail::value_and_holder& place, const py::kwargs& given) {
    init(place, py::args(), given);
  };
  type.attr("__init__") = named(type, "__init__", by_name,
                                "__init__(self: " + public_name(type) + ", **kwargs) -> None",
                                py::detail::is_new_style_constructor());
  const py::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
  for (const Field& f : fields) {
    const std::string doc = "(self) -> " + f.type();
    const auto get = [of, &f, type = py::handle(type)](const py::object& self) {
      return f.get(checked(of, type, self));
    };
    type.attr(f.name.c_str()) = property(method(type, get, doc), py::none(), py::none(), doc);
  }
  define_parts(type, [of, &fields, type = py::handle(type)](const py::object& self) {
    py::list all;
    for (const Field& f : fields) all.append(f.get(checked(of, type, self)));
    return py::tuple(all);
  });
}

void define_parts(py::object type, std::function<py::tuple(const py::object&)> parts) {
  type.attr("__iter__") = named(
      type, "__iter__", [parts](const py::object& self) { return py::iter(parts(self)); }, "");
  type.attr("__len__") = named(
      type, "__len__", [parts](const py::object& self) { return py::len(parts(self)); },
      "__len__(self) -> int");
  type.attr("__getitem__") = named(
      type, "__getitem__",
      [parts](const py::object& self, const py::object& key) -> py::object {
        return parts(self).attr("__getitem__")(key);
      },
      "__getitem__(self, key: object) -> object");
}

}  // namespace heed::python
