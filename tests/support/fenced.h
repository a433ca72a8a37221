// Arrays whose numbers end right before a page of memory that nobody may touch, or begin right
// behind one: who reads or writes a single number beyond them ends the program.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "../../core/array.h"
#include "../../core/generator.h"
#include "every_simd.h"

namespace heed {

enum class Fence { behind, before };

/// The numbers of x, contiguous, with a fence at one end.
inline Array fenced(const Array& x, Fence fence) {
  struct Pages {
    std::byte* first;
    std::size_t bytes;
  };
  const Array dense = x.contiguous();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto size = static_cast<std::size_t>(x.numel()) * size_of(x.dtype());
  const std::size_t room = (size + page - 1) / page * page;
  void* const mapped =
      mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const pages = new Pages{static_cast<std::byte*>(mapped), room + page};
  const bool behind = fence == Fence::behind;
  mprotect(pages->first + (behind ? room : 0), page, PROT_NONE);
  std::byte* const numbers = pages->first + (behind ? room - size : page);
  if (size > 0) std::memcpy(numbers, dense.raw(), size);
  const auto release = [](void* owner) {
    auto* const own = static_cast<Pages*>(owner);
    munmap(own->first, own->bytes);
    delete own;
  };
  return Array::around(numbers, x.shape(), row_major(x.shape()), x.dtype(), release, pages);
}

/// body(fence) with a fence behind, then with one before the numbers; fence(x) is fenced x.
template <class Body>
void within_fences(const Body& body) {
  for (const Fence at : {Fence::behind, Fence::before}) {
    SCOPED_TRACE(at == Fence::behind ? "fenced behind" : "fenced before");
    body([at](const Array& x) { return fenced(x, at); });
  }
}

/// Whether they have one shape, one dtype and the same bits.
inline void expect_same_bits(const Array& found, const Array& wanted) {
  ASSERT_TRUE(found.shape() == wanted.shape()) << describe(found) << ", " << describe(wanted);
  ASSERT_EQ(found.dtype(), wanted.dtype());
  const Array a = found.contiguous(), b = wanted.contiguous();
  const auto bytes = static_cast<std::size_t>(a.numel()) * size_of(a.dtype());
  EXPECT_EQ(std::memcmp(a.raw(), b.raw(), bytes), 0) << describe(found);
}

/// Under each set of vector instructions, with f32 and with f64: body(fence, of), where of(shape)
/// or of(shape, low, high) draws numbers.
template <class Body>
void of_fenced_floats(const Body& body) {
  under_every_simd([&] {
    within_fences([&](const auto& fence) {
      for (const DType dtype : {DType::f32, DType::f64}) {
        SCOPED_TRACE(name(dtype));
        Generator draw(3);
        body(fence, [&](const Shape& shape, double low = -2, double high = 2) {
          return draw.uniform(shape, low, high, dtype);
        });
      }
    });
  });
}

}  // namespace heed
