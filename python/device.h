// PyTorch's device=, of which there is one here.
#pragma once

#include "bindings.h"

namespace heed::python {

/// "cpu", or None.
struct Device {};

}  // namespace heed::python

namespace pybind11::detail {

template <>
struct type_caster<heed::python::Device> {
  PYBIND11_TYPE_CASTER(heed::python::Device, const_name("Optional[str]"));
  bool load(handle from, bool) {
    if (from.is_none()) return true;
    if (!PyUnicode_Check(from.ptr())) return false;
    const auto name = from.cast<std::string>();
    if (name == "cpu" || name == "cpu:0") return true;
    throw heed::ValueError("device: heed computes on \"cpu\", not on \"" + name + "\"");
  }
  static handle cast(heed::python::Device, return_value_policy, handle) {
    return str("cpu").release();
  }
};

}  // namespace pybind11::detail
