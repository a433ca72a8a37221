// ModuleList: any number of children of one class, named "0", "1", ... as in PyTorch. For children
// of several classes T may be a common base.
//
//   nn::ModuleList<nn::Linear>& towers = child<nn::ModuleList<nn::Linear>>("towers");
//   for (int i = 0; i < 3; ++i) towers.add(64, 64);
//   for (nn::Linear& tower : towers) x = relu(tower(x));
#pragma once

#include "module.h"

namespace heed::nn {

namespace detail {
[[noreturn]] void throw_place(std::size_t place, std::size_t size);
}

template <class T>
class ModuleList : public Module {
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

  std::size_t size() const { return modules_.size(); }
  /// Throws IndexError out of range.
  T& operator[](std::size_t place) const {
    if (place >= modules_.size()) detail::throw_place(place, modules_.size());
    return *modules_[place];
  }
  Iterator begin() const { return Iterator(modules_.data()); }
  Iterator end() const { return Iterator(modules_.data() + modules_.size()); }

 private:
  std::vector<T*> modules_;
};

/// Of any class: `nn::ModuleList list; list.add<nn::Linear>(3, 4);`.
ModuleList()->ModuleList<Module>;

}  // namespace heed::nn
