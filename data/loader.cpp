#include "loader.h"

#include <fmt/format.h>

#include <new>
#include <numeric>

namespace heed::data {
namespace {

// Of `count` examples that are drawn: what is left out must not be the longest each time.
std::vector<std::vector<Index>> batches_of_drawn(const std::vector<LengthKey>& lengths, Index size,
                                                 Index count, Generator& generator) {
  const std::vector<Index> drawn = generator.permutation(static_cast<Index>(lengths.size()));
  std::vector<LengthKey> kept;
  for (Index i = 0; i < count; ++i)
    kept.push_back(lengths[static_cast<std::size_t>(drawn[static_cast<std::size_t>(i)])]);
  auto out = batches_by_length(kept, size, generator);
  for (auto& rows : out) {
    for (Index& row : rows) row = drawn[static_cast<std::size_t>(row)];
  }
  return out;
}

}  // namespace

std::vector<std::vector<Index>> cut(Index count, const std::vector<LengthKey>& lengths,
                                    const Cut& how, Generator& generator) {
  Generator* const draws = how.shuffle ? &generator : nullptr;
  if (how.tokens != 0) {
    if (lengths.empty()) throw ValueError("loader: batches by tokens need the lengths: give `by`");
    if (how.drop_last) throw ValueError("loader: batches by tokens have no size: no drop_last");
    return how.packed ? batches_packed(lengths, how.tokens, draws)
                      : batches_by_tokens(lengths, how.tokens, draws);
  }
  if (how.packed) throw ValueError("loader: packed batches are cut by tokens: give `tokens`");
  if (how.size <= 0) {
    throw ValueError(fmt::format("loader: size {} must be positive", how.size));
  }
  std::vector<std::vector<Index>> batches;
  if (!lengths.empty()) {
    const Index rest = how.drop_last ? count % how.size : 0;
    if (draws && rest > 0) {
      batches = batches_of_drawn(lengths, how.size, count - rest, generator);
    } else {
      batches = draws ? batches_by_length(lengths, how.size, generator)
                      : batches_by_length(lengths, how.size);
    }
  } else {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    if (draws) order = generator.permutation(count);
    for (Index from = 0; from < count; from += how.size) {
      batches.emplace_back(order.begin() + from, order.begin() + std::min(from + how.size, count));
    }
  }
  if (how.drop_last) {
    std::erase_if(batches,
                  [&](const auto& rows) { return static_cast<Index>(rows.size()) < how.size; });
    if (batches.empty()) {
      throw ValueError(
          fmt::format("loader: {} examples are less than a batch of {}, and drop_last drops them",
                      count, how.size));
    }
  }
  return batches;
}

namespace detail {

std::vector<std::pair<std::string, Array>> to_arrays(const Place& place) {
  PlaceNumbers numbers = {static_cast<std::int64_t>(place.begin.seed),
                          static_cast<std::int64_t>(place.begin.offset), place.pass, place.index};
  numbers.insert(numbers.end(), place.within.begin(), place.within.end());
  return {{"loader", Array::from(numbers)}};
}

Place to_place(const std::vector<std::pair<std::string, Array>>& entries) {
  const bool fits = entries.size() == 1 && entries[0].first == "loader" &&
                    entries[0].second.defined() && entries[0].second.dtype() == DType::i64 &&
                    entries[0].second.rank() == 1 && entries[0].second.numel() >= 4;
  const auto numbers = fits ? entries[0].second.to_vector<std::int64_t>() : PlaceNumbers(4, -1);
  if (numbers[2] < 0 || numbers[3] < 0) {
    throw ValueError(
        "loader: the entries must be one, \"loader\", i64[4] or longer, a generator's state, "
        "passes and batches");
  }
  return {{static_cast<std::uint64_t>(numbers[0]), static_cast<std::uint64_t>(numbers[1])},
          numbers[2],
          numbers[3],
          PlaceNumbers(numbers.begin() + 4, numbers.end())};
}

Index checked_prefetch(Index count) {
  if (count < 0 || count > 1024) {
    throw ValueError(fmt::format("loader: prefetch {} must be in [0, 1024]", count));
  }
  return count;
}

void fail_beyond(const Place& place, Index found) {
  throw ValueError(fmt::format("loader: {} batches of pass {} are said to be done, but it has {}",
                               place.index, place.pass, found));
}

void fail_otherwise() {
  throw ValueError("loader: this state is of a loader that streams, and this one does not");
}

void fail_nothing() { throw ValueError("loader: there is nothing to load: the set is empty"); }

}  // namespace detail

void rethrow_named(const std::exception_ptr& error, Index batch, Index pass) {
  const auto named = [&](const std::exception& cause) {
    return fmt::format("loader: batch {} of pass {}: {}", batch, pass, cause.what());
  };
  try {
    std::rethrow_exception(error);
  } catch (const FormatError&) {  // names the file
    throw;
  } catch (const IoError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const ShapeError& cause) {
    throw ShapeError(named(cause));
  } catch (const DTypeError& cause) {
    throw DTypeError(named(cause));
  } catch (const IndexError& cause) {
    throw IndexError(named(cause));
  } catch (const ValueError& cause) {
    throw ValueError(named(cause));
  } catch (const GradError& cause) {
    throw GradError(named(cause));
  } catch (const OutOfMemory& cause) {
    throw OutOfMemory(named(cause));
  } catch (const std::exception& cause) {
    throw Error(named(cause));
  }
}

}  // namespace heed::data
