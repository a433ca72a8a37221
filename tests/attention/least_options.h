// The least that each number among options may be: one less is refused, in words that say all of
// them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../core/shape.h"
#include "../support/throws.h"

namespace heed::attention {

template <class Options>
struct Least {
  Index Options::*member;
  Index least = 1;
  bool alone = true;  ///< whether the others leave room for it
};

/// `text` has a {} for each of the members, in their order.
template <class Model, class Options>
void expect_least(const Options& good, const std::string& text,
                  const std::vector<Least<Options>>& members) {
  SCOPED_TRACE(text);
  const auto filled = [&](const Options& o) {
    std::string out = text;
    for (const auto& each : members) {
      const auto place = out.find("{}");
      if (place == std::string::npos) return std::string("more numbers than places");
      out.replace(place, 2, std::to_string(o.*each.member));
    }
    return out;
  };
  EXPECT_NO_THROW(Model{good});
  for (const auto& each : members) {
    Options changed = good;
    changed.*each.member = each.least;
    if (each.alone) {
      EXPECT_NO_THROW(Model{changed}) << filled(changed);
    }
    for (const Index below : {each.least - 1, Index{-3}}) {
      changed.*each.member = below;
      EXPECT_ERROR(ValueError, filled(changed), Model{changed});
    }
  }
}

}  // namespace heed::attention
