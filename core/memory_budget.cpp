#include "memory_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "error.h"

namespace heed {
namespace {

constinit thread_local MemoryBudget* t_budget = nullptr;  // the innermost

}  // namespace

MemoryBudget::MemoryBudget(std::size_t bytes)
    : bytes_(bytes), before_(detail::live_bytes_of_thread()), outer_(t_budget) {
  t_budget = this;
}

MemoryBudget::~MemoryBudget() { t_budget = outer_; }

void MemoryBudget::ask(std::size_t bytes) {
  for (MemoryBudget* each = t_budget; each != nullptr; each = each->outer_) {
    const std::int64_t grown = detail::live_bytes_of_thread() - each->before_;
    const auto held = static_cast<std::size_t>(std::max<std::int64_t>(grown, 0));
    if (bytes <= each->bytes_ && held <= each->bytes_ - bytes) continue;
    each->refused_ = true;
    throw OutOfMemory(fmt::format("allocate: {} bytes more would pass the budget of {}: {} held",
                                  bytes, each->bytes_, held));
  }
}

}  // namespace heed
