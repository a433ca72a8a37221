#include "relaxed_estimators.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../check_defined.h"
#include "../ops/reduce/reduce.h"

namespace heed {

Relaxed::Relaxed(Relaxation kind, double tau) : kind_(kind), tau_(tau) {
  if (!(tau > 0)) throw ValueError(fmt::format("Relaxed: tau {} must be positive", tau));
}

const char* Relaxed::name() const {
  switch (kind_) {
    case Relaxation::gumbel: return "Gumbel-softmax";
    case Relaxation::straight_through_gumbel: return "straight-through Gumbel";
    case Relaxation::straight_through: break;
  }
  return "straight-through";
}

Tensor Relaxed::operator()(const ChoiceCost& cost, Generator* generator) {
  RelaxedChoices choices(kind_, tau_, generator);
  const Tensor f = cost(choices);
  check_defined("Relaxed", f, "cost");
  return mean(f);
}

}  // namespace heed
