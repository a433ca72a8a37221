// Calls by name: one table of a function's parameters reads the positional and keyword arguments of
// Python, writes the signature that help() and the stubs show, and lets go of the interpreter's
// lock while it computes.
//
// Parameters are named in one text, in the order of the C++ ones: "query, keys, mask, hidden=0". A
// name with an "=" may be left out, and so may masks, lengths, flags, dtypes, generators, caches.
// An aggregate with HEED_FIELDS takes no name: its fields are keyword arguments. Neither do Terms,
// which take what is left.
#pragma once

#include <optional>
#include <tuple>

#include "attention.h"

namespace heed::python {

template <class T>
inline constexpr bool kMayLack = false;
template <>
inline constexpr bool kMayLack<attention::Mask> = true;
template <>
inline constexpr bool kMayLack<bool> = true;
template <>
inline constexpr bool kMayLack<DType> = true;
template <>
inline constexpr bool kMayLack<Lengths> = true;
template <>
inline constexpr bool kMayLack<Generator> = true;
template <class T>
inline constexpr bool kMayLack<std::optional<T>> = true;

/// Objects of classes that were bound, which are not copied.
template <class T>
concept Bound = std::is_base_of_v<py::detail::type_caster_generic, py::detail::make_caster<T>> &&
                !std::is_same_v<T, Tensor> &&
                !std::is_same_v<T, attention::Mask> && !std::is_enum_v<T> && !Flattened<T>;

/// A parameter of type P: what stands for it until the call.
template <class P>
struct Taken {
  using T = std::remove_cvref_t<P>;
  T value = [] {
    if constexpr (std::is_default_constructible_v<T>) return T{};
    if constexpr (!std::is_default_constructible_v<T>) return T(0);  // PerAxis
  }();
  void set(const py::handle& given) { value = given.cast<T>(); }
  const T& get() const { return value; }
};
template <class P>
requires Bound<std::remove_cvref_t<P>>
struct Taken<P> {
  using T = std::remove_cvref_t<P>;
  T* value = nullptr;
  void set(const py::handle& given) {
    value = given.cast<T*>();
    if (!value && !kMayLack<T>) throw py::cast_error();
  }
  T& get() const {
    if constexpr (std::is_same_v<T, Generator>) return value ? *value : default_generator();
    if constexpr (!std::is_same_v<T, Generator>) return *value;
  }
};
template <class B>
struct Taken<B*> {
  using T = std::remove_const_t<B>;
  T* value = nullptr;
  void set(const py::handle& given) { value = given.cast<T*>(); }
  B* get() const { return value; }
};
template <>
struct Taken<const attention::Terms&> {
  using T = attention::Terms;
  HeldTerms value;
  const T& get() const { return value; }
};

template <class... Args>
class Signature {
 public:
  using Values = std::tuple<Taken<Args>...>;

  Signature(std::string who, std::string_view names) : who_(std::move(who)) {
    const auto add = [&]<std::size_t... I>(std::index_sequence<I...>) { (place<I>(names), ...); };
    add(std::index_sequence_for<Args...>());
    // What stands before one that is needed is needed too.
    const auto needed = [](const Place& place) { return place.needed; };
    const auto end = places_.begin() + static_cast<std::ptrdiff_t>(positional_);
    const auto last = std::find_if(std::make_reverse_iterator(end), places_.rend(), needed);
    for (auto place = places_.begin(); place != last.base(); ++place) place->needed = true;
  }

  /// Throws TypeError for arguments that are too many, unknown, missing or of another type.
  Values read(const py::args& args, const py::kwargs& kwargs) const {
    Values values;
    for (const Place& place : places_) {
      if (place.first) place.set(values, place.first);
    }
    std::vector<bool> given(places_.size());
    if (args.size() > positional_) {
      throw py::type_error(who_ + "() takes " + std::to_string(positional_) +
                           " arguments without a name, not " + std::to_string(args.size()));
    }
    py::dict rest;
    for (std::size_t i = 0; i < args.size(); ++i) put(i, args[i], values, given);
    for (const auto& [key, value] : kwargs) {
      const auto name = py::cast<std::string>(key);
      const auto found = std::find_if(places_.begin(), places_.end(),
                                      [&](const Place& place) { return place.name == name; });
      if (found != places_.end()) {
        put(static_cast<std::size_t>(found - places_.begin()), value, values, given);
      } else {
        rest[key] = value;
      }
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!given[i] && places_[i].needed) {
        throw py::type_error(who_ + "() misses '" + places_[i].name + "'");
      }
    }
    for (const auto& finish : finish_) finish(values, kwargs);
    if (terms_) {
      terms_(values, rest);
    } else if (!rest.empty()) {
      std::string known;
      for (const Place& place : places_) known += (known.empty() ? "" : ", ") + place.name;
      throw py::type_error(who_ + "() has no option '" +
                           py::cast<std::string>(rest.begin()->first) + "', but " + known);
    }
    return values;
  }

