// Layer: a Module whose operator() always passes through forwarded(), and which may be handed to a
// Sequential as it is written: nn::Sequential net(nn::Linear(3, 4), nn::ReLU()). The base of the
// layers of nn/. T is the class itself:
//
//   class Doubled : public nn::Layer<Doubled> {
//    public:
//     Tensor operator()(const Tensor& x) const { return forwarded(2 * x); }
//   };
#pragma once

#include "module.h"

namespace heed::nn {

class Sequential;

/// The first member of options that are given by name alone, {.stride = 2}: without it {2, 2} would
/// be two of them.
struct ByName {
  explicit constexpr ByName() = default;
};

template <class T>
class Layer : public Module {
 public:
  /// operator() by PyTorch's name for it. Throws GradError for a class derived from T.
  template <class... Args>
  decltype(auto) forward(Args&&... args) const {
    this->check_is(typeid(T));
    return static_cast<const T&>(*this)(std::forward<Args>(args)...);
  }

  /// layer->forward(x), as libtorch's holders write it.
  T* operator->() { return static_cast<T*>(this); }
  const T* operator->() const { return static_cast<const T*>(this); }

 protected:
  Layer() { forwards_always(); }
  /// For a class whose members refer to nothing but what parameter(), buffer() and child() gave:
  /// they stay where they are. Such a class has a private move constructor, a friend of Sequential.
  Layer(Layer&& from) : Module(std::move(from), Handover{}) {}
};

}  // namespace heed::nn
