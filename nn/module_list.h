// ModuleListOf<T>: any number of children of one class, named "0", "1", ... as in PyTorch. For
// children of several classes T may be a common base; a ModuleList holds modules of any.
//
//   nn::ModuleListOf<nn::Linear>& towers = child<nn::ModuleListOf<nn::Linear>>("towers");
//   for (int i = 0; i < 3; ++i) towers.append(nn::Linear(64, 64));
//   for (nn::Linear& tower : towers) x = relu(tower(x));
#pragma once

#include "sequential.h"

namespace heed::nn {

namespace detail {
[[noreturn]] void throw_place(std::size_t place, std::size_t size);
[[noreturn]] void throw_class(std::size_t place);
}  // namespace detail

template <class T>
class ModuleListOf : public Module {
 public:
  /// Goes over the modules.
  class Iterator {
   public:
    explicit Iterator(T* const* at) : at_(at) {}
    T& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    T* const* at_;
  };

  /// Makes a module from `args`, at the end; of class U where that is given.
  template <class U = T, class... Args>
  U& add(Args&&... args) {
    modules_.reserve(modules_.size() + 1);
    U& made = child<U>(std::to_string(modules_.size()), std::forward<Args>(args)...);
    modules_.push_back(&made);
    return made;
  }

  /// A layer of nn/ as it is written, at the end.
  template <detail::HandedOver U>
  requires std::is_base_of_v<T, U> U& append(U&& layer) {
    const auto made = Sequential::own(std::forward<U>(layer));
    modules_.reserve(modules_.size() + 1);
    U& kept = shared_child(std::to_string(modules_.size()), made);
    modules_.push_back(&kept);
    return kept;
  }
  template <detail::HandedOver U>
  requires std::is_base_of_v<T, U> U& push_back(U&& layer) {
    return append(std::forward<U>(layer));
  }

  std::size_t size() const { return modules_.size(); }
  /// Throws IndexError out of range.
  T& operator[](std::size_t place) const {
    if (place >= modules_.size()) detail::throw_place(place, modules_.size());
    return *modules_[place];
  }
  /// The module at a place. Throws IndexError out of range, ValueError when it is no U.
  template <class U>
  U& at(std::size_t place) const {
    U* const found = dynamic_cast<U*>(&(*this)[place]);
    if (!found) detail::throw_class(place);
    return *found;
  }
  Iterator begin() const { return Iterator(modules_.data()); }
  Iterator end() const { return Iterator(modules_.data() + modules_.size()); }

 private:
  std::vector<T*> modules_;
};

/// Of any class: `list.append(nn::Linear(3, 4))`, and `list.at<nn::Linear>(0)(x)`. Where all are of
/// one class, a ModuleListOf<nn::Linear> is called without at().
using ModuleList = ModuleListOf<Module>;

}  // namespace heed::nn
