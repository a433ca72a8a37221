// Tensor: what it is (shape, dtype, gradient), how it reads and prints, and the tape as methods.
#include "bindings.h"

namespace heed::python {
namespace {

// As many lists in lists as the tensor has axes.
template <class T>
py::object listed(const Shape& shape, Index axis, const std::vector<T>& values, std::size_t& at) {
  using Number = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;
  if (axis == shape.rank()) return py::cast(static_cast<Number>(values[at++]));
  py::list out;
  for (Index i = 0; i < shape[axis]; ++i) out.append(listed(shape, axis + 1, values, at));
  return out;
}

py::object to_list(const Tensor& x) {
  return visit_dtype(x.dtype(), [&](auto zero) {
    std::size_t at = 0;
    return listed(x.shape(), 0, x.to_vector<decltype(zero)>(), at);
  });
}

py::object item(const Tensor& x) {
  if (x.dtype() == DType::boolean) return py::bool_(x.item<bool>());
  if (x.dtype() == DType::i64) return py::int_(x.item<Index>());
  return py::float_(x.item());
}

Tensor unlocked_to(const Tensor& x, DType dtype) {
  const py::gil_scoped_release free;
  return heed::to(x, dtype);
}

// f"{loss:.3f}"
py::str formatted(const py::object& self, const py::str& how) {
  const auto& x = self.cast<const Tensor&>();
  if (py::len(how) == 0 && x.rank() > 0) return py::str(self);
  if (x.numel() != 1) {
    throw py::type_error("format: only one element takes \"" + std::string(how) + "\", not " +
                         describe(x));
  }
  PyObject* const text = PyObject_Format(item(x).ptr(), how.ptr());
  if (!text) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

Tensor to(const Tensor& x, const py::object& what) {
  if (py::isinstance<py::str>(what)) {
    if (what.cast<std::string>() == "cpu") return x;
    throw ValueError("to: \"" + what.cast<std::string>() +
                     "\" is no device of heed's, which computes on \"cpu\"; dtypes are "
                     "heed.float32, float64, int64, bool, bfloat16");
  }
  if (py::isinstance<Tensor>(what)) return unlocked_to(x, what.cast<const Tensor&>().dtype());
  if (py::isinstance<DType>(what)) return unlocked_to(x, what.cast<DType>());
  throw py::type_error("to: takes a dtype of heed or a tensor, not " + std::string(py::repr(what)));
}

void bind_dtype(py::module_& m) {
  py::enum_<DType> c(m, "dtype", "The kinds of elements.");
  c.value("float32", DType::f32)
      .value("float64", DType::f64)
      .value("int64", DType::i64)
      .value("bool", DType::boolean)
      .value("bfloat16", DType::bf16)
      .def_property_readonly("is_floating_point", [](DType dtype) { return is_floating(dtype); })
      .def_property_readonly("itemsize", [](DType dtype) { return size_of(dtype); });
  // In the place of enum_'s own, which overloads would stand behind.
  for (const char* name : {"__repr__", "__str__"}) {
    c.attr(name) = py::cpp_function(
        [](const py::object& self) { return "heed." + std::string(py::str(self.attr("name"))); },
        py::name(name), py::is_method(c));
  }
  c.attr("__reduce__") = py::cpp_function(
      [](const py::object& self) {
        const py::object get = py::module_::import("builtins").attr("getattr");
        return py::make_tuple(get, py::make_tuple(py::type::of(self), self.attr("name")));
      },
      py::name("__reduce__"), py::is_method(c));
  for (const auto& [name, dtype] : {std::pair("float32", DType::f32),
                                    {"float64", DType::f64},
                                    {"int64", DType::i64},
                                    {"bool", DType::boolean},
                                    {"bfloat16", DType::bf16},
                                    {"bf16", DType::bf16},
                                    {"f32", DType::f32},
                                    {"f64", DType::f64},
                                    {"i64", DType::i64},
                                    {"float", DType::f32},
                                    {"double", DType::f64},
                                    {"long", DType::i64}}) {
    m.attr(name) = py::cast(dtype);
  }
}

void bind_facts(TensorClass& c) {
  c.def_property_readonly("shape", [](const Tensor& x) { return x.shape(); })
      .def_property_readonly("dtype", &Tensor::dtype)
      .def_property_readonly("ndim", &Tensor::rank)
      .def_property_readonly("device", [](const Tensor&) { return "cpu"; })
      .def_property_readonly("is_leaf", &Tensor::is_leaf)
      .def_property_readonly("is_sparse", &Tensor::is_sparse)
      .def("dim", &Tensor::rank)
      .def("numel", &Tensor::numel)
      .def("size", [](const Tensor& x) { return x.shape(); })
      .def(
          "size", [](const Tensor& x, Index dim) { return x.size(dim); }, py::arg("dim"))
      .def(
          "stride", [](const Tensor& x) { return x.strides(); }, "In elements.")
      .def("is_contiguous", &Tensor::is_contiguous)
      .def("is_floating_point", &Tensor::is_floating_point)
      .def("data_ptr",
           [](const Tensor& x) { return reinterpret_cast<std::uintptr_t>(x.array().raw()); })
      .def("element_size", [](const Tensor& x) { return size_of(x.dtype()); })
      .def("is_same", &Tensor::is_same, py::arg("other"),
           "Whether both are one object of the library, not whether their numbers are equal.")
      .def("item", &item,
           "The only element as a number. Raises ShapeError unless there is exactly one.")
      .def("tolist", &to_list)
      .def("__bool__", [](const Tensor& x) { return static_cast<bool>(x); })
      .def("__float__", [](const Tensor& x) { return x.item(); })
      .def("__int__",
           [](const Tensor& x) {
             PyObject* const whole = PyNumber_Long(item(x).ptr());  // or Python's own error
             if (!whole) throw py::error_already_set();
             return py::reinterpret_steal<py::int_>(whole);
           })
      .def("__index__",
           [](const Tensor& x) {
             if (x.dtype() != DType::i64)
               throw DTypeError("index: needs one i64, not " + describe(x));
             // By it Python tells what is no number: bytes() reads the buffer then.
             if (x.numel() != 1) throw py::type_error("index: needs one i64, not " + describe(x));
             return x.item<Index>();
           })
      .def("__repr__", [](const Tensor& x) { return to_string(x); })
      .def("__format__", &formatted, py::arg("format_spec"))
      .def("__hash__",
           [](const Tensor& x) { return reinterpret_cast<std::uintptr_t>(x.impl()) >> 4; })
      .def("__copy__",
           [](const Tensor& x) { return clone(x.detach()).set_requires_grad(x.requires_grad()); })
      .def("__deepcopy__",
           [](const Tensor& x, const py::object&) {
             if (!x.is_leaf()) throw GradError("deepcopy: only of leaves; say x.detach()");
             return clone(x.detach()).set_requires_grad(x.requires_grad());
           })
      .def("__reduce__", [](const py::object& self) {
        const auto& x = self.cast<const Tensor&>();
        if (!x.is_leaf()) throw GradError("pickle: only leaves; say x.detach()");
        const Array dense = x.array().contiguous();
        const py::bytes bytes(reinterpret_cast<const char*>(dense.raw()),
                              static_cast<std::size_t>(dense.numel()) * size_of(dense.dtype()));
        return py::make_tuple(
            py::module_::import("heed").attr("_unpickle"),
            py::make_tuple(bytes, x.shape(), static_cast<int>(x.dtype()), x.requires_grad()));
      });
}

void bind_tape(TensorClass& c) {
  c.def_property("requires_grad", py::overload_cast<>(&Tensor::requires_grad, py::const_),
                 [](Tensor& x, bool on) { x.set_requires_grad(on); })
      .def(
          "requires_grad_",
          [](const py::object& self, bool on) {
            self.cast<Tensor&>().set_requires_grad(on);
            return TensorObject(self);
          },
          py::arg("requires_grad") = true)
      .def_property("grad", &Tensor::grad,
                    [](Tensor& x, const Tensor& gradient) {
                      gradient.defined() ? x.set_grad(gradient) : x.zero_grad();
                    })
      .def("zero_grad", &Tensor::zero_grad, "Forgets the gradient: grad is None then.")
      .def(
          "backward",
          [](const Tensor& x, const Tensor& gradient, bool retain_graph, bool create_graph) {
            x.backward(gradient, {.retain_graph = retain_graph, .create_graph = create_graph});
          },
          Free(), py::arg("gradient") = Tensor(), py::arg("retain_graph") = false,
          py::arg("create_graph") = false,
          "Adds the derivatives of this into grad of every leaf. The gradient may be left out for "
          "one element.")
      .def("retain_grad", &Tensor::retain_grad, Free())
      .def_property_readonly("retains_grad", &Tensor::retains_grad)
      .def(
          "register_hook",
          [](const py::object& self, const py::function& hook) {
            const auto id = self.cast<const Tensor&>().register_hook(
                [hook = Held(hook)](const Tensor& gradient) {
                  const py::gil_scoped_acquire lock;
                  return hook()(gradient).cast<Tensor>();
                });
            return hook_handle(self, id);
          },
          py::arg("hook"),
          "Calls hook(gradient) once a backward pass; what it returns replaces the gradient, None "
          "keeps it. "
          "What comes back has remove(), and is the id for remove_hook().")
      .def("remove_hook", &Tensor::remove_hook, py::arg("id"))
      .def("detach", &Tensor::detach, "The same numbers, off the tape; the memory is shared.")
      .def_property_readonly("data", &Tensor::detach)
      .def("to", &to, py::arg("dtype"), "Another dtype, or that of a tensor.")
      .def("cpu", [](const Tensor& x) { return x; })
      .def(
          "float", [](const Tensor& x) { return heed::to(x, DType::f32); }, Free())
      .def(
          "double", [](const Tensor& x) { return heed::to(x, DType::f64); }, Free())
      .def(
          "long", [](const Tensor& x) { return heed::to(x, DType::i64); }, Free())
      .def(
          "bool", [](const Tensor& x) { return heed::to(x, DType::boolean); }, Free())
      .def("type_as", &Tensor::type_as, Free(), py::arg("other"));
}

}  // namespace

HookHandle hook_handle(const py::object& owner, std::uint64_t id) {
  return HookHandle(py::module_::import("heed.autograd").attr("RemovableHandle")(id, owner));
}

TensorClass bind_tensor(py::module_& m) {
  bind_dtype(m);
  // Tuples whose parts have names, by which pickle finds them, too.
  const py::object named = py::module_::import("collections").attr("namedtuple");
  for (const auto& [name, parts] : {std::pair("_Picked", "values indices"),
                                    {"_IncompatibleKeys", "missing_keys unexpected_keys"}}) {
    m.attr(name) = named(name, parts, py::arg("module") = "heed._heed");
  }
  TensorClass c(m, "Tensor",
                "An n-d block of f32, f64, i64 or bool that remembers how it was made. Two objects "
                "of Python may "
                "be one tensor: is_same() tells.");
  bind_facts(c);
  bind_tape(c);
  m.def("_unpickle", [](const py::bytes& bytes, const Shape& shape, int dtype, bool requires_grad) {
    constexpr int kLast = static_cast<int>(DType::bf16);
    if (dtype < 0 || dtype > kLast) throw ValueError("unpickle: an unknown dtype");
    Array out = Array::empty(shape, static_cast<DType>(dtype));
    const std::string numbers = bytes;
    if (numbers.size() != static_cast<std::size_t>(out.numel()) * size_of(out.dtype())) {
      throw ValueError("unpickle: the bytes do not fill the shape");
    }
    std::copy(numbers.begin(), numbers.end(), reinterpret_cast<char*>(out.mutable_raw()));
    return Tensor(std::move(out)).set_requires_grad(requires_grad);
  });
  return c;
}

}  // namespace heed::python
