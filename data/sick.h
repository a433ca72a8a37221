// SICK (Marelli et al. 2014, "A SICK cure for the evaluation of compositional distributional
// semantic models"): pairs of sentences of captions, labelled by people, as a table with a header.
#pragma once

#include <string>
#include <vector>

#include "sentence_pair.h"

namespace heed::data {

struct Sick {
  std::vector<SentencePair> train, trial, test;
  std::string path;  ///< of the table
};

/// `path` is the table, or a folder that holds it as SICK.tsv, SICK.tsv.gz or SICK.txt. Reads the
/// columns sentence_A, the premise, sentence_B, entailment_label, entailment_AB, entailment_BA and
/// SemEval_set, by their names, plain or gzip. `back` is the relation that the label would have for
/// the pair turned round: a contradiction where both directions contradict. Throws IoError, and
/// FormatError, naming path and line, for a column that is missing, another word than SICK's in
/// one, a blank sentence, or a set without pairs.
Sick read_sick(const std::string& path);

}  // namespace heed::data
