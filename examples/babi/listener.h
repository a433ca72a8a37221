// Stories and questions as someone types them: a sentence a line, questions end in "?", a blank
// line ends the story.
#pragma once

#include <string>
#include <vector>

#include "../../train/shade.h"
#include "model.h"

namespace babi {

struct Answer {
  std::string word;
  double probability;
  std::vector<std::vector<double>> weights;  ///< of each hop, one a sentence that it remembers
};

class Listener {
 public:
  /// `reader` must outlive it.
  explicit Listener(const Reader& reader) : reader_(reader) {}

  /// To a question the answer and the sentences that each hop looked at, in text; else "". Throws
  /// ValueError for a word that is not in the vocabulary, a line without words, a question before
  /// any sentence, and the end of a story without a question; what was heard before stays.
  std::string hear(const std::string& line, train::ShadeStyle style);
  /// The end of all: as a blank line.
  void end();

  /// Throws as hear().
  Answer answer(const std::vector<std::string>& question) const;

 private:
  std::string in_words(const Answer& answer, train::ShadeStyle style) const;

  const Reader& reader_;
  std::vector<std::vector<std::string>> sentences_;
  bool asked_ = false;
};

}  // namespace babi
