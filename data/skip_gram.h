// Word vectors from text alone: skip-gram with negative sampling (Mikolov et al. 2013, "Distributed
// Representations of Words and Phrases and their Compositionality"). Each word is to tell the words
// around it from words that are drawn:
//
//   log sigmoid(o_c . v_w) + sum over k drawn n of log sigmoid(-o_n . v_w)    for c near w
//
// c is up to b words away, b uniform in 1 .. window anew at each place; n is drawn by count^0.75;
// before that a word of the share f of all words is left out with probability 1 - sqrt(s / f), s
// being `subsample`. Plain gradient descent, one pair after another, the rate falling linearly to
// nothing. v begins uniform in (-1/2, 1/2) / width, o at 0; v is what is given back.
#pragma once

#include <vector>

#include "../core/array.h"
#include "../core/generator.h"

namespace heed::data {

struct SkipGramOptions {
  Index width = 100;
  Index window = 5;
  Index negatives = 5;  ///< k
  Index epochs = 5;     ///< passes over the sentences, each in an order of its own
  double lr = 0.025;    ///< the first
  double subsample = 1e-3;
};

/// Sentences of ids in [0, vocabulary) -> f32 [vocabulary, width]; a word that no sentence has
/// keeps what it begins with. On one thread: the same bits for the same generator. Throws
/// ValueError for options that are not positive (lr and subsample: not finite) and without a word,
/// IndexError for an id out of range.
Array skip_gram(const std::vector<std::vector<Index>>& sentences, Index vocabulary,
                const SkipGramOptions& options, Generator& generator);

}  // namespace heed::data
