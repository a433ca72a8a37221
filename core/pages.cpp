#include "pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace heed {
namespace {

constexpr std::size_t kHugePage = 2097152;

}  // namespace

void* map_pages(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  // Huge pages need their own alignment: map more, cut off both ends.
  const std::size_t slack = bytes >= kHugePage ? kHugePage : 0;
  void* mapped =
      ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (slack == 0) return mapped;
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t head =
      (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (head != 0) ::munmap(begin, head);
  if (slack != head) ::munmap(begin + head + bytes, slack - head);
  ::madvise(begin + head, bytes, MADV_HUGEPAGE);
  return begin + head;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept { ::munmap(pages, bytes); }

}  // namespace heed
