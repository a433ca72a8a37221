#include "copy.h"

#include <fmt/format.h>

#include <cstring>

#include "../error.h"
#include "iterate.h"

namespace heed::kernels {
namespace {

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int64_t>) {
    // Out of range (NaN too) is undefined for a cast: pin it to the ends, NaN to the lowest.
    if (!(value > static_cast<From>(-0x1p63))) return INT64_MIN;
    return value >= static_cast<From>(0x1p63) ? INT64_MAX : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void copy_run(To* to, Index to_step, const From* from, Index from_step, Index n) {
  if constexpr (std::is_same_v<To, From>) {
    if (to_step == 1 && from_step == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(To));
      return;
    }
  }
  if (to_step == 1 && from_step == 1) {
    for (Index i = 0; i < n; ++i) to[i] = convert<To>(from[i]);
  } else {
    for (Index i = 0; i < n; ++i) to[i * to_step] = convert<To>(from[i * from_step]);
  }
}

}  // namespace

void copy_into(Array& to, const Array& from) {
  if (!(to.shape() == from.shape())) {
    throw ShapeError(fmt::format("copy: shapes differ: {} into {}", describe(from), describe(to)));
  }
  const Walk<2> walk(to.shape(), {&to.strides(), &from.strides()});
  visit_dtype(to.dtype(), [&](auto to_zero) {
    visit_dtype(from.dtype(), [&](auto from_zero) {
      auto* target = to.mutable_data<decltype(to_zero)>();
      const auto* source = from.data<decltype(from_zero)>();
      walk.run([&](const auto& at, Index n) {
        copy_run(target + at[0], walk.inner_step(0), source + at[1], walk.inner_step(1), n);
      });
    });
  });
}

void fill(Array& to, double value) {
  const Walk<1> walk(to.shape(), {&to.strides()});
  visit_dtype(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* target = to.mutable_data<T>();
    const T element = convert<T>(value);
    walk.run([&](const auto& at, Index n) {
      const Index step = walk.inner_step(0);
      if (step == 1) {
        std::fill_n(target + at[0], n, element);
      } else {
        for (Index i = 0; i < n; ++i) target[at[0] + i * step] = element;
      }
    });
  });
}

}  // namespace heed::kernels
