// How good a translator is: BLEU, chrF, exact matches, perplexity, and BLEU by the source's length.
#pragma once

#include <string>
#include <vector>

#include "../../train/length_bleu.h"
#include "../../train/training.h"
#include "batches.h"
#include "corpus.h"
#include "translate.h"

namespace translation {

/// What the model gives each right word, from the right ones before it.
struct Likelihood {
  double loss = 0;      ///< nats a word, without label smoothing
  double accuracy = 0;  ///< of the likeliest word
  double words = 0;     ///< how many
};
Likelihood likelihood(const Translator& model, const std::vector<Example>& examples, Index tokens);

struct Measures {
  double bleu = 0, chrf = 0;
  std::string details;  ///< of BLEU, as sacreBLEU prints them
  double exact = 0;     ///< share of sentences that are right to the last word
  std::vector<train::LengthBleu> by_length;
};
Measures measure(const std::vector<std::string>& written, const Part& part);

/// These lines of a part, and what is shown of all: "validation loss", of batches of so many tokens,
/// and "BLEU" of greedy translations.
train::Part judge(const Language& language, const Part& part, const std::vector<Index>& lines,
                  Index tokens);
train::Figures shown_of(const train::Figures& judged);

std::vector<std::string> best_texts(const std::vector<std::vector<Translation>>& found);
std::vector<Example> encode(const Language& language, const Part& part);

}  // namespace translation
