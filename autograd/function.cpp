#include "function.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed {

void detail::throw_once_differentiable() {
  throw GradError(
      fmt::format("backward: {} can be differentiated once only; create_graph asks for "
                  "more",
                  t_current ? t_current->name() : "a function"));
}

}  // namespace heed
