// How a mechanism is bound, in a few lines each:
//
//   HEED_FIELDS(HopfieldOptions, state_width, stored_width, head_width, heads, updates, dtype)
//   Mechanism<Hopfield>(m, "Modern Hopfield networks (Ramsauer et al. 2021).")
//       .init<HopfieldOptions>()
//       .forward("states, stored, mask, need_weights", &Hopfield::operator(), "[B, Q, E], [B, K, E]");
//
// Names of classes are those of C++. Children and parameters are found by their names in the state
// dict.
#pragma once

#include "signature.h"

namespace heed::python {

/// "Hopfield"
template <class T>
std::string class_name() {
  const std::string full = py::type_id<T>();
  return full.substr(full.rfind(':') + 1);
}

template <class F>
struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... Args>
struct Callable<R (*)(Args...)> {
  using Result = R;
  using Arguments = Signature<Args...>;
};
template <class R, class C, class... Args>
struct Callable<R (C::*)(Args...) const> : Callable<R (*)(Args...)> {};
template <class R, class C, class... Args>
struct Callable<R (C::*)(Args...)> : Callable<R (*)(Args...)> {};
/// A function that takes the module first, as a method.
template <class F, class Self>
struct Method : Method<decltype(&F::operator()), Self> {};
template <class R, class C, class S, class... Args, class Self>
struct Method<R (C::*)(S, Args...) const, Self> : Callable<R (*)(Args...)> {};
template <class R, class S, class... Args, class Self>
struct Method<R (*)(S, Args...), Self> : Callable<R (*)(Args...)> {};

template <class F, class Self>
struct Called : Method<F, Self> {};
template <class F, class Self>
requires std::is_member_function_pointer_v<F>
struct Called<F, Self> : Callable<F> {
};

/// What f gives for these values, as Python has it. The interpreter goes on meanwhile.
template <class R, class Values, class F>
py::object run(const Values& values, const F& f) {
  const auto go = [&] {
    return std::apply([&](const auto&... taken) -> R { return f(taken.get()...); }, values);
  };
  if constexpr (std::is_void_v<R>) {
    const py::gil_scoped_release free;
    go();
    return py::none();
  } else {
    R out = [&] {
      const py::gil_scoped_release free;
      return go();
    }();
    return py::cast(std::move(out));
  }
}

template <class R>
std::string result_text() {
  if constexpr (std::is_void_v<R>) return "None";
  if constexpr (!std::is_void_v<R>) return type_text<std::remove_cvref_t<R>>();
}

/// A function by name, or several of one name.
template <class F>
void function(py::module_& m, const char* name, const char* names, F f, const std::string& what) {
  using Of = Callable<F>;
  const typename Of::Arguments arguments(name, names);
  py::options plain;
  plain.disable_function_signatures();
  const std::string doc = std::string(name) + "(" + arguments.text() + ") -> " +
                          result_text<typename Of::Result>() + "\n\n" + what;
  m.def(
      name,
      [arguments, f](const py::args& args, const py::kwargs& kwargs) {
        return run<typename Of::Result>(arguments.read(args, kwargs), f);
      },
      doc.c_str());
}

template <class T, class Base = nn::Module>
class Mechanism : public ModuleClass<T, Base> {
 public:
  Mechanism(py::module_& m, const char* what)
      : ModuleClass<T, Base>(m, class_name<T>().c_str(), what), name_(class_name<T>()) {}

  /// Made of these, as a constructor takes them.
  template <class... Parts>
  Mechanism& init(const char* names = "") {
    return made(names, [](Parts... parts) { return std::make_shared<T>(parts...); });
  }
  /// Made by a function.
  template <class F>
  Mechanism& made(const char* names, F make) {
    using Arguments = typename Callable<F>::Arguments;
    const Arguments arguments(name_, names);
    const auto init = [arguments, make](const py::args& args, const py::kwargs& kwargs) {
      const auto values = arguments.read(args, kwargs);
      return std::apply([&](const auto&... taken) { return make(taken.get()...); }, values);
    };
    describe("__init__", arguments.text(), "None", "",
             [&](const char* doc) { this->def(py::init(init), doc); });
    return *this;
  }

  template <class F>
  Mechanism& forward(const char* names, F f, const char* what = "") {
    return method("forward", names, f, what);
  }

  /// `f` is a member of T, or takes one first.
  template <class F>
  Mechanism& method(const char* name, const char* names, F f, const char* what = "") {
    bind<Called<F, T>>(name, names, f, what);
    return *this;
  }
  /// What it gives is a class of ours that refers to the module, and to what it was given.
  template <class F>
  Mechanism& keeping(const char* name, const char* names, F f, const char* what = "") {
    bind<Called<F, T>>(name, names, f, what, true);
    return *this;
  }

 private:
  template <class Of, class F>
  void bind(const char* name, const char* names, F f, const char* what, bool keeps = false) {
    using Result = typename Of::Result;
    const typename Of::Arguments arguments(name_ + "." + name, names);
    const auto call = [arguments, f, keeps](T& self, const py::args& args,
                                            const py::kwargs& kwargs) {
      const auto here = [&](auto&&... given) -> Result { return std::invoke(f, self, given...); };
      py::object out = run<Result>(arguments.read(args, kwargs), here);
      if (keeps) {
        py::detail::keep_alive_impl(out, py::cast(&self, py::return_value_policy::reference));
        for (const py::handle& given : args) py::detail::keep_alive_impl(out, given);
        for (const auto& named : kwargs) py::detail::keep_alive_impl(out, named.second);
      }
      return out;
    };
    describe(name, arguments.text(), result_text<Result>(), what,
             [&](const char* doc) { this->def(name, call, doc); });
  }

  template <class Define>
  void describe(const char* name, const std::string& arguments, const std::string& result,
                const char* what, const Define& define) {
    py::options plain;
    plain.disable_function_signatures();
    const std::string doc = std::string(name) + "(self: " + public_name(*this) +
                            (arguments.empty() ? "" : ", ") + arguments + ") -> " + result +
                            (*what == '\0' ? "" : "\n\n") + what;
    define(doc.c_str());
  }

  std::string name_;
};

/// What a call gives, by its HEED_GIVES: attributes, and all of them in their order when it is
/// unpacked.
template <class T, class... Base>
py::class_<T, Base...> record(py::module_& m, const char* what, const std::string& name = "") {
  const auto& fields = FieldsOf<T>::all();
  py::class_<T, Base...> c(m, (name.empty() ? class_name<T>() : name).c_str(), what);
  c.def(py::init([&fields](const py::kwargs& given) {
    return options_of(class_name<T>(), T(), given, fields);
  }));
  py::options plain;
  plain.disable_function_signatures();
  for (const auto& f : fields) {
    const std::string doc = "(self) -> " + f.type();
    c.def_property_readonly(f.name.c_str(),
                            py::cpp_function([&f](const T& given) { return f.get(given); },
                                             py::is_method(c), py::doc(doc.c_str())));
  }
  c.def("__iter__", [&fields](const T& given) {
    py::list all;
    for (const auto& f : fields) all.append(f.get(given));
    return py::iter(py::tuple(all));
  });
  return c;
}

}  // namespace heed::python
