#include "parity.h"

namespace heed::parity {

const std::vector<Without>& without_peer() {
  static const std::vector<Without> list = {
      {"linear_scan", "libtorch has no linear recurrence; the table's loop is what it is held to"},
      {"sparsemax", "libtorch has none"},
      {"entmax", "libtorch has none"},
      {"rms_norm", "libtorch has none before 2.4"},
      {"function", "an operator of the user's own"},
      {"hypot", "another of the user's own; libtorch's is not what it is held to"},
  };
  return list;
}

}  // namespace heed::parity
