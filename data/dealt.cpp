#include "dealt.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"

namespace heed::data {
namespace {

constexpr Index kMost = 4096;

[[noreturn]] void fail_apart() {
  throw ValueError("streamed: the processes' loaders stand at different places");
}

PlaceNumbers numbers_of(const std::vector<std::pair<std::string, Array>>& entries) {
  if (entries.size() != 1) fail_apart();
  const Array& array = entries[0].second;
  if (array.dtype() != DType::i64 || array.rank() != 1) fail_apart();
  return array.to_vector<std::int64_t>();
}

}  // namespace

void check_parts(const char* op, Index parts, const char* name, Index size) {
  if (parts < 1 || parts > kMost) {
    throw ValueError(fmt::format("{}: parts {} must be in [1, {}]", op, parts, kMost));
  }
  if (size % parts != 0) {
    throw ValueError(
        fmt::format("{}: {} {} must be a multiple of the {} parts", op, name, size, parts));
  }
}

// Behind four numbers of the loader's: -parts, and each part's count of numbers and these.
std::vector<std::pair<std::string, Array>> joined_places(
    const std::vector<std::vector<std::pair<std::string, Array>>>& all) {
  if (all.empty()) throw ValueError("streamed: no process has said where it stands");
  std::vector<PlaceNumbers> places;
  places.reserve(all.size());
  for (const auto& each : all) places.push_back(numbers_of(each));
  const PlaceNumbers& first = places[0];
  if (std::all_of(places.begin(), places.end(), [&](const auto& each) { return each == first; })) {
    return all[0];
  }
  constexpr std::ptrdiff_t kOwn = 4;
  std::vector<PlaceNumbers> parts;
  for (const PlaceNumbers& place : places) {
    if (std::ssize(place) <= kOwn || std::ssize(first) <= kOwn || first[kOwn] >= 0 ||
        !std::equal(first.begin(), first.begin() + kOwn + 1, place.begin())) {
      fail_apart();
    }
    const auto known =
        detail::to_parts(PlaceNumbers(place.begin() + kOwn, place.end()), -first[kOwn]);
    parts.resize(known.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].empty()) {
        parts[p] = known[p];
      } else if (!known[p].empty() && known[p] != parts[p]) {
        fail_apart();
      }
    }
  }
  PlaceNumbers out(first.begin(), first.begin() + kOwn);
  const PlaceNumbers joined = detail::to_numbers(parts);
  out.insert(out.end(), joined.begin(), joined.end());
  return {{all[0][0].first, Array::from(out)}};
}

namespace detail {

PlaceNumbers to_numbers(const std::vector<PlaceNumbers>& parts) {
  PlaceNumbers out{-std::ssize(parts)};
  for (const PlaceNumbers& each : parts) {
    out.push_back(std::ssize(each));
    for (const std::int64_t number : each) out.push_back(number);
  }
  return out;
}

std::vector<PlaceNumbers> to_parts(const PlaceNumbers& place, Index count) {
  PlaceReader from(place);
  from.take(-count, -count);
  std::vector<PlaceNumbers> out;
  for (Index p = 0; p < count; ++p) {
    const std::int64_t length = from.take(0, std::ssize(place));
    out.emplace_back();
    for (std::int64_t i = 0; i < length; ++i) out.back().push_back(from.take());
  }
  from.finish();
  return out;
}

Index parts_of_piece(Index parts, Index pieces) {
  if (parts % pieces != 0) {
    throw ValueError(
        fmt::format("streamed: {} parts cannot be shared out in {} pieces a batch: a multiple of "
                    "the pieces can",
                    parts, pieces));
  }
  return parts / pieces;
}

void fail_lost(Index part, Index parts) {
  throw ValueError(fmt::format(
      "streamed: where part {} of {} stands is known to the process that read it: go on "
      "from a saved state",
      part, parts));
}

Index buffer_of(Index buffer, Index parts) {
  return buffer == 1 ? 1 : std::max<Index>(2, buffer / parts);
}

}  // namespace detail

}  // namespace heed::data
