#include "sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "../../error.h"
#include "../../parallel.h"
#include "../elementwise/iterate.h"

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
std::uint32_t key_of(BFloat16 value) { return key_of(static_cast<float>(value)); }

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

// Entry of place i of a row.
template <class Entry, class T>
Entry entry_of(const T* row, Index i, bool descending) {
  const auto key = key_of(row[i]);
  return Entry(descending ? ~key : key, i);
}

// Calls body(a row's values, room for entries, where its places go) for every row along the axis;
// the result is [.., count, ..].
template <class Entry, class T, class Body>
Array each_row(const Array& x, Index axis, Index count, const Body& body) {
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
                 std::vector<Entry> entries;
                 for (Index row = begin; row < end; ++row) {
                   entries.clear();
                   body(from + row * size, entries, to + row * count);
                 }
               });
  return out.transpose(axis, -1).contiguous();
}

// All entries of a row.
template <class Entry, class T>
void take_all(const T* row, Index size, bool descending, std::vector<Entry>& entries) {
  entries.resize(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) {
    entries[static_cast<std::size_t>(i)] = entry_of<Entry>(row, i, descending);
  }
}

// The first few entries of a row, sorted: each that comes before the last of those held is put in
// its place, which becomes rare soon.
template <class Entry, class T>
void take_few(const T* row, Index size, Index count, bool descending, std::vector<Entry>& entries) {
  entries.resize(static_cast<std::size_t>(count));
  Entry* const held = entries.data();
  const auto put = [&](Index end, const Entry& entry) {  // where `end` are held and another may be
    for (; end > 0 && entry < held[end - 1]; --end) held[end] = held[end - 1];
    held[end] = entry;
  };
  for (Index i = 0; i < count; ++i) put(i, entry_of<Entry>(row, i, descending));
  T bound = row[held[count - 1].place()];
  for (Index i = count;; ++i) {
    // Of equals the first stays. NaN goes on.
    if (descending) {
      while (i < size && row[i] <= bound) ++i;
    } else {
      while (i < size && row[i] >= bound) ++i;
    }
    if (i >= size) return;
    const auto entry = entry_of<Entry>(row, i, descending);
    if (held[count - 1] < entry) continue;
    put(count - 1, entry);
    bound = row[held[count - 1].place()];
  }
}

// The first `count` entries of a row, in any order. A long row is read once: what comes behind the
// last of the first seen so far is left out, and those that are held are thinned when they are
// many.
template <class Entry, class T>
void take_first(const T* row, Index size, Index count, bool descending,
                std::vector<Entry>& entries) {
  const auto held = static_cast<std::size_t>(count);
  const auto thin = [&] {
    if (entries.size() <= held) return;
    std::nth_element(entries.begin(), entries.begin() + (count - 1), entries.end());
    entries.resize(held);
  };
  constexpr Index kFew = 32;
  if (count == 0) return;
  if (count <= kFew) return take_few(row, size, count, descending, entries);
  if (count > size / 8) {
    take_all(row, size, descending, entries);
    return thin();
  }
  const std::size_t most = 4 * held + 16;
  take_all(row, std::min(size, static_cast<Index>(most)), descending, entries);
  thin();
  Entry last = entries.back();  // the greatest held, once thinned
  T bound = row[last.place()];
  for (Index i = static_cast<Index>(most); i < size; ++i) {
    if (descending ? row[i] < bound : row[i] > bound) continue;
    const auto entry = entry_of<Entry>(row, i, descending);
    if (last < entry) continue;
    entries.push_back(entry);
    if (entries.size() < most) continue;
    thin();
    last = entries.back();
    bound = row[last.place()];
  }
  thin();
}

template <class Body>
Array each_row(const Array& x, Index axis, Index count, const Body& body) {
  return visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, bool> ||
                  std::is_same_v<T, BFloat16>) {
      if (x.size(axis) <= Index{0xFFFFFFFF}) {
        return each_row<Narrow, T>(x, axis, count, body);
      }
    }
    return each_row<Wide, T>(x, axis, count, body);
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
  return each_row(x, axis, count, [&](const auto* row, auto& entries, std::int64_t* to) {
    take_first(row, size, count, descending, entries);
    if (sorted) std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries) *to++ = entry.place();
    if (!sorted) std::sort(to - count, to);
  });
}

Array median_places(const Array& x, Index axis) {
  axis = normalize_axis("median", axis, x.rank());
  if (x.size(axis) == 0) {
    throw ShapeError(fmt::format("median: no elements to reduce in {}", describe(x)));
  }
  const Index size = x.size(axis);
  return each_row(x, axis, 1, [size](const auto* row, auto& entries, std::int64_t* to) {
    const auto* nan = std::find_if(row, row + size, [](auto value) { return value != value; });
    if (nan != row + size) {
      *to = nan - row;
      return;
    }
    take_all(row, size, false, entries);
    const auto middle = entries.begin() + (size - 1) / 2;
    std::nth_element(entries.begin(), middle, entries.end());
    *to = middle->place();
  });
}

}  // namespace heed::kernels
