#include "pairs.h"

#include <string_view>

namespace heed::data {
namespace {

constexpr Index kLongest = 40;  // words of a source
constexpr Index kDeepest = 2;   // phrases within phrases

struct Noun {
  std::string_view source, target;
  bool feminine;
};
const std::vector<Noun> kNouns = {
    {"dog", "kan", false},          {"cat", "mat", true},        {"horse", "ekv", false},
    {"bird", "fugl", true},         {"farmer", "agrar", false},  {"teacher", "lernist", true},
    {"singer", "kantor", true},     {"king", "reg", false},      {"queen", "dronn", true},
    {"sailor", "marin", false},     {"painter", "pentor", true}, {"driver", "sofer", false},
    {"doctor", "medik", true},      {"baker", "panist", false},  {"hunter", "jegar", false},
    {"nurse", "flegist", true},     {"robber", "tjuv", false},   {"poet", "vers", true},
    {"firefighter", "bomb", false}, {"courier", "port", false},  {"shepherd", "past", true},
    {"goldsmith", "smed", false},   {"gardener", "gard", true},  {"shopkeeper", "vend", true},
    {"student", "skol", false},     {"judge", "dom", true},      {"tailor", "skred", false},
    {"cook", "kokin", true},        {"dancer", "dans", true},    {"soldier", "krig", false},
    {"neighbour", "nabo", true},    {"miller", "molen", false}};
// Without determiner and adjectives.
const std::vector<Noun> kNames = {
    {"Anna", "Anja", true},     {"Peter", "Petro", false}, {"Mary", "Marja", true},
    {"John", "Jano", false},    {"Paul", "Pavlo", false},  {"Helen", "Elena", true},
    {"George", "Jorgo", false}, {"Alice", "Alisa", true},  {"Simon", "Simo", false},
    {"Ruth", "Ruta", true},     {"Mark", "Marko", false},  {"Clara", "Klara", true}};

struct Verb {
  std::string_view past, base, target;
};
const std::vector<Verb> kTransitive = {
    {"saw", "see", "vid"},          {"followed", "follow", "seg"}, {"heard", "hear", "hor"},
    {"liked", "like", "gust"},      {"feared", "fear", "tim"},     {"greeted", "greet", "salut"},
    {"invited", "invite", "lad"},   {"led", "lead", "duk"},        {"admired", "admire", "mir"},
    {"helped", "help", "hjelp"},    {"found", "find", "trov"},     {"rejected", "reject", "vis"},
    {"forgave", "forgive", "gnad"}, {"visited", "visit", "bes"},   {"praised", "praise", "lob"},
    {"chased", "chase", "hast"}};
const std::vector<Verb> kIntransitive = {
    {"slept", "sleep", "dorm"},    {"waited", "wait", "vent"},       {"sang", "sing", "kant"},
    {"laughed", "laugh", "rid"},   {"worked", "work", "labor"},      {"returned", "return", "venk"},
    {"listened", "listen", "lyt"}, {"left", "leave", "gan"},         {"cried", "cry", "plor"},
    {"smiled", "smile", "smil"},   {"stumbled", "stumble", "snubl"}, {"swam", "swim", "nat"}};
const std::vector<Verb> kSaying = {{"said", "say", "dik"},
                                   {"knew", "know", "sab"},
                                   {"believed", "believe", "kred"},
                                   {"hoped", "hope", "esper"}};

// Of the source for one and for many.
struct Determiner {
  std::string_view one, many, target;
};
const std::vector<Determiner> kDeterminers = {{"the", "the", "le"},     {"a", "some", "un"},
                                              {"this", "these", "eso"}, {"my", "my", "min"},
                                              {"your", "your", "vos"},  {"our", "our", "nos"},
                                              {"her", "her", "sin"},    {"their", "their", "lor"}};
struct Entry {
  std::string_view source, target;
};
const std::vector<Entry> kSizes = {{"wise", "sabi"}, {"young", "jun"},   {"small", "petit"},
                                   {"tall", "alt"},  {"brave", "brav"},  {"tired", "tret"},
                                   {"old", "vek"},   {"cheerful", "gaj"}};
const std::vector<Entry> kLooks = {{"blond", "flav"}, {"pale", "blek"},     {"bearded", "skeg"},
                                   {"famous", "fam"}, {"foreign", "fremd"}, {"quiet", "still"},
                                   {"rich", "rik"},   {"hungry", "sult"}};
const std::vector<Entry> kAdverbs = {{"yesterday", "hesta"}, {"today", "odia"}, {"often", "sovent"},
                                     {"sometimes", "kelki"}, {"then", "dan"},   {"soon", "balde"}};
const std::vector<Entry> kPlaces = {{"with", "kum"},    {"near", "apud"},    {"behind", "bak"},
                                    {"before", "fram"}, {"without", "uten"}, {"beside", "ved"}};
const std::vector<Entry> kNegations = {{"not", "ne"}, {"never", "nunk"}};
const std::vector<Entry> kJoining = {{"but", "mas"}, {"so", "dunk"}, {"or", "od"}};
const std::vector<Entry> kSubordinating = {
    {"because", "fordi"}, {"when", "kvan"}, {"while", "mentre"}, {"although", "enda"}};
struct Pronoun {
  std::string_view source, target;
  bool many;
};
const std::vector<Pronoun> kPronouns = {{"I", "mu", false},
                                        {"he", "il", false},
                                        {"she", "ela", false},
                                        {"we", "ni", true},
                                        {"they", "ili", true}};

// A word of the target, and the place of the source's word that it stands for.
struct Word {
  std::string text;
  Index source;
};
using Words = std::vector<Word>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Nominal {
  Words words;
  bool feminine, many;
};

// Says the source word by word, and returns what each phrase is in the target.
class Speaker {
 public:
  explicit Speaker(Generator& generator) : generator_(generator) {}

