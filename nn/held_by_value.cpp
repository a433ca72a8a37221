#include "held_by_value.h"

#include <functional>
#include <mutex>
#include <set>

#include "../core/process_lock.h"
#include "module.h"

namespace heed::nn {
namespace {

// The size that a destroying operator delete is told of; null: it is to destroy.
constinit thread_local std::size_t* t_asked = nullptr;

using Places = std::set<const void*, std::less<>>;

// Never destroyed: modules may be static. For who has its lock: fork() could come while it is made.
Places& unowned() {
  static Places& all = *new Places;
  return all;
}

}  // namespace

// A destroying operator delete gets the object whole, and the size of its class from the destructor
// in the table of its virtual functions. It is the only place where a base learns that size: asked
// for it, this one destroys nothing.
void Module::operator delete(Module* module, std::destroying_delete_t, std::size_t size) {
  if (t_asked) {
    *t_asked = size;
    return;
  }
  void* const block = dynamic_cast<void*>(module);
  module->~Module();
  ::operator delete(block);
}

void Module::operator delete(Module* module, std::destroying_delete_t, std::size_t size,
                             std::align_val_t alignment) {
  if (t_asked) {
    *t_asked = size;
    return;
  }
  void* const block = dynamic_cast<void*>(module);
  module->~Module();
  ::operator delete(block, alignment);
}

namespace detail {

void enter_unowned(const Module* module) {
  const std::lock_guard lock(process_lock(ProcessLock::unowned));
  unowned().insert(module);
}

void leave_unowned(const Module* module) noexcept {
  const std::lock_guard lock(process_lock(ProcessLock::unowned));
  unowned().erase(module);
}

std::size_t size_of_object(const Module& module) {
  std::size_t size = 0;
  t_asked = &size;
  delete const_cast<Module*>(&module);
  t_asked = nullptr;
  return size;
}

std::vector<const Module*> held_by_value(const Module& module) {
  std::vector<const Module*> out;
  const auto* const begin = static_cast<const std::byte*>(dynamic_cast<const void*>(&module));
  const std::byte* const end = begin + size_of_object(module);
  const std::lock_guard lock(process_lock(ProcessLock::unowned));
  const Places& places = unowned();
  for (auto at = places.lower_bound(begin); at != places.end() && std::less<>()(*at, end); ++at) {
    if (*at != &module) out.push_back(static_cast<const Module*>(*at));
  }
  return out;
}

}  // namespace detail
}  // namespace heed::nn
