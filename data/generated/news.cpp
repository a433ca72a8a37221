#include "news.h"

#include <algorithm>

#include "../words.h"

namespace heed::data {
namespace {

using Words = std::vector<std::string>;

const std::string kConsonants = "bdfgjklmnprstvz";
const std::string kVowels = "aeiou";
const Words kBodies = {"board", "committee", "council", "parliament"};
const Words kTopics = {"airport", "bridge", "hospital", "library", "museum", "school", "stadium"};
const Words kDays = {"monday", "tuesday", "wednesday", "thursday", "friday"};
const Words kTrades = {"baker", "doctor", "driver", "farmer", "lawyer", "painter", "teacher"};
// %: who.
const Words kFor = {"% was for it", "% was in favour", "% said yes", "% liked the plan"};
const Words kAgainst = {"% was against it", "% said no", "% did not like the plan"};
const Words kAbsent = {"% did not come", "% was ill", "% had no time"};
constexpr std::size_t kMostFor = 5, kMostOthers = 3;

class Reporter {
 public:
  explicit Reporter(Generator& generator) : generator_(generator) {}

  NewsReport report() {
    out_ = {};
    const std::string place = name();
    const std::string topic = pick(kTopics);
    const std::string body = pick(kBodies);
    const std::string day = pick(kDays);
    const std::string about = " about a new " + topic + " .";
    say(below(2) == 0 ? "on " + day + " the " + body + " of " + place + " spoke" + about
                      : "the " + body + " of " + place + " met on " + day + about,
        true);
    const std::size_t count = 1 + below(kMostFor);
    std::vector<bool> are_for(count, true);
    are_for.resize(count + 1 + below(kMostOthers), false);
    shuffle(are_for);
    Words listed;
    for (const bool is_for : are_for) {
      const std::string who = name();
      const Words& said = is_for ? kFor : below(2) == 0 ? kAgainst : kAbsent;
      const std::string what = pick(said);
      const std::string person = introduced(who);
      say(person + what.substr(1) + " .", is_for);
      if (is_for) listed.push_back(who);
    }
    if (below(2) == 0) say("a vote is expected on " + pick(kDays) + " .", false);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (i > 0) out_.title.push_back(i + 1 == listed.size() ? "and" : ",");
      out_.title.push_back(listed[i]);
    }
    const Words rest = {"for", "new", topic, "in", place};
    out_.title.insert(out_.title.end(), rest.begin(), rest.end());
    return std::move(out_);
  }

 private:
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(generator_.below(static_cast<Index>(count)));
  }
  const std::string& pick(const Words& words) { return words[below(words.size())]; }

  void shuffle(std::vector<bool>& items) {
    const std::vector<bool> before = items;
    const std::vector<Index> order = generator_.permutation(static_cast<Index>(items.size()));
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = before[static_cast<std::size_t>(order[i])];
    }
  }

  // Three syllables, none that the report has already.
  std::string name() {
    std::string out;
    do {
      out.clear();
      for (int i = 0; i < 3; ++i) {
        out += kConsonants[below(kConsonants.size())];
        out += kVowels[below(kVowels.size())];
      }
    } while (std::find(out_.names.begin(), out_.names.end(), out) != out_.names.end());
    out_.names.push_back(out);
    return out;
  }

  std::string introduced(const std::string& who) {
    switch (below(4)) {
      case 0: return "the " + pick(kTrades) + " " + who;
      case 1: return who + " , a " + pick(kTrades) + " ,";
      case 2: {
        const std::string home = name();
        return who + " of " + home;
      }
      default: return who;
    }
  }

  void say(const std::string& sentence, bool summary) {
    if (summary) out_.summary.push_back(static_cast<Index>(out_.sentences.size()));
    out_.sentences.push_back(sentence);
    out_.words.push_back(words_of(sentence));
  }

  Generator& generator_;
  NewsReport out_;
};

}  // namespace

std::vector<NewsReport> report_news(Index count, Generator& generator) {
  Reporter reporter(generator);
  std::vector<NewsReport> out;
  for (Index i = 0; i < count; ++i) out.push_back(reporter.report());
  return out;
}

}  // namespace heed::data
