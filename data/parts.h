// Items drawn into what is learned from, what validates and what tests.
#pragma once

#include <vector>

#include "../core/generator.h"

namespace heed::data {

template <class Item>
struct Parts {
  std::vector<Item> train, validation, test;
};

/// A tenth each, rounded down, is to test and to validate, whatever the order of the items.
template <class Item>
Parts<Item> drawn_parts(const std::vector<Item>& items, Generator& generator) {
  Parts<Item> out;
  const auto count = static_cast<Index>(items.size());
  Index rank = 0;
  for (const Index row : generator.permutation(count)) {
    std::vector<Item>& part = rank < count / 10         ? out.test
                              : rank < 2 * (count / 10) ? out.validation
                                                        : out.train;
    part.push_back(items[static_cast<std::size_t>(row)]);
    ++rank;
  }
  return out;
}

}  // namespace heed::data
