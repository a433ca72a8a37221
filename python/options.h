// Options are keyword arguments: a table of an aggregate's fields, and the aggregate that a call has named.
#pragma once

#include <algorithm>

#include "casters.h"

namespace heed::python {

template <class Options>
struct Field {
  const char* name;
  std::function<void(Options&, const py::handle&)> set;
};

template <class Options, class T>
Field<Options> field(const char* name, T Options::*place) {
  return {name,
          [place](Options& options, const py::handle& value) { options.*place = value.cast<T>(); }};
}

template <class Options>
using Fields = std::vector<Field<Options>>;

/// "lr, momentum": for the documentation of what takes them.
template <class Options>
std::string names_of(const Fields<Options>& fields) {
  std::string out;
  for (const auto& f : fields) out += (out.empty() ? "" : ", ") + std::string(f.name);
  return out;
}

/// `options` with what `given` says of them. Throws TypeError for a name that is none of theirs but `passed`.
template <class Options>
Options options_of(const char* who, Options options, const py::dict& given,
                   const Fields<Options>& fields, const char* passed = "") {
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
    if (found == fields.end()) {
      if (name == passed) continue;
      throw py::type_error(std::string(who) + "() has no option '" + name + "', but " +
                           names_of(fields));
    }
    try {
      found->set(options, value);
    } catch (const py::cast_error&) {
      throw py::type_error(std::string(who) + "(): " + std::string(py::repr(value)) + " is no " +
                           name);
    }
  }
  return options;
}

}  // namespace heed::python
