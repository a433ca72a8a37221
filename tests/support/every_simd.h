// A test under each set of vector instructions that this processor has.
#pragma once

#include <gtest/gtest.h>

#include "../../core/simd.h"

namespace heed {

/// body() with the kernels held to plain C++, then to AVX2, then to AVX-512: so far as they are not
/// held to less already.
template <class Body>
void under_every_simd(const Body& body) {
  struct Restored {
    Simd before = simd();
    ~Restored() { hold_simd(before); }
  } const most;
  for (const Simd held : {Simd::plain, Simd::avx2, Simd::avx512}) {
    if (held > most.before) continue;
    hold_simd(held);
    if (simd() != held) continue;  // the processor has it not
    SCOPED_TRACE(name_of(held));
    body();
  }
}

}  // namespace heed
