#include "simd.h"

#include <hwy/highway.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace heed {
namespace {

constexpr Simd kAll[] = {Simd::plain, Simd::avx2, Simd::avx512};

#if HWY_ARCH_X86
constexpr std::int64_t kPlain = HWY_STATIC_TARGET | HWY_SCALAR | HWY_EMU128;
constexpr std::int64_t kAvx2 = HWY_AVX2;
constexpr std::int64_t kAvx512 = HWY_AVX3 | HWY_AVX3_DL;
#else
constexpr std::int64_t kPlain = ~std::int64_t{0}, kAvx2 = 0, kAvx512 = 0;
#endif

std::int64_t targets_of(Simd most) {
  return kPlain | (most >= Simd::avx2 ? kAvx2 : 0) | (most >= Simd::avx512 ? kAvx512 : 0);
}

// Highway's SupportedTargets() lets kernels use all that the processor has, whatever is disabled,
// until somebody says otherwise: so it is asked here only.
Simd use(Simd most) {
  hwy::DisableTargets(~targets_of(most));
  const std::int64_t targets = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(targets);
  return (targets & kAvx512) != 0 ? Simd::avx512
         : (targets & kAvx2) != 0 ? Simd::avx2
                                  : Simd::plain;
}

std::atomic<Simd>& used() {
  static std::atomic<Simd> simd = use(Simd::avx512);
  return simd;
}

}  // namespace

Simd simd() { return used(); }

void hold_simd(Simd most) {
  std::atomic<Simd>& now = used();
  now = use(most);
}

#if HWY_ARCH_X86
bool has_bf16_dot() { return simd() == Simd::avx512 && __builtin_cpu_supports("avx512bf16") != 0; }
bool has_int8_dot() { return simd() == Simd::avx512 && __builtin_cpu_supports("avx512vnni") != 0; }
#else
bool has_bf16_dot() { return false; }
bool has_int8_dot() { return false; }
#endif

const char* name_of(Simd simd) {
  constexpr const char* kNames[] = {"plain", "avx2", "avx512"};
  return kNames[static_cast<std::size_t>(simd)];
}

std::optional<Simd> simd_named(std::string_view name) {
  for (const Simd simd : kAll) {
    if (name == name_of(simd)) return simd;
  }
  return std::nullopt;
}

bool hold_simd_to_environment() {
  const char* const name = std::getenv("HEED_SIMD");
  if (name == nullptr || *name == '\0') return true;
  if (const std::optional<Simd> most = simd_named(name)) {
    hold_simd(*most);
  } else {
    std::fprintf(stderr, "heed: HEED_SIMD is none of avx512, avx2, plain: left aside\n");
  }
  return true;
}

}  // namespace heed