  /// "x: heed.Tensor, *, dtype: heed.dtype = heed.float32, **kwargs"
  std::string text() const {
    std::string out;
    const auto comma = [&] { return out.empty() ? "" : ", "; };
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (i == positional_) out += std::string(comma()) + "*";
      const Place& place = places_[i];
      out +=
          comma() + place.name + ": " + place.type() + (place.needed ? "" : " = " + place.shown());
    }
    return out + (terms_ ? std::string(comma()) + "**kwargs" : "");
  }

 private:
  struct Place {
    std::string name;
    bool needed;
    std::function<void(Values&, const py::handle&)> set;
    std::function<std::string()> type, shown;
    py::object first = {};
  };

  void put(std::size_t at, const py::handle& value, Values& values,
           std::vector<bool>& given) const {
    const Place& place = places_[at];
    if (given[at]) throw py::type_error(who_ + "() is given '" + place.name + "' twice");
    given[at] = true;
    try {
      place.set(values, value);
    } catch (const py::cast_error&) {
      refuse(who_, place.name, value);
    }
  }

  template <std::size_t I>
  void place(std::string_view& names) {
    using Arg = std::tuple_element_t<I, Values>;
    using T = typename Arg::T;
    if constexpr (std::is_same_v<T, attention::Terms>) {
      terms_ = [](Values& values, const py::dict& rest) {
        std::get<I>(values).value = terms_of(rest);
      };
    } else if constexpr (Flattened<T>) {
      for (const auto& f : FieldsOf<T>::all()) {
        const auto set = [&f](Values& values, const py::handle& given) {
          f.set(std::get<I>(values).value, given);
        };
        places_.push_back({f.name, false, set, f.type, f.first});
        if constexpr (requires { FieldsOf<T>::kWithoutNames; }) {
          if (places_.size() <= FieldsOf<T>::kWithoutNames) ++positional_;
        }
      }
      if constexpr (Finished<T>) {
        finish_.push_back([](Values& values, const py::dict& given) {
          FieldsOf<T>::finish(std::get<I>(values).value, given);
        });
      }
    } else {
      const std::string_view spec = names.substr(0, names.find(", "));
      names.remove_prefix(std::min(names.size(), spec.size() + 2));
      const std::size_t equals = spec.find('=');
      const bool lacks = equals != spec.npos || kMayLack<T> ||
                         std::is_pointer_v<std::tuple_element_t<I, std::tuple<Args...>>>;
      const auto set = [](Values& values, const py::handle& given) {
        std::get<I>(values).set(given);
      };
      const py::object first = first_of<T>(equals == spec.npos ? "" : spec.substr(equals + 1));
      const std::string shown = first ? py::repr(first) : py::str("None");
      places_.push_back({std::string(spec.substr(0, equals)), !lacks, set, &type_of<T>,
                         [shown] { return shown; }, first});
      if (!std::is_same_v<T, DType> && positional_ + 1 == places_.size()) ++positional_;
    }
  }

  template <class T>
  static std::string type_of() {
    if (std::is_same_v<T, attention::Mask>) return "Union[heed.attention.Mask, heed.Tensor, None]";
    return type_text<T>();
  }

  // Null: what a Taken begins with.
  template <class T>
  static py::object first_of(std::string_view text) {
    if (!text.empty()) return py::module_::import("ast").attr("literal_eval")(std::string(text));
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, DType>) return py::cast(T{});
    return {};
  }

  std::string who_;
  std::vector<Place> places_;
  std::size_t positional_ = 0;
  std::vector<std::function<void(Values&, const py::dict&)>> finish_;
  std::function<void(Values&, const py::dict&)> terms_;
};

}  // namespace heed::python
