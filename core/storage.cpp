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

void Storage::destroy(Storage* storage) noexcept {
  const std::size_t total = sizeof(Storage) + storage->bytes();
  storage->~Storage();
  free_block(storage, total, BlockKind::storage);
}

}  // namespace heed
