// The row babi: an epoch of the end-to-end memory network of Sukhbaatar et al. 2015 on one task of
// bAbI's size: 1,000 questions in batches of 32, three hops with adjacent tying, position encoding,
// temporal encoding over a full memory of 50 sentences; f32, gradient descent on the sum of a
// batch's losses, gradients clipped. Every epoch begins from the same weights; the loss is the
// epoch's sum.
#pragma once

#include "workload.h"

namespace bench::babi {

inline constexpr std::int64_t kQuestions = 1000, kBatch = 32, kHops = 3, kWidth = 20;
inline constexpr std::int64_t kMemory = 50, kWords = 6, kAsked = 4, kVocabulary = 40;
inline constexpr std::int64_t kTables = kHops + 1;
inline constexpr double kLearningRate = 0.005, kClip = 40;

/// All words of a story and a question are there. The words of each hop's table [T, V, d], the
/// encodings of time [T, M, d].
inline void fill_words(float* to) { fill(to, kTables * kVocabulary * kWidth, 1, 0.17f); }
inline void fill_times(float* to) { fill(to, kTables * kMemory * kWidth, 2, 0.17f); }

inline void fill_stories(std::int64_t* to) {
  fill(to, kQuestions * kMemory * kWords, 1001, 0, kVocabulary);
}
inline void fill_questions(std::int64_t* to) {
  fill(to, kQuestions * kAsked, 1002, 0, kVocabulary);
}
inline void fill_answers(std::int64_t* to) { fill(to, kQuestions, 1003, 0, kVocabulary); }

/// Of embedding word by word, of looking at the memories and of the answer.
constexpr double flops() {
  constexpr double memories = kQuestions * kMemory;
  return kTables * 3 * 2 * memories * kWords * kWidth +
         kHops * 2 * trained_product(memories, kWidth, 1) +
         trained_product(kQuestions, kWidth, kVocabulary);
}

}  // namespace bench::babi
