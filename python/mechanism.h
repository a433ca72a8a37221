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

// Calls, whatever they are of, so that pybind11's own templates are compiled once.
using Call = std::function<py::object(const py::args&, const py::kwargs&)>;
using MethodCall = std::function<py::object(void* self, const py::args&, const py::kwargs&)>;
using InitCall =
    std::function<void(py::detail::value_and_holder&, const py::args&, const py::kwargs&)>;
/// The C++ object behind one of Python; null for none of its class.
using SelfOf = void* (*)(const py::handle&);
template <class T>
void* self_of(const py::handle& self) {
  py::detail::type_caster_base<T> caster;
  return caster.load(self, true) ? static_cast<T*>(caster) : nullptr;
}

void define(py::module_& m, const char* name, Call call, const std::string& doc);
/// Where `keeps`, what it gives keeps `self` and the arguments alive.
void define_method(py::object type, const char* name, SelfOf self, MethodCall call,
                   const std::string& doc, bool keeps);
void define_init(py::object type, InitCall call, const std::string& doc);
/// Of what a call gives: __init__ of named fields, attributes, iteration over all of them.
void define_record(py::object type, SelfOf self, InitCall init, const Fields& fields);

/// Of a result with several parts: iteration over them, places and their number.
void define_parts(py::object type, std::function<py::tuple(const py::object&)> parts);

/// A function by name, or several of one name.
template <class F>
void function(py::module_& m, const char* name, const char* names, F f, const std::string& what) {
  using Of = Callable<F>;
  const typename Of::Arguments arguments(name, names);
  const std::string doc = std::string(name) + "(" + arguments.text() + ") -> " +
                          result_text<typename Of::Result>() + "\n\n" + what;
  define(
      m, name,
      [arguments, f](const py::args& args, const py::kwargs& kwargs) {
        return run<typename Of::Result>(arguments.read(args, kwargs), f);
      },
      doc);
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
    define_init(
        *this,
        [arguments, make](py::detail::value_and_holder& place, const py::args& args,
                          const py::kwargs& kwargs) {
          const auto values = arguments.read(args, kwargs);
          py::detail::initimpl::construct<ModuleClass<T, Base>>(
              place, std::apply([&](const auto&... taken) { return make(taken.get()...); }, values),
              false);
        },
        doc_of("__init__", arguments.text(), "None", ""));
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
    define_method(
        *this, name, &self_of<T>,
        [arguments, f](void* self, const py::args& args, const py::kwargs& kwargs) {
          T& module = *static_cast<T*>(self);
          const auto here = [&](auto&&... given) -> Result {
            return std::invoke(f, module, given...);
          };
          return run<Result>(arguments.read(args, kwargs), here);
        },
        doc_of(name, arguments.text(), result_text<Result>(), what), keeps);
  }

  std::string doc_of(const char* name, const std::string& arguments, const std::string& result,
                     const char* what) const {
    return std::string(name) + "(self: " + public_name(*this) + (arguments.empty() ? "" : ", ") +
           arguments + ") -> " + result + (*what == '\0' ? "" : "\n\n") + what;
  }

  std::string name_;
};

/// What a call gives, by its HEED_GIVES: attributes, and all of them in their order when it is
/// unpacked.
template <class T, class... Base>
py::class_<T, Base...> record(py::module_& m, const char* what, const std::string& name = "") {
  using Class = py::class_<T, Base...>;
  Class c(m, (name.empty() ? class_name<T>() : name).c_str(), what);
  const auto init = [](py::detail::value_and_holder& place, const py::args&,
                       const py::kwargs& given) {
    py::detail::initimpl::construct<Class>(
        place, options_of(class_name<T>(), T(), given, FieldsOf<T>::all()), false);
  };
  define_record(c, &self_of<T>, init, FieldsOf<T>::all());
  return c;
}

}  // namespace heed::python
