// A sample of an operator that only moves elements.
#pragma once

#include <string>
#include <utility>

#include "row.h"

namespace heed::table {

/// Each element of the result, of the shape `to`, is the one of x at source(place).
inline Sample moved(const std::string& name, const std::vector<Index>& from,
                    const std::vector<Index>& to, Call call,
                    std::function<Place(const Place&)> source) {
  return sample(name, {in(from)}, std::move(call),
                [to, source = std::move(source)](const Blocks& x) {
                  return Block(to, [&](const Place& p) { return x[0](source(p)); });
                });
}

}  // namespace heed::table
