// Options are keyword arguments: a table of an aggregate's fields, and the aggregate that a call
// has named.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "casters.h"

namespace heed::python {

/// Where a user finds a class that was bound: "heed.attention.Mask".
std::string public_name(const py::handle& type);

/// What a signature calls T, as "heed.Tensor"; of classes that were bound before.
template <class T>
std::string type_text() {
  static constexpr auto kText = py::detail::make_caster<T>::name;
  const auto types = decltype(kText)::types();
  std::size_t next = 0;
  std::string out;
  for (const char* at = kText.text; *at != '\0'; ++at) {
    if (*at == '%') {
      const auto* const bound = py::detail::get_type_info(std::type_index(*types[next++]));
      const py::handle type(reinterpret_cast<PyObject*>(bound ? bound->type : nullptr));
      out += bound ? public_name(type) : "object";
    } else if (*at != '{' && *at != '}') {
      out += *at;
    }
  }
  return out;
}

/// What Python does with a value of one type, wherever it stands.
struct ValueType {
  /// Throws py::cast_error for what is no such value of that name.
  void (*set)(void* value, const char* name, const py::handle& given);
  /// For signatures.
  std::string (*type)();
  std::string (*shown)(const void* value);
  /// Null for options, which are not given back.
  py::object (*get)(const void* value);
};

/// A field of an aggregate, which is passed by its address: what depended on the aggregate's type
/// would be compiled anew for each.
struct Field {
  std::string name;
  std::function<void(void* options, const py::handle&)> set;
  /// Of what stands there, for signatures: its type, and what it is at first.
  std::function<std::string()> type = {}, first = {};
  std::function<py::object(const void* options)> get = {};
};

using Fields = std::vector<Field>;

/// Of each aggregate that Python names field by field; made by HEED_FIELDS.
template <class Options>
struct FieldsOf;
template <class T>
concept Fielded = requires {
  FieldsOf<T>::all();
};
/// Options, not what a call gives: their fields are a call's own keyword arguments.
template <class T>
concept Flattened = Fielded<T> && !FieldsOf<T>::kGiven;
/// Those whose fields follow from each other, once all are named.
template <class T>
concept Finished = requires(T& options, const py::dict& given) {
  FieldsOf<T>::finish(options, given);
};

/// "lr, momentum": for the documentation of what takes them.
std::string names_of(const Fields& fields);

/// Throws TypeError: what was given is no `name` of `who`.
[[noreturn]] void refuse(const std::string& who, const std::string& name, const py::handle& given);

/// Writes what `given` says into `options`, which have these fields. Throws TypeError for a name
/// that is none of theirs but `passed`.
void set_options(const std::string& who, void* options, const py::dict& given, const Fields& fields,
                 const char* passed = "");

/// `options` with what `given` says of them. Throws as set_options().
template <class Options>
Options options_of(const std::string& who, Options options, const py::dict& given,
                   const Fields& fields, const char* passed = "") {
  set_options(who, &options, given, fields, passed);
  if constexpr (Finished<Options>) FieldsOf<Options>::finish(options, given);
  return options;
}

/// `set` of a field, of a function that takes the options themselves.
template <class Options, class F>
auto setting(F f) {
  return [f](void* options, const py::handle& given) { f(*static_cast<Options*>(options), given); };
}

/// Options within options are a dict: rotary_options={"base": 500000}.
template <class T>
const ValueType& value_type() {
  if constexpr (Flattened<T>) {
    static constexpr ValueType kType{
        [](void* value, const char* name, const py::handle& given) {
          if (!py::isinstance<py::dict>(given)) throw py::cast_error();
          *static_cast<T*>(value) =
              options_of(name, T(), given.cast<py::dict>(), FieldsOf<T>::all());
        },
        [] { return std::string("dict"); }, [](const void*) { return std::string("{}"); }, nullptr};
    return kType;
  } else {
    static constexpr ValueType kType{
        [](void* value, const char*, const py::handle& given) {
          *static_cast<T*>(value) = given.cast<T>();
        },
        &type_text<T>,
        [](const void* value) {
          return std::string(py::repr(py::cast(*static_cast<const T*>(value))));
        },
        [](const void* value) { return py::cast(*static_cast<const T*>(value)); }};
    return kType;
  }
}

/// The field so many bytes into options, which are those at `first` before anybody sets them. Of a
/// name that is a word of Python's own it is in_ and lambda_.
Field field_at(const char* name, std::ptrdiff_t offset, const void* first, const ValueType& type);

template <class Options, class Base, class T>
Field field_of(const char* name, T Base::*place) {
  static const auto& first = *new Options();
  const auto* const at = reinterpret_cast<const char*>(&(first.*place));
  return field_at(name, at - reinterpret_cast<const char*>(&first), &first, value_type<T>());
}
template <class Options, class T>
Field field(const char* name, T Options::*place) {
  return field_of<Options>(name, place);
}

// A line for each aggregate: HEED_FIELDS(SetOptions, width, heads, layer_norm, dtype)
#define HEED_PARENS ()
#define HEED_EXPAND(...) HEED_EXPAND3(HEED_EXPAND3(HEED_EXPAND3(__VA_ARGS__)))
#define HEED_EXPAND3(...) HEED_EXPAND2(HEED_EXPAND2(HEED_EXPAND2(__VA_ARGS__)))
#define HEED_EXPAND2(...) HEED_EXPAND1(HEED_EXPAND1(HEED_EXPAND1(__VA_ARGS__)))
#define HEED_EXPAND1(...) __VA_ARGS__
#define HEED_EACH(name, ...) \
  field_of<O>(#name, &O::name) __VA_OPT__(, HEED_AGAIN HEED_PARENS(__VA_ARGS__))
#define HEED_AGAIN() HEED_EACH
#define HEED_FIELDS(TYPE, ...) HEED_FIELDS_OF(TYPE, false, __VA_ARGS__)
// The same of what a call gives, which a record() binds: HEED_GIVES(ChainMarginals, nodes,
// log_partition)
#define HEED_GIVES(TYPE, ...) HEED_FIELDS_OF(TYPE, true, __VA_ARGS__)
// A list of fields where O is the aggregate.
#define HEED_LIST(...) \
  { HEED_EXPAND(HEED_EACH(__VA_ARGS__)) }
#define HEED_FIELDS_OF(TYPE, GIVEN, ...)                              \
  template <>                                                         \
  struct FieldsOf<TYPE> {                                             \
    using O = TYPE;                                                   \
    static constexpr bool kGiven = GIVEN;                             \
    static const Fields& all() {                                      \
      static const auto& fields = *new Fields HEED_LIST(__VA_ARGS__); \
      return fields;                                                  \
    }                                                                 \
  };

}  // namespace heed::python
