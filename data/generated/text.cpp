#include "text.h"

#include <cmath>
#include <string_view>
#include <vector>

namespace heed::data {
namespace {

using Words = std::vector<std::string_view>;

// All regular: nouns are many and verbs of one with an s.
const Words kNouns = {"dog",  "cat",   "farmer", "teacher", "singer",  "neighbour",
                      "king", "horse", "bird",   "driver",  "painter", "sailor"};
const Words kAdjectives = {"old", "young", "small", "tall", "quiet", "brave", "tired", "proud"};
const Words kTransitive = {"see",   "follow",   "hear", "like",   "fear",
                           "greet", "remember", "lead", "admire", "help"};
const Words kIntransitive = {"sleep", "wait", "sing", "laugh", "smile", "listen", "dream", "work"};
const Words kAdverbs = {"often", "again", "today", "slowly", "gladly", "rarely"};
const Words kPlaces = {"near", "behind", "beside", "with"};
constexpr Index kDeepest = 2;  // clauses within clauses

// Writes a sentence, and counts the nats of each choice.
class Writer {
 public:
  Writer(Generator& generator, GeneratedText& out) : generator_(generator), out_(out) {}

  void sentence() {
    const bool many = chance(1, 2);
    noun_phrase(many, 0);
    if (chance(1, 2)) {
      verb(kTransitive, many);
      noun_phrase(chance(1, 2), kDeepest);
    } else {
      verb(kIntransitive, many);
    }
    if (chance(1, 3)) word(pick(kAdverbs));
    out_.text += ".\n";
  }

 private:
  // Its noun may have a place beside it and a clause of its own, where it is who acts or who is
  // acted upon.
  void noun_phrase(bool many, Index depth) {
    word("the");
    if (chance(1, 3)) word(pick(kAdjectives));
    noun(many);
    if (depth == kDeepest) return;
    if (chance(1, 4)) {
      word(pick(kPlaces));
      noun_phrase(chance(1, 2), kDeepest);
    }
    if (!chance(2, 5)) return;
    word("that");
    if (chance(1, 2)) {
      verb(kTransitive, many);
      noun_phrase(chance(1, 2), kDeepest);
    } else {
      const bool others = chance(1, 2);
      noun_phrase(others, depth + 1);
      verb(kTransitive, others);
    }
  }

  void noun(bool many) { word(pick(kNouns), many ? "s" : ""); }
  void verb(const Words& verbs, bool many) { word(pick(verbs), many ? "" : "s"); }

  void word(std::string_view stem, std::string_view ending = "") {
    out_.text += stem;
    out_.text += ending;
    out_.text += ' ';
  }

  std::string_view pick(const Words& words) {
    out_.nats += std::log(static_cast<double>(words.size()));
    return words[static_cast<std::size_t>(generator_.below(static_cast<Index>(words.size())))];
  }

  // True in `part` of `whole` cases.
  bool chance(Index part, Index whole) {
    const bool yes = generator_.below(whole) < part;
    out_.nats -=
        std::log(static_cast<double>(yes ? part : whole - part) / static_cast<double>(whole));
    return yes;
  }

  Generator& generator_;
  GeneratedText& out_;
};

}  // namespace

GeneratedText generate_text(Index sentences, Generator& generator) {
  GeneratedText out;
  Writer writer(generator, out);
  for (Index i = 0; i < sentences; ++i) writer.sentence();
  return out;
}

}  // namespace heed::data
