// How good answers are, and those of who does not read.
#pragma once

#include "../../train/rouge.h"
#include "model.h"

namespace summaries {

/// Of all articles.
std::vector<Answer> answer_all(const Desk& desk, const Articles& articles,
                               const AnswerOptions& how);
/// As many sentences, or words, as each answer has: the first ones; sentences at random, if there
/// is a generator.
std::vector<Answer> unread(const Articles& articles, const std::vector<Answer>& answers,
                           Generator* generator);

struct Measures {
  train::Rouge rouge;   ///< of picks with the summary, of titles with the title
  double names = 0;     ///< of titles' words that the vocabulary lacks: there, in the right place
  double repeated = 0;  ///< of the words written: those that come more often than they should
};
/// Throws ValueError without articles.
Measures measure(const Articles& articles, const std::vector<Answer>& answers,
                 const data::Vocabulary& vocabulary);

}  // namespace summaries
