// Sequential: modules, and functions between them, one after another; each takes the tensor that
// the one before gave. Children are named by their place, "0", "1", ..., functions included, so
// that state dicts are PyTorch's:
//
//   nn::Sequential net(nn::layer<nn::Linear>(784, 64), relu, nn::layer<nn::Linear>(64, 10));
//   net.add<nn::Dropout>(0.1);   // "3"
//   Tensor y = net(x);
#pragma once

#include <functional>
#include <type_traits>

#include "module.h"

namespace heed::nn {

/// A function as a module without parameters.
class Function : public Module {
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

class Sequential : public Module {
 public:
  /// Empty: gives back what it takes.
  Sequential() = default;
  /// Parts made by layer<T>(..), and functions Tensor -> Tensor.
  template <class First, class... Rest>
  requires(!std::is_base_of_v<Module, std::remove_cvref_t<First>>) explicit Sequential(
      const First& first, const Rest&... rest) {
    append(first);
    (append(rest), ...);
  }

  /// Makes a T, which takes one Tensor and gives one, at the end; its name is its place.
  template <class T, class... Args>
  T& add(Args&&... args) {
    return add_named<T>(std::to_string(calls_.size()), std::forward<Args>(args)...);
  }
  /// The same under another name. Throws ValueError for a name that is empty, taken or has a '.'.
  template <class T, class... Args>
  T& add_named(const std::string& name, Args&&... args) {
    calls_.reserve(calls_.size() + 1);  // a child must not stay without its call
    T& made = child<T>(name, std::forward<Args>(args)...);
    calls_.push_back([&made](const Tensor& x) -> Tensor { return made(x); });
    return made;
  }

  Tensor operator()(const Tensor& x) const;

  std::size_t size() const { return calls_.size(); }
  /// The module at a place. Throws IndexError out of range, ValueError when it is no T.
  template <class T>
  T& at(std::size_t place) const {
    T* found = dynamic_cast<T*>(&module(place));
    if (!found) throw_type(place);
    return *found;
  }

 private:
  template <class Part>
  void append(const Part& part) {
    if constexpr (std::is_invocable_v<const Part&, Sequential&>) {
      part(*this);
    } else {
      add<Function>(part);
    }
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

}  // namespace heed::nn
