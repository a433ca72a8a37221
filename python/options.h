// Options are keyword arguments: a table of an aggregate's fields, and the aggregate that a call
// has named.
#pragma once

#include <algorithm>

#include "casters.h"

namespace heed::python {

/// Where a user finds a class that was bound: "heed.attention.Mask".
inline std::string public_name(const py::handle& type) {
  std::string place = py::str(type.attr("__module__"));
  for (const std::string part : {"._heed", "._"}) {
    for (std::size_t at; (at = place.find(part)) != place.npos;) {
      place.replace(at, part.size(), part == "._" ? "." : "");
    }
  }
  return place + "." + std::string(py::str(type.attr("__qualname__")));
}

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

template <class Options>
struct Field {
  std::string name;
  std::function<void(Options&, const py::handle&)> set;
  /// Of what stands there, for signatures: its type, and what it is at first.
  std::function<std::string()> type = {}, first = {};
  std::function<py::object(const Options&)> get = {};
};

template <class Options>
using Fields = std::vector<Field<Options>>;

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
template <class Options>
std::string names_of(const Fields<Options>& fields) {
  std::string out;
  for (const auto& f : fields) out += (out.empty() ? "" : ", ") + f.name;
  return out;
}

/// Throws TypeError: what was given is no `name` of `who`.
[[noreturn]] inline void refuse(const std::string& who, const std::string& name,
                                const py::handle& given) {
  std::string text = py::repr(given);
  if (text.size() > 80) text = text.substr(0, 80) + "..";
  throw py::type_error(who + "(): " + text + " is no " + name);
}

/// `options` with what `given` says of them. Throws TypeError for a name that is none of theirs but
/// `passed`.
template <class Options>
Options options_of(const std::string& who, Options options, const py::dict& given,
                   const Fields<Options>& fields, const char* passed = "") {
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
    if (found == fields.end()) {
      if (name == passed) continue;
      throw py::type_error(who + "() has no option '" + name + "', but " + names_of(fields));
    }
    try {
      found->set(options, value);
    } catch (const py::cast_error&) {
      refuse(who, name, value);
    }
  }
  if constexpr (Finished<Options>) FieldsOf<Options>::finish(options, given);
  return options;
}

/// in_ and lambda_, where the name is a word of Python's own.
inline std::string python_name(const char* name) {
  const bool taken = py::module_::import("keyword").attr("iskeyword")(name).cast<bool>();
  return std::string(name) + (taken ? "_" : "");
}

/// Options within options are a dict: rotary_options={"base": 500000}.
template <class Options, class Base, class T>
Field<Options> field_of(const char* name, T Base::*place) {
  Field<Options> out{.name = python_name(name), .set = {}};
  if constexpr (Flattened<T>) {
    out.set = [=](Options& options, const py::handle& value) {
      if (!py::isinstance<py::dict>(value)) throw py::cast_error();
      options.*place = options_of(name, T(), value.cast<py::dict>(), FieldsOf<T>::all());
    };
    out.type = [] { return "dict"; };
    out.first = [] { return "{}"; };
  } else {
    out.set = [=](Options& options, const py::handle& value) { options.*place = value.cast<T>(); };
    out.type = [] { return type_text<T>(); };
    out.first = [=] { return std::string(py::repr(py::cast(Options().*place))); };
    out.get = [=](const Options& options) { return py::cast(options.*place); };
  }
  return out;
}
template <class Options, class T>
Field<Options> field(const char* name, T Options::*place) {
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
#define HEED_FIELDS_OF(TYPE, GIVEN, ...)                                 \
  template <>                                                            \
  struct FieldsOf<TYPE> {                                                \
    using O = TYPE;                                                      \
    static constexpr bool kGiven = GIVEN;                                \
    static const Fields<O>& all() {                                      \
      static const auto& fields = *new Fields<O> HEED_LIST(__VA_ARGS__); \
      return fields;                                                     \
    }                                                                    \
  };

}  // namespace heed::python
