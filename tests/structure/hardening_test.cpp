// How programs are linked, read off this one.
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <vector>

namespace heed {
namespace {

// The headers of the program itself, which dl_iterate_phdr() names first.
std::vector<ElfW(Phdr)> program_headers(ElfW(Addr) & base) {
  struct Found {
    std::vector<ElfW(Phdr)> headers;
    ElfW(Addr) base = 0;
  } found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        auto& out = *static_cast<Found*>(to);
        out.headers.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
        out.base = info->dlpi_addr;
        return 1;
      },
      &found);
  base = found.base;
  return found.headers;
}

TEST(Hardening, TablesAreReadOnlyAndNothingOnTheStackRuns) {
  ElfW(Addr) base = 0;
  bool relro = false, stack = false, now = false;
  for (const ElfW(Phdr) & header : program_headers(base)) {
    relro = relro || header.p_type == PT_GNU_RELRO;
    if (header.p_type == PT_GNU_STACK) stack = (header.p_flags & PF_X) == 0;
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      now = now || entry->d_tag == DT_BIND_NOW ||
            (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_BIND_NOW) != 0) ||
            (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NOW) != 0);
    }
  }
  EXPECT_TRUE(relro);
  EXPECT_TRUE(stack);
  EXPECT_TRUE(now);
}

}  // namespace
}  // namespace heed
