#include "op.h"

namespace heed {

const char* name(Op op) {
  static constexpr const char* kNames[] = {
#define HEED_OP(name) #name,
      HEED_OPS(HEED_OP)
#undef HEED_OP
  };
  return kNames[static_cast<int>(op)];
}

}  // namespace heed
