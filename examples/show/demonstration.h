// What the page may show: a trained model that says of a text what it makes of it and where it
// looked.
//
// All JSON is made here, with nothing in it that could end a script element or open a comment.
#pragma once

#include <memory>
#include <string>

namespace show {

class Demonstration {
 public:
  virtual ~Demonstration() = default;
  /// What the page is told once: {"kind": "classifier" | "translator" | "language", "title": text,
  /// "facts": [text], "example": text}.
  virtual std::string about() const = 0;
  /// What it makes of a text, UTF-8, as JSON. Throws ValueError for a text that the model refuses.
  virtual std::string answer(const std::string& text) = 0;

 protected:
  Demonstration() = default;
  Demonstration(const Demonstration&) = delete;
  Demonstration& operator=(const Demonstration&) = delete;
};

/// Bytes of a text at most; a model reads as much of it as it has places for.
inline constexpr std::size_t kLongest = 8192;

/// Of the folder that document_classifier, translation or language_model saved. Throws IoError, and
/// FormatError for damaged folders and other models.
std::unique_ptr<Demonstration> open(const std::string& folder);

// {"classes": [{"name", "probability"}], "entropy": bits, "sentences": [{"weight", "words": [text],
//  "weights": [..]}]}
std::unique_ptr<Demonstration> classifier(const std::string& folder);
// {"source": [text], "target": [text], "left_out": words,
//  "looks": [{"name", "rows": [weights of each word of the target]}], "self": the encoder's}
std::unique_ptr<Demonstration> translator(const std::string& folder);
// {"words": [text], "left_out": words, "surprise": bits of each word, "entropies": bits of what
//  follows each, "next": [{"name", "probability"}], "looks": as above}
std::unique_ptr<Demonstration> language(const std::string& folder);

}  // namespace show
