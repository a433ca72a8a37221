// Explanations of one model on examples whose evidence is known, and the table of how far each can
// be believed that docs/explanations.md shows.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../train/believed.h"

namespace heed::train {

struct Believed {
  double pointing = 0, deletion = 0, insertion = 0;
};

/// Of each explanation the mean over the models that were asked. When it goes it prints its rows of
/// docs/explanations.md.
class BelievedTable {
 public:
  explicit BelievedTable(std::string model) : model_(std::move(model)) {}
  BelievedTable(const BelievedTable&) = delete;
  BelievedTable& operator=(const BelievedTable&) = delete;
  ~BelievedTable();

  void add(const std::string& explanation, const Array& map, const Array& evidence,
           const SeenPart& answer, const Array* real = nullptr);
  Believed operator[](const std::string& explanation) const;

 private:
  std::string model_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<Believed>> rows_;
};

}  // namespace heed::train
