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
  void set(const py::handle& given) {
    if constexpr (std::is_same_v<T, Lengths>) {
      if (given.is_none()) return value.clear();
    }
    value = given.cast<T>();
  }
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

/// What a parameter that has a name is, whatever its type.
struct ParameterType {
  void (*set)(void* taken, const py::handle& given);
  std::string (*type)();
  /// It may be left out.
  bool lacks;
  /// It must be named.
  bool by_name;
  /// What it is without, unless its Taken knows; may be null.
  py::object (*first)();
};

/// The parameters of a call, whose values stand side by side in a block of memory. What does not
/// depend on their types is compiled once.
class Parameters {
 public:
  explicit Parameters(std::string who) : who_(std::move(who)) {}

  /// "x: heed.Tensor, *, dtype: heed.dtype = heed.float32, **kwargs"
  std::string text() const;

 protected:
  /// The next of `names`, so many bytes into the block.
  void add(std::ptrdiff_t offset, const ParameterType& type, std::string_view& names);
  /// Options, of whose fields some may stand without a name.
  void add(std::ptrdiff_t offset, const Fields& fields, std::size_t without_names);
  void add_finish(std::ptrdiff_t offset, void (*finish)(void* options, const py::dict& given));
  void add_terms(std::ptrdiff_t offset) { terms_ = offset; }
  /// What stands before one that is needed is needed too.
  void close();

  /// Throws TypeError for arguments that are too many, unknown, missing or of another type.
  void read_into(void* values, const py::args& args, const py::kwargs& kwargs) const;

 private:
  struct Place {
    std::string name;
    bool needed;
    std::ptrdiff_t offset;
    std::function<void(void*, const py::handle&)> set;
    std::function<std::string()> type, shown;
    py::object first = {};
  };
  struct Finish {
    std::ptrdiff_t offset;
    void (*finish)(void*, const py::dict&);
  };

  void put(std::size_t at, const py::handle& value, void* values, std::vector<bool>& given) const;

  std::string who_;
  std::vector<Place> places_;
  std::size_t positional_ = 0;
  std::vector<Finish> finish_;
  std::optional<std::ptrdiff_t> terms_;
};

template <class T>
std::string parameter_text() {
  if (std::is_same_v<T, attention::Mask>) return "Union[heed.attention.Mask, heed.Tensor, None]";
  return type_text<T>();
}

template <class P>
const ParameterType& parameter_type() {
  using T = typename Taken<P>::T;
  static constexpr ParameterType kType{
      [](void* taken, const py::handle& given) { static_cast<Taken<P>*>(taken)->set(given); },
      &parameter_text<T>, kMayLack<T> || std::is_pointer_v<P>, std::is_same_v<T, DType>,
      []() -> py::object {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, DType>) return py::cast(T{});
        return {};
      }};
  return kType;
}

template <class... Args>
class Signature : public Parameters {
 public:
  using Values = std::tuple<Taken<Args>...>;

  Signature(std::string who, std::string_view names) : Parameters(std::move(who)) {
    const Values values;
    const auto* const block = reinterpret_cast<const char*>(&values);
    std::apply([&](const auto&... taken) { (place<Args>(block, taken, names), ...); }, values);
    close();
  }

  Values read(const py::args& args, const py::kwargs& kwargs) const {
    Values values;
    read_into(&values, args, kwargs);
    return values;
  }

 private:
  template <class P>
  void place(const char* block, const Taken<P>& taken, std::string_view& names) {
    using T = typename Taken<P>::T;
    const auto offset = [block](const auto& part) {
      return reinterpret_cast<const char*>(&part) - block;
    };
    if constexpr (std::is_same_v<T, attention::Terms>) {
      add_terms(offset(taken));
    } else if constexpr (Flattened<T>) {
      std::size_t without_names = 0;
      if constexpr (requires { FieldsOf<T>::kWithoutNames; })
        without_names = FieldsOf<T>::kWithoutNames;
      add(offset(taken.value), FieldsOf<T>::all(), without_names);
      if constexpr (Finished<T>) {
        add_finish(offset(taken.value), [](void* options, const py::dict& given) {
          FieldsOf<T>::finish(*static_cast<T*>(options), given);
        });
      }
    } else {
      add(offset(taken), parameter_type<P>(), names);
    }
  }
};

}  // namespace heed::python
