#include "reviews.h"

#include <string_view>

namespace heed::data {
namespace {

using Words = std::vector<std::string_view>;

const Words kFilm = {"film",   "movie", "picture", "story",    "plot",      "acting",
                     "script", "cast",  "ending",  "dialogue", "direction", "screenplay"};
const Words kElse = {"popcorn",  "seat",    "weather", "parking", "crowd",     "queue",
                     "dinner",   "trailer", "coffee",  "cinema",  "lobby",     "neighbour",
                     "bus ride", "heating", "carpet",  "poster",  "ice cream", "usher"};
const Words kGood = {"wonderful", "brilliant", "touching", "great",     "delightful", "clever",
                     "superb",    "charming",  "fresh",    "excellent", "lovely",     "gripping"};
const Words kBad = {"terrible", "dull",   "boring", "awful",     "clumsy",  "dreadful",
                    "tedious",  "stupid", "stale",  "miserable", "painful", "weak"};
const Words kDegree = {"", "really ", "quite ", "truly ", "rather ", "simply "};
const Words kOpening = {"",
                        "honestly , ",
                        "in my opinion , ",
                        "as we all agreed , ",
                        "to be fair , ",
                        "looking back , ",
                        "i must say that "};
const Words kPerson = {"my brother",       "an old friend",  "my aunt",
                       "the whole office", "our neighbours", "a colleague"};
const Words kDay = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
const Words kTown = {"the city", "our village", "the old harbour", "the new mall", "the station"};

std::string pick(const Words& words, Generator& generator) {
  return std::string(
      words[static_cast<std::size_t>(generator.below(static_cast<Index>(words.size())))]);
}

// "the <noun> ..." judged good or bad, a third of the time by denying the opposite.
std::string judgement(const Words& nouns, bool good, Generator& generator) {
  const bool negated = generator.below(3) == 0;
  const std::string noun = pick(nouns, generator);
  const std::string quality = pick(good != negated ? kGood : kBad, generator);
  const std::string degree = pick(kDegree, generator);
  const std::string opening = pick(kOpening, generator);
  const Index form = generator.below(4);
  if (negated) {
    switch (form) {
      case 0: return opening + "the " + noun + " was not " + quality + " at all";
      case 1: return opening + "the " + noun + " was far from " + quality;
      case 2: return opening + "nobody could call the " + noun + " " + quality;
      default: return opening + "the " + noun + " was anything but " + quality;
    }
  }
  switch (form) {
    case 0: return opening + "the " + noun + " was " + degree + quality;
    case 1: return opening + "i found the " + noun + " " + degree + quality;
    case 2: return opening + "what a " + degree + quality + " " + noun + " that was";
    default: return opening + "we thought that the " + noun + " was " + degree + quality;
  }
}

// Names the film without judging it.
std::string neutral(Generator& generator) {
  switch (generator.below(6)) {
    case 0:
      return "we went to see the " + pick(kFilm, generator) + " on a " + pick(kDay, generator) +
             " with " + pick(kPerson, generator);
    case 1: return pick(kPerson, generator) + " had told us about the " + pick(kFilm, generator);
    case 2:
      return "the " + pick(kFilm, generator) + " began a little after eight in " +
             pick(kTown, generator);
    case 3: return "there is a book about the " + pick(kFilm, generator) + " too";
    case 4:
      return pick(kPerson, generator) + " talked about the " + pick(kFilm, generator) +
             " on the way home";
    default:
      return "they show the " + pick(kFilm, generator) + " in " + pick(kTown, generator) +
             " until " + pick(kDay, generator);
  }
}

std::string sentence(std::string words) {
  words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words + " .";
}

GeneratedDocument generate(Generator& generator) {
  const bool good = generator.below(2) == 0;
  const Index length = 12 + generator.below(13);
  const Index first = generator.below(length);
  const Index second = generator.below(2) == 0 ? generator.below(length) : first;
  GeneratedDocument document;
  document.label = good ? "positive" : "negative";
  for (Index i = 0; i < length; ++i) {
    const bool evidence = i == first || i == second;
    std::string words;
    if (evidence) {
      words = judgement(kFilm, good, generator);
    } else if (generator.below(3) > 0) {
      words = judgement(kElse, generator.below(2) == 0, generator);
    } else {
      words = neutral(generator);
    }
    document.sentences.push_back(sentence(std::move(words)));
    document.evidence.push_back(evidence);
  }
  return document;
}

}  // namespace

std::vector<GeneratedDocument> generate_documents(Index count, Generator& generator) {
  std::vector<GeneratedDocument> documents;
  for (Index i = 0; i < count; ++i) documents.push_back(generate(generator));
  return documents;
}

}  // namespace heed::data
