#include "explained.h"

#include <cstdio>

namespace heed::train {

void BelievedTable::add(const std::string& explanation, const Array& map, const Array& evidence,
                        const SeenPart& answer, const Array* real) {
  constexpr Index kSteps = 8;
  auto& row = rows_[explanation];
  if (row.empty()) order_.push_back(explanation);
  row.push_back({pointing_game(map, evidence),
                 area_under(deletion_curve(map, answer, kSteps, real)),
                 area_under(insertion_curve(map, answer, kSteps, real))});
}

Believed BelievedTable::operator[](const std::string& explanation) const {
  Believed mean;
  const auto& row = rows_.at(explanation);
  for (const Believed& each : row) {
    const auto count = static_cast<double>(row.size());
    mean.pointing += each.pointing / count;
    mean.deletion += each.deletion / count;
    mean.insertion += each.insertion / count;
  }
  return mean;
}

BelievedTable::~BelievedTable() {
  for (const std::string& name : order_) {
    const Believed mean = (*this)[name];
    std::printf("| %s | %s | %.2f | %.2f | %.2f |\n", model_.c_str(), name.c_str(), mean.pointing,
                mean.deletion, mean.insertion);
  }
}

}  // namespace heed::train
