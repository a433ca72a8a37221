// What the bindings of heed.attention share: masks from None and tensors, the terms of a call as
// keyword arguments, what a call gives.
#pragma once

#include "modules.h"
#include "options.h"

namespace heed::python {

/// Terms, and what they point to.
struct HeldTerms : attention::Terms {
  std::shared_ptr<attention::Normaliser> held_normaliser;
  std::shared_ptr<attention::OffsetBias> held_position_bias;
  std::shared_ptr<attention::RelativePositions> held_relative;
  std::optional<Held> held_generator;
};

/// Of mask=, bias=, need_weights=..; or of terms= alone, which are others' Terms. Throws TypeError.
HeldTerms terms_of(const py::dict& given);

/// Throws TypeError, ValueError.
attention::Mask mask_by_rule(const py::function& f, const py::args& captured);

using Lengths = std::vector<Index>;

}  // namespace heed::python

namespace pybind11::detail {

template <>
struct type_caster<heed::attention::Mask> : type_caster_base<heed::attention::Mask> {
  using Mask = heed::attention::Mask;
  bool load(handle from, bool convert) {
    if (from.is_none() || isinstance<heed::Tensor>(from)) {
      if (!convert) return false;
      if (!from.is_none()) made_ = Mask(from.cast<heed::Tensor>());
      value = &made_;
      return true;
    }
    return type_caster_base<Mask>::load(from, convert);
  }
  template <class T>
  static handle cast(T&& from, return_value_policy, handle parent) {
    return type_caster_base<Mask>::cast(Mask(from), return_value_policy::move, parent);
  }

 private:
  Mask made_;
};

}  // namespace pybind11::detail
