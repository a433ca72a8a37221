#include "sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "../error.h"
#include "../parallel.h"
#include "iterate.h"

namespace heed::kernels {
namespace {

// An unsigned integer that orders as the value does. A float's bits order as its magnitude:
// negative ones are turned around. Both zeros are one, and every NaN is the greatest.
std::uint32_t key_of(float value) {
  if (std::isnan(value)) return std::numeric_limits<std::uint32_t>::max();
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return bits >> 31 ? ~bits : bits | 0x80000000U;
}
std::uint64_t key_of(double value) {
  if (std::isnan(value)) return std::numeric_limits<std::uint64_t>::max();
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}
std::uint64_t key_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}
std::uint32_t key_of(bool value) { return value; }

// A key with its place. Where both fit into one word, comparing is one instruction.
struct Narrow {
  std::uint64_t word;
  Narrow() = default;
  Narrow(std::uint32_t key, Index place)
      : word(std::uint64_t{key} << 32 | static_cast<std::uint64_t>(place)) {}
  Index place() const { return static_cast<Index>(word & 0xFFFFFFFFU); }
  bool operator<(const Narrow& other) const { return word < other.word; }
};
struct Wide {
  std::uint64_t key;
  Index at;
  Wide() = default;
  Wide(std::uint64_t k, Index place) : key(k), at(place) {}
  Index place() const { return at; }
  bool operator<(const Wide& other) const {
    return key != other.key ? key < other.key : at < other.at;
  }
};

// Calls body(a row's values, its entries, where its places go) for every row along the axis; the
// result is [.., count, ..].
template <class Entry, class T, class Body>
Array each_row(const Array& x, Index axis, Index count, bool descending, const Body& body) {
  const Array rows = x.transpose(axis, -1).contiguous();
  const Index size = rows.size(-1);
  Shape shape = rows.shape();
  shape[shape.rank() - 1] = count;
  Array out = Array::empty(shape, DType::i64);
  if (out.numel() == 0) return out.transpose(axis, -1);
  const T* from = rows.data<T>();
  auto* to = out.mutable_data<std::int64_t>();
  const Index cost = 16;  // an element's share of sorting, in additions
  parallel_for(rows.numel() / size, std::max<Index>(1, kGrain / cost / size),
               [&](Index begin, Index end) {
                 std::vector<Entry> entries(static_cast<std::size_t>(size));
                 for (Index row = begin; row < end; ++row) {
                   const T* values = from + row * size;
                   for (Index i = 0; i < size; ++i) {
                     auto key = key_of(values[i]);
                     if (descending) key = ~key;
                     entries[static_cast<std::size_t>(i)] = Entry(key, i);
                   }
                   body(values, entries, to + row * count);
                 }
               });
  return out.transpose(axis, -1).contiguous();
}

template <class Body>
Array each_row(const Array& x, Index axis, Index count, bool descending, const Body& body) {
  return visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, bool>) {
      if (x.size(axis) <= Index{0xFFFFFFFF}) {
        return each_row<Narrow, T>(x, axis, count, descending, body);
      }
    }
    return each_row<Wide, T>(x, axis, count, descending, body);
  });
}

}  // namespace

Array first_places(const char* op, const Array& x, Index axis, Index count, bool descending,
                   bool sorted) {
  axis = normalize_axis(op, axis, x.rank());
  const Index size = x.size(axis);
  if (count < 0 || count > size) {
    throw ValueError(fmt::format("{}: k {} is not in [0, {}]", op, count, size));
  }
  return each_row(x, axis, count, descending, [&](const auto*, auto& entries, std::int64_t* to) {
    const auto first = entries.begin();
    const auto last = first + count;
    if (last != entries.end()) std::nth_element(first, last, entries.end());
    if (sorted) std::sort(first, last);
    for (auto entry = first; entry != last; ++entry) *to++ = entry->place();
    if (!sorted) std::sort(to - count, to);
  });
}

Array median_places(const Array& x, Index axis) {
  axis = normalize_axis("median", axis, x.rank());
  if (x.size(axis) == 0) {
    throw ShapeError(fmt::format("median: no elements to reduce in {}", describe(x)));
  }
  return each_row(x, axis, 1, false, [](const auto* row, auto& entries, std::int64_t* to) {
    const auto size = static_cast<std::ptrdiff_t>(entries.size());
    const auto* nan = std::find_if(row, row + size, [](auto value) { return value != value; });
    if (nan != row + size) {
      *to = nan - row;
      return;
    }
    const auto middle = entries.begin() + (size - 1) / 2;
    std::nth_element(entries.begin(), middle, entries.end());
    *to = middle->place();
  });
}

}  // namespace heed::kernels
