#include "../../io/npy.h"

#include "checks.h"
#include "equal_arrays.h"
#include "targets.h"

namespace heed::fuzz {

void npy(std::string_view input) {
  Array read;
  if (!accepts({"f"}, input.size(), {.fixed = 1 << 13, .factor = 20},
               [&] { read = io::decode_npy(input, "f"); })) {
    return;
  }
  require(equal({{"x", io::decode_npy(io::encode_npy(read), "g")}}, {{"x", read}}),
          "it comes back");
}

}  // namespace heed::fuzz
