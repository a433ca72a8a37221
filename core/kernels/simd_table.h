// Kernels of vectors, of every dtype, by one dispatch. X_simd.h declares what there is, and where,
//
//   template <class T>
//   struct XKernels {
//     void (*scale)(Index n, T by, T* x);
//   };
//   template <class T>
//   const XKernels<T>& x();  // f32, f64
//
// and X_simd.cpp, compiled once for each instruction set, has the templates and at its end
//
//   HEED_SIMD_TABLE(x, XKernels, {.scale = scale<T>})  // in HWY_NAMESPACE
//   HEED_SIMD_DISPATCH(x, XKernels)                    // under HWY_ONCE
//
// A call is simd::x<T>().scale(n, by, to).
#pragma once

namespace heed::kernels::simd {

template <template <class> class Kernels>
struct OfDTypes {
  Kernels<float> f32;
  Kernels<double> f64;
};

}  // namespace heed::kernels::simd

/// The kernels of one instruction set.
#define HEED_SIMD_TABLE(x, Kernels, ...)                                   \
  const OfDTypes<Kernels>& x##_of_target() {                               \
    constexpr auto of = []<class T>(T) { return Kernels<T> __VA_ARGS__; }; \
    static constexpr OfDTypes<Kernels> kernels{of(0.0f), of(0.0)};         \
    return kernels;                                                        \
  }

/// Those of the processor that runs it.
#define HEED_SIMD_DISPATCH(x, Kernels)                \
  HWY_EXPORT(x##_of_target);                          \
  template <>                                         \
  const Kernels<float>& x<float>() {                  \
    return HWY_DYNAMIC_DISPATCH(x##_of_target)().f32; \
  }                                                   \
  template <>                                         \
  const Kernels<double>& x<double>() {                \
    return HWY_DYNAMIC_DISPATCH(x##_of_target)().f64; \
  }
