// NamedTensors: tensors under their names, in order: parameters, buffers, a state. Each is a pair
// of a name and a handle, and is found by its name, too:
//
//   for (const auto& [name, tensor] : model.named_parameters()) ...
//   Tensor w = model.state_dict()["out.weight"];
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn {

class NamedTensors : public std::vector<std::pair<std::string, Tensor>> {
 public:
  using Entries = std::vector<std::pair<std::string, Tensor>>;
  using Entries::Entries;
  NamedTensors() = default;
  NamedTensors(const Entries& entries) : Entries(entries) {}
  NamedTensors(Entries&& entries) noexcept : Entries(std::move(entries)) {}

  using Entries::at;
  using Entries::operator[];
  /// The first tensor of this name. Throws IndexError where there is none: nothing is put in.
  Tensor& operator[](std::string_view name) & { return begin()[place(name)].second; }
  const Tensor& operator[](std::string_view name) const& { return begin()[place(name)].second; }
  Tensor operator[](std::string_view name) && { return begin()[place(name)].second; }
  Tensor& at(std::string_view name) & { return (*this)[name]; }
  const Tensor& at(std::string_view name) const& { return (*this)[name]; }
  Tensor at(std::string_view name) && { return (*this)[name]; }
  bool contains(std::string_view name) const;

 private:
  std::ptrdiff_t place(std::string_view name) const;
};

}  // namespace heed::nn
