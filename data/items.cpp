#include "items.h"

#include "../core/error.h"

namespace heed::data {
namespace {

[[noreturn]] void fail() {
  throw ValueError("streamed: this state is of other data, or of other options");
}

}  // namespace

std::int64_t PlaceReader::take(std::int64_t low, std::int64_t high) {
  if (at_ == numbers_->size()) fail();
  const std::int64_t number = (*numbers_)[at_++];
  if (number < low || number > high) fail();
  return number;
}

Generator::State PlaceReader::take_state() {
  const auto seed = static_cast<std::uint64_t>(take());
  const auto offset = static_cast<std::uint64_t>(take());
  return {seed, offset};
}

void PlaceReader::finish() const {
  if (at_ != numbers_->size()) fail();
}

void fail_undealt() {
  throw ValueError(
      "streamed: this source cannot be dealt in parts: its walk() takes no data::Deal");
}

void add_state(PlaceNumbers& to, const Generator::State& state) {
  to.push_back(static_cast<std::int64_t>(state.seed));
  to.push_back(static_cast<std::int64_t>(state.offset));
}

}  // namespace heed::data