  /// Called once.
  GeneratedPair sentence() {
    Words target = clause(false, 0);
    for (Index more = generator_.below(3); more > 0; --more) {
      const bool under = chance(1, 2);
      target = target + entry(pick(under ? kSubordinating : kJoining));
      target = target + clause(under, 0);
    }
    GeneratedPair pair{.source = std::move(source_), .target = "", .alignment = {}};
    for (const Word& word : target) {
      pair.alignment.emplace_back(word.source, static_cast<Index>(pair.alignment.size()));
      if (!pair.target.empty()) pair.target += ' ';
      pair.target += word.text;
    }
    return pair;
  }
  /// Words of the source so far.
  Index length() const { return length_; }

 private:
  // `under` another one, the verb stands last.
  Words clause(bool under, Index depth) {
    const Words adverb = chance(1, 4) ? entry(pick(kAdverbs)) : Words();
    const Nominal actor = subject(depth);
    const Index kind = generator_.below(depth < kDeepest ? 7 : 6);
    const auto& verbs = kind == 6 ? kSaying : kind > 2 ? kTransitive : kIntransitive;
    const Words does = predicate(pick(verbs), actor.many);
    const Words object = kind > 2 && kind < 6 ? nominal(depth).words : Words();
    Words words;
    if (under) {
      words = adverb + actor.words + object + does;
    } else if (adverb.empty()) {
      words = actor.words + does + object;
    } else {
      words = adverb + does + actor.words + object;
    }
    if (kind != 6) return words;
    words.push_back({"ke", say("that")});
    return words + clause(true, depth + 1);
  }

  Nominal subject(Index depth) {
    if (chance(1, 5)) {
      const Pronoun& pronoun = pick(kPronouns);
      return {{{std::string(pronoun.target), say(pronoun.source)}}, false, pronoun.many};
    }
    if (!chance(1, 6)) return nominal(depth);
    Nominal both = noun();
    both.words = both.words + Words{{"i", say("and")}};
    both.words = both.words + noun().words;
    both.many = true;
    return both;
  }

  // What follows a noun belongs to the nearest, so that a source can be read in one way only.
  Nominal nominal(Index depth) {
    Nominal head = noun();
    if (depth >= kDeepest || !chance(1, 4)) return head;
    if (chance(1, 2)) {
      head.words = head.words + entry(pick(kPlaces));
      head.words = head.words + nominal(depth + 1).words;
    } else {
      head.words = head.words + relative(head, depth + 1);
    }
    return head;
  }

  // The noun acts, or is acted upon.
  Words relative(const Nominal& head, Index depth) {
    if (chance(1, 2)) {
      const Words pronoun = {{"ki" + ending(head), say("who")}};
      const bool transitive = chance(1, 2);
      const Words does = predicate(pick(transitive ? kTransitive : kIntransitive), head.many);
      const Words object = transitive ? nominal(depth).words : Words();
      return pronoun + object + does;
    }
    const Words pronoun = {{"ke" + ending(head), say("whom")}};
    const Nominal actor = nominal(depth);
    return pronoun + actor.words + predicate(pick(kTransitive), actor.many);
  }

  Nominal noun() {
    if (chance(1, 3)) {
      const Noun& name = pick(kNames);
      return {{{std::string(name.target), say(name.source)}}, name.feminine, false};
    }
    const Noun& noun = pick(kNouns);
    Nominal out{{}, noun.feminine, chance(2, 5)};
    const Determiner& determiner = pick(kDeterminers);
    const Index place = say(out.many ? determiner.many : determiner.one);
    Words adjectives;
    for (const auto* list : {&kSizes, &kLooks}) {
      if (!chance(1, 4)) continue;
      const Entry& adjective = pick(*list);
      adjectives =
          Words{{std::string(adjective.target) + ending(out), say(adjective.source)}} + adjectives;
    }
    const Index at = say(std::string(noun.source) + (out.many ? "s" : ""));
    out.words = Words{{std::string(determiner.target), place},
                      {std::string(noun.target) + ending(out), at}} +
                adjectives;
    return out;
  }

  Words predicate(const Verb& verb, bool many) {
    Words out;
    const bool did = chance(1, 4);
    if (did) {
      say("did");
      if (chance(2, 3)) out = entry(pick(kNegations));
    }
    out.push_back(
        {std::string(verb.target) + (many ? "en" : "e"), say(did ? verb.base : verb.past)});
    return out;
  }

  Words entry(const Entry& entry) { return {{std::string(entry.target), say(entry.source)}}; }

  static std::string ending(const Nominal& noun) {
    return std::string(noun.feminine ? "a" : "o") + (noun.many ? "s" : "");
  }

  // Returns the word's place.
  Index say(std::string_view word) {
    if (length_ > 0) source_ += ' ';
    source_ += word;
    return length_++;
  }

  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(generator_.below(static_cast<Index>(list.size())))];
  }

  // True in `part` of `whole` cases.
  bool chance(Index part, Index whole) { return generator_.below(whole) < part; }

  Generator& generator_;
  std::string source_;
  Index length_ = 0;
};

}  // namespace

std::vector<GeneratedPair> generate_pairs(Index count, Generator& generator) {
  std::vector<GeneratedPair> pairs;
  while (static_cast<Index>(pairs.size()) < count) {
    Speaker speaker(generator);
    GeneratedPair pair = speaker.sentence();
    if (speaker.length() <= kLongest) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace heed::data
