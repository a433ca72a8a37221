#include "options.h"

#include <algorithm>

namespace heed::python {
namespace {

// in_ and lambda_, where the name is a word of Python's own.
std::string python_name(const char* name) {
  const bool taken = py::module_::import("keyword").attr("iskeyword")(name).cast<bool>();
  return std::string(name) + (taken ? "_" : "");
}

}  // namespace

std::string public_name(const py::handle& type) {
  std::string place = py::str(type.attr("__module__"));
  for (const std::string part : {"._heed", "._"}) {
    for (std::size_t at; (at = place.find(part)) != place.npos;) {
      place.replace(at, part.size(), part == "._" ? "." : "");
    }
  }
  return place + "." + std::string(py::str(type.attr("__qualname__")));
}

std::string names_of(const Fields& fields) {
  std::string out;
  for (const Field& f : fields) out += (out.empty() ? "" : ", ") + f.name;
  return out;
}

void refuse(const std::string& who, const std::string& name, const py::handle& given) {
  std::string text = py::repr(given);
  if (text.size() > 80) text = text.substr(0, 80) + "..";
  throw py::type_error(who + "(): " + text + " is no " + name);
}

void set_options(const std::string& who, void* options, const py::dict& given, const Fields& fields,
                 const char* passed) {
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
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
}

Field field_at(const char* name, std::ptrdiff_t offset, const void* first, const ValueType& type) {
  Field out{.name = python_name(name), .set = {}};
  out.set = [name, offset, set = type.set](void* options, const py::handle& given) {
    set(static_cast<char*>(options) + offset, name, given);
  };
  out.type = type.type;
  out.first = [first, offset, shown = type.shown] {
    return shown(static_cast<const char*>(first) + offset);
  };
  if (type.get) {
    out.get = [offset, get = type.get](const void* options) {
      return get(static_cast<const char*>(options) + offset);
    };
  }
  return out;
}

}  // namespace heed::python
