#include "activations.h"

#include <fmt/format.h>

#include "../autograd/composed_words.h"
#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::nn {
namespace {

Gelu form_of(std::string_view approximate) {
  if (approximate == "none") return Gelu::exact;
  if (approximate == "tanh") return Gelu::tanh;
  throw ValueError(
      fmt::format("GELU: approximate is \"none\" or \"tanh\", not {}", in_quotes(approximate)));
}

}  // namespace

GELU::GELU(std::string_view approximate) : form_(form_of(approximate)) {}

CELU::CELU(double alpha) : alpha_(alpha) {
  if (alpha == 0) throw ValueError("CELU: alpha must not be 0");
}

Tensor CELU::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(celu(x, alpha_));
}

}  // namespace heed::nn
