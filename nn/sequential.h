// Sequential: modules, and functions between them, one after another; each takes the tensor that
// the one before gave. Children are named by their place, "0", "1", ..., functions included, so
// that state dicts are PyTorch's:
//
//   nn::Sequential net(nn::Linear(784, 64), nn::ReLU(), nn::Linear(64, 10));
//   net.add<nn::Dropout>(0.1);   // "3"
//   Tensor y = net(x);
//
// The layers of nn/ are handed over as they are written; a module of one's own is made in its
// place, nn::layer<Block>(64), or net.add<Block>(64). A function takes one tensor and gives one.
#pragma once

#include <functional>
#include <type_traits>

#include "activations.h"
#include "layer.h"

namespace heed::nn {

/// A function as a module without parameters.
class Function : public Layer<Function> {
 public:
  /// Throws ValueError for an empty one.
  explicit Function(std::function<Tensor(const Tensor&)> function);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(function_(x));
  }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

namespace detail {

template <class T>
concept IsModule = std::is_base_of_v<Module, std::remove_cvref_t<T>>;
/// A layer of nn/ that nobody else holds.
template <class T>
concept HandedOver = IsModule<T> && !std::is_lvalue_reference_v<T> && !std::is_const_v<T> &&
                     std::is_base_of_v<Layer<T>, T>;
/// gelu, whose second argument has a default.
template <class T>
concept IsGelu = std::is_same_v < std::decay_t<T>,
        Tensor(*)
(const Tensor&, Gelu) > ;
template <class T>
concept IsFunction =
    !IsModule<T> &&
    (std::is_invocable_v<const std::remove_cvref_t<T>&, Sequential&> ||
     std::is_invocable_r_v<Tensor, const std::remove_cvref_t<T>&, const Tensor&> || IsGelu<T>);

}  // namespace detail

class Sequential : public Layer<Sequential> {
 public:
  /// Empty: gives back what it takes.
  Sequential() = default;
  /// Layers, parts made by layer<T>(..), and functions Tensor -> Tensor.
  template <class... Parts>
  requires(sizeof...(Parts) > 0 &&
           ((detail::HandedOver<Parts> ||
             detail::IsFunction<Parts>)&&...)) explicit Sequential(Parts&&... parts) {
    (push_back(std::forward<Parts>(parts)), ...);
  }
  template <class... Parts, heed::detail::Text instead =
                                "a part is a layer, or a function of one tensor: "
                                "nn::Softmax(-1), [](auto& x) { return softmax(x, -1); }">
  requires((!detail::IsModule<Parts> && !detail::IsFunction<Parts>) ||
           ...) explicit Sequential(const Parts&... parts) = delete;
  template <class... Parts, heed::detail::Text instead =
                                "a module of your own, or that has a name, is made in its "
                                "place: nn::layer<Block>(...), net.add<Block>(...)">
  requires(((detail::IsModule<Parts> && !detail::HandedOver<Parts>) || ...) &&
           ((detail::IsModule<Parts> ||
             detail::IsFunction<Parts>)&&...)) explicit Sequential(Parts&&... parts) = delete;

  /// One part more, at the end.
  template <class Given>
  requires(detail::HandedOver<Given> || detail::IsFunction<Given>) void push_back(Given&& part) {
    using T = std::remove_cvref_t<Given>;
    if constexpr (detail::IsModule<Given>) {
      take(new T(std::forward<Given>(part)));
    } else if constexpr (std::is_invocable_v<const T&, Sequential&>) {
      part(*this);
    } else if constexpr (detail::IsGelu<Given>) {
      add<GELU>();
    } else {
      add<Function>(std::forward<Given>(part));
    }
  }
  template <class Given>
  requires(detail::HandedOver<Given> || detail::IsFunction<Given>) void append(Given&& part) {
    push_back(std::forward<Given>(part));
  }

  /// Makes a T, which takes one Tensor and gives one, at the end; its name is its place.
  template <class T, class... Args>
  T& add(Args&&... args) {
    return add_named<T>(std::to_string(calls_.size()), std::forward<Args>(args)...);
  }
  template <class T>
  T& add(const typename T::Options& options) {
    return add<T, const typename T::Options&>(options);
  }
  /// The same under another name. Throws ValueError for a name that is empty, taken or has a '.'.
  template <class T, class... Args>
  T& add_named(const std::string& name, Args&&... args) {
    calls_.reserve(calls_.size() + 1);  // a child must not stay without its call
    T& made = child<T>(name, std::forward<Args>(args)...);
    calls_.push_back(call_of(made));
    return made;
  }

  Tensor operator()(const Tensor& x) const;

  void clone(Say<"nn::Sequential copy(...); copy.load_state_dict(net.state_dict())"> = {}) const =
      delete;

  std::size_t size() const { return calls_.size(); }
  /// Throws IndexError out of range.
  Module& operator[](std::size_t place) const { return module(place); }
  /// The module at a place. Throws IndexError out of range, ValueError when it is no T.
  template <class T>
  T& at(std::size_t place) const {
    T* found = dynamic_cast<T*>(&module(place));
    if (!found) throw_type(place);
    return *found;
  }

 private:
  Sequential(Sequential&&) = default;

  template <class T>
  static std::function<Tensor(const Tensor&)> call_of(T& made) {
    if constexpr (requires(const Tensor& x) { Tensor(made(x)); }) {
      return [&made](const Tensor& x) -> Tensor { return made(x); };
    } else {
      static_assert(
          requires(const Tensor& x) { Tensor(made.forward(x)); },
          "Sequential: a part takes one Tensor and gives one, by operator()");
      return [&made](const Tensor& x) -> Tensor { return made.forward(x); };
    }
  }
  template <class T>
  friend class ModuleListOf;
  template <class T>
  static std::shared_ptr<T> own(T&& layer) {
    return std::shared_ptr<T>(new T(std::forward<T>(layer)));
  }
  template <class T>
  void take(T* layer) {
    const std::shared_ptr<T> made(layer);
    calls_.reserve(calls_.size() + 1);
    shared_child(std::to_string(calls_.size()), made);
    calls_.push_back(call_of(*made));
  }
  Module& module(std::size_t place) const;
  [[noreturn]] void throw_type(std::size_t place) const;

  std::vector<std::function<Tensor(const Tensor&)>> calls_;
};

/// A part of a Sequential: a T that is made from `args` there.
template <class T, class... Args>
auto layer(Args... args) {
  return [=](Sequential& to) { to.add<T>(args...); };
}
template <class T>
auto layer(const typename T::Options& options) {
  return [=](Sequential& to) { to.add<T>(options); };
}

}  // namespace heed::nn
