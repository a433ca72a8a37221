#include "sequential.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::nn {

Function::Function(std::function<Tensor(const Tensor&)> function) : function_(std::move(function)) {
  if (!function_) throw ValueError("Function: the function is empty");
}

Tensor Sequential::operator()(const Tensor& x) const {
  const Scope scope(*this);
  Tensor y = x;
  for (const auto& call : calls_) y = call(y);
  return forwarded(std::move(y));
}

Module& Sequential::module(std::size_t place) const {
  if (place >= calls_.size()) {
    throw IndexError(
        fmt::format("Sequential: place {} is out of range [0, {})", place, calls_.size()));
  }
  return *children()[place].second;
}

void Sequential::throw_type(std::size_t place) const {
  throw ValueError(fmt::format("Sequential: the module {} at place {} is of another class",
                               in_quotes(children()[place].first), place));
}

}  // namespace heed::nn
