#include "opinions.h"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string_view>

#include "../../core/error.h"

namespace heed::data {
namespace {

using Words = std::vector<std::string_view>;

struct Field {
  Words things, qualities;
};
const std::array<Field, 5> kFields = {{
    {{"soup", "spring rolls", "steak", "dumplings", "pizza", "fish tacos", "salad", "noodles"},
     {"tasty", "salty", "overcooked", "juicy", "bland", "crisp"}},
    {{"waiter", "waitress", "staff", "bar tender", "owner", "hostess", "front desk", "chef"},
     {"rude", "attentive", "friendly", "slow", "helpful", "forgetful"}},
    {{"room", "terrace", "dining hall", "decor", "garden", "back yard", "lounge", "balcony"},
     {"cosy", "noisy", "cramped", "spacious", "dark", "lively"}},
    {{"price", "bill", "cover charge", "fee", "lunch deal", "cost", "set menu", "tax"},
     {"steep", "fair", "outrageous", "low", "affordable", "inflated"}},
    {{"wine", "beer", "house sake", "coffee", "green tea", "cider", "juice", "cocktail"},
     {"watery", "strong", "stale", "fruity", "weak", "sparkling"}},
}};
const Words kOpenings = {"",          "after all",    "last night",  "once again",
                         "on friday", "for my uncle", "to be honest"};
// What comes before things and qualities: where they are judged, and elsewhere.
const Words kThings = {"there was the", "we saw the", "next came the", "she asked about the"};
const Words kJudgedThings = {"i care for the", "let me judge the", "all about the"};
const Words kQualities = {"they call it", "someone wrote", "the sign says", "others said"};
const Words kJudgedQualities = {"i found it", "it was so", "to me it is"};
const Words kBetween = {"and", ",", "while", "then"};

std::string_view pick(const Words& words, Generator& generator) {
  return words[static_cast<std::size_t>(generator.below(static_cast<Index>(words.size())))];
}

class Teller {
 public:
  explicit Teller(Generator& generator) : generator_(generator) { sentence_.tags.resize(2); }

  TaggedSentence tell() {
    // Of the first field both, of which only one is judged in words; of others the one or the
    // other.
    const std::vector<Index> fields = generator_.permutation(static_cast<Index>(kFields.size()));
    const bool thing_judged = generator_.below(2) == 0;
    struct Part {
      Index field;
      bool thing, judged, term;
    };
    std::vector<Part> parts = {{fields[0], true, thing_judged, true},
                               {fields[0], false, !thing_judged, true}};
    const Index things = 1 + generator_.below(2), qualities = 1 + generator_.below(2);
    for (Index i = 0; i < things + qualities; ++i) {
      parts.push_back({fields[static_cast<std::size_t>(i + 1)], i < things, false, false});
    }
    say(pick(kOpenings, generator_));
    bool first = true;
    for (const Index i : generator_.permutation(static_cast<Index>(parts.size()))) {
      if (!std::exchange(first, false)) say(pick(kBetween, generator_));
      const Part& part = parts[static_cast<std::size_t>(i)];
      const Field& field = kFields[static_cast<std::size_t>(part.field)];
      say(pick(part.thing    ? part.judged ? kJudgedThings : kThings
               : part.judged ? kJudgedQualities
                             : kQualities,
               generator_));
      const auto column = part.thing ? std::size_t{0} : std::size_t{1};
      say(pick(part.thing ? field.things : field.qualities, generator_),
          part.term ? static_cast<int>(column) : -1);
    }
    say(".");
    return std::move(sentence_);
  }

 private:
  // A term of that column, -1: none.
  void say(std::string_view text, int column = -1) {
    std::istringstream words{std::string(text)};
    std::string word;
    for (bool first = true; words >> word; first = false) {
      sentence_.words.push_back(word);
      for (int c = 0; c < 2; ++c) {
        sentence_.tags[static_cast<std::size_t>(c)].emplace_back(c != column ? "O"
                                                                 : first     ? "B"
                                                                             : "I");
      }
    }
  }

  Generator& generator_;
  TaggedSentence sentence_;
};

}  // namespace

std::vector<TaggedSentence> tell_opinions(Index count, Generator& generator) {
  if (count < 0) throw ValueError(fmt::format("opinions: {} sentences cannot be told", count));
  std::vector<TaggedSentence> out;
  for (Index i = 0; i < count; ++i) {
    out.push_back(Teller(generator).tell());
    out.back().line = static_cast<std::uint64_t>(i + 1);
  }
  return out;
}

}  // namespace heed::data
