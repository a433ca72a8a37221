#include "storage.h"

#include <new>

#include "error.h"
#include "simd.h"

namespace heed {
namespace {

// Here because no program that computes is linked without storage.
[[maybe_unused]] const bool kHeld = hold_simd_to_environment();

}  // namespace

Ref<Storage> Storage::make(std::size_t bytes) {
  std::size_t total = 0;
  if (__builtin_add_overflow(bytes, sizeof(Storage), &total)) {
    throw OutOfMemory("allocate: the size overflows 64 bits");
  }
  return Ref<Storage>::adopt(::new (allocate_block(total, BlockKind::storage)) Storage(bytes));
}

Ref<Storage> Storage::around(std::byte* data, std::size_t bytes, void (*let_go)(void*),
                             void* owner) {
  void* block = nullptr;
  try {
    block = allocate_block(sizeof(Storage), BlockKind::storage);
  } catch (...) {
    let_go(owner);
    throw;
  }
  return Ref<Storage>::adopt(::new (block) Storage(data, bytes, let_go, owner));
}

void Storage::destroy(Storage* storage) noexcept {
  const std::size_t total = sizeof(Storage) + (storage->foreign() ? 0 : storage->bytes());
  if (storage->foreign()) storage->release_(storage->owner_);
  storage->~Storage();
  free_block(storage, total, BlockKind::storage);
}

}  // namespace heed
