// Byte-pair tokens with scores, as llama2.c writes those of sentencepiece:
//
//   int32 the longest's bytes; of each token f32 score, int32 bytes, the bytes
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../core/shape.h"

namespace heed::pretrained {

/// U+0020 stands before the first word; what no token has is written in bytes, <0x00> ..; of two
/// neighbours whose join is a token those are joined first whose join has the highest score.
class ScoredTokens {
 public:
  static constexpr Index kBegin = 1, kEnd = 2;

  /// Reads `count` of them. Throws IoError, FormatError with `path`.
  ScoredTokens(const std::string& path, Index count);

  /// Without the marks; `first` false: as it goes on behind another text, without a blank before
  /// it. Throws ValueError for a text that is not UTF-8, and for what has no token.
  std::vector<Index> encode(const std::string& text, bool first = true) const;
  /// What a token adds behind `before`: the first word's blank is left out.
  std::string decode(Index before, Index token) const;
  std::string decode(const std::vector<Index>& tokens) const;
  Index size() const { return static_cast<Index>(texts_.size()); }

 private:
  Index find(const std::string& text) const;  // -1: none
  void join(std::vector<Index>& tokens) const;
  std::vector<std::string> texts_;
  std::vector<float> scores_;
  std::vector<std::pair<std::string, Index>> sorted_;
  std::vector<Index> bytes_;  // of each byte its token, -1: none
};

}  // namespace heed::pretrained
