#include "finite.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "../../parallel.h"
#include "../elementwise/iterate.h"
#include "finite_simd.h"
#include "reduce.h"

namespace heed::kernels {
namespace {

template <class T>
bool finite(const T* x, Index n) {
  std::atomic<bool> all = true;
  parallel_for(n, 2 * kGrain, [&](Index begin, Index end) {
    if (all.load(std::memory_order_relaxed) && !simd::finite<T>().all(end - begin, x + begin)) {
      all.store(false, std::memory_order_relaxed);
    }
  });
  return all.load();
}

}  // namespace

bool all_finite(const Array& x) {
  if (x.numel() == 0 || (x.dtype() != DType::f32 && x.dtype() != DType::f64)) return true;
  Storage& storage = *x.storage();
  if (storage.known_finite()) return true;
  return visit_floating("all_finite", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // Reading all that a part was cut from costs little more, and answers for the other parts.
    const auto whole = static_cast<Index>(storage.bytes() / sizeof(T));
    if (whole <= 4 * x.numel() && finite(reinterpret_cast<const T*>(storage.data()), whole)) {
      storage.note_finite();
      return true;
    }
    if (x.is_contiguous()) return finite(x.data<T>(), x.numel());
    // A sum is finite only where all of its terms are, but may overflow.
    if (std::isfinite(reduce(Reduce::sum, x, {}, false).item())) return true;
    const Array dense = x.contiguous();
    return finite(dense.data<T>(), dense.numel());
  });
}

}  // namespace heed::kernels
