// A premise, a hypothesis, and what the one says about the other (textual entailment).
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace heed::data {

enum class Relation : std::uint8_t { entailment, neutral, contradiction };

/// In the order of Relation's values.
inline constexpr std::array<const char*, 3> kRelations = {"entailment", "neutral", "contradiction"};

struct SentencePair {
  std::string premise, hypothesis;
  Relation relation = Relation::neutral;
  Relation back = Relation::neutral;  ///< the other way round, of the hypothesis as the premise
  std::uint64_t line = 0;             ///< where it stands in its file, from 1; 0: in none
};

}  // namespace heed::data
