// Generated pairs of a premise and a hypothesis, and whether the one follows from the other:
//
//   a small dog is running in the garden / an animal is moving         entailment
//   a dog is running / a small dog is running                          neutral
//   a dog is running / no animal is moving                             contradiction
//   a dog is running in the garden / a dog is sleeping in the garden   contradiction
//   no animal is running / no small dog is running                     entailment
//
// What holds is decided by monotonicity, as in natural logic. A word that says less follows from
// one that says more (animal from dog, moving from running, nothing from small), under "no" it is
// the other way round. Something that is moving does not rest; all else may hold beside each other.
// So neither the words of one sentence nor their overlap tells the relation.
#pragma once

#include <vector>

#include "../../core/generator.h"
#include "../sentence_pair.h"

namespace heed::data {

/// The next `count` pairs of the generator's stream, of each relation about a third.
std::vector<SentencePair> generate_entailment(Index count, Generator& generator);

}  // namespace heed::data
