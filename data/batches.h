// From examples to batches: a validation split, batches of examples of similar length, padding. All
// randomness comes from the Generator given, so the same state gives the same batches.
#pragma once

#include <utility>
#include <vector>

#include "../core/array.h"
#include "../core/generator.h"

namespace heed::data {

struct Split {
  std::vector<Index> rest;
  std::vector<Index> held_out;
};

/// Draws `fraction` of 0 .. count - 1, rounded, to be held out; both lists ascending. Neither is
/// empty when count >= 2 and fraction > 0. Throws ValueError unless count >= 0 and 0 <= fraction
/// < 1.
Split split(Index count, double fraction, Generator& generator);

/// What batches are sorted by: first the first, then the second. For documents the number of
/// sentences and the longest of them; for plain sequences the length and 0.
using LengthKey = std::pair<Index, Index>;

/// Cuts the examples, sorted by length, into batches of `batch_size` indices, the last perhaps
/// smaller. Which examples of equal length meet, and the order of the batches, are drawn from the
/// generator anew in each call. Throws ValueError unless batch_size > 0.
std::vector<std::vector<Index>> batches_by_length(const std::vector<LengthKey>& lengths,
                                                  Index batch_size, Generator& generator);
/// The same without chance: equal lengths in the order given, short batches first.
std::vector<std::vector<Index>> batches_by_length(const std::vector<LengthKey>& lengths,
                                                  Index batch_size);

/// Cuts the examples into batches of similar lengths by what is padded: rows times the longest
/// (first) is at most `tokens`, but for single rows that are longer. Which examples meet, and the
/// order of the batches, are drawn; with `generator` null nothing is, and short ones come first.
/// Throws ValueError unless tokens > 0.
std::vector<std::vector<Index>> batches_by_tokens(const std::vector<LengthKey>& lengths,
                                                  Index tokens, Generator* generator);
/// Cuts the examples, in a drawn order, or as they come where `generator` is null, into batches
/// that are not padded: the sum of their lengths (first) is at most `tokens`, but for single ones
/// that are longer. Throws ValueError unless tokens > 0.
std::vector<std::vector<Index>> batches_packed(const std::vector<LengthKey>& lengths, Index tokens,
                                               Generator* generator);

struct Padded {
  Array ids;                   // i64 [B, T], T the longest row
  std::vector<Index> lengths;  // B
};

/// Rows of different lengths as one Array, filled up with `padding`. Throws ValueError without
/// rows.
Padded pad(const std::vector<std::vector<Index>>& rows, Index padding = 0);

}  // namespace heed::data
