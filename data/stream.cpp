#include "stream.h"

#include <fmt/format.h>

namespace heed::data {

void check_stream(const StreamOptions& options) {
  if (options.size <= 0 || options.buffer <= 0) {
    throw ValueError(fmt::format("streamed: size {} and buffer {} must be positive", options.size,
                                 options.buffer));
  }
  check_parts("streamed", options.parts, "size", options.size);
}

}  // namespace heed::data
