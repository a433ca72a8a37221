#include "belongings.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "../../core/error.h"

namespace heed::data {
namespace {

using Words = std::vector<std::string_view>;

const Words kPeople = {"anna", "ben",  "clara", "david", "emma", "felix", "greta", "henry",
                       "ida",  "jack", "kate",  "leo",   "mia",  "noah",  "olga",  "peter"};
const Words kThings = {"ring", "lamp",   "coat",  "drum", "kite", "boat", "mirror", "violin",
                       "vase", "carpet", "clock", "sofa", "map",  "bell", "saddle", "basket"};
const Words kColours = {"red", "blue", "green", "white", "black", "golden"};
const Words kGets = {"bought a", "found a", "was given a", "inherited a"};
const Words kLacks = {"wanted a", "sold a", "lost a", "saw a"};
const Words kTimes = {"", "yesterday", "last week", "at dawn", "in town"};
constexpr std::size_t kKinds = 3;  // of things in a passage, and of colours
constexpr std::size_t kNamed = 4;  // people in a passage, three sentences each
constexpr std::size_t kOwned = 6;  // things of a colour: one person has it, another has not

std::string_view pick(const Words& words, Generator& generator) {
  return words[static_cast<std::size_t>(generator.below(static_cast<Index>(words.size())))];
}

Words drawn(const Words& from, Generator& generator) {
  Words out;
  for (const Index i : generator.permutation(static_cast<Index>(from.size()))) {
    out.push_back(from[static_cast<std::size_t>(i)]);
  }
  return out;
}

// Of each of the things the person who owns it, then the one who does not: another.
std::vector<std::size_t> people_of_things(Generator& generator) {
  while (true) {
    std::vector<std::size_t> out;
    for (const Index i : generator.permutation(2 * kOwned)) {
      out.push_back(static_cast<std::size_t>(i) % kNamed);
    }
    bool others = true;
    for (std::size_t i = 0; i < kOwned; ++i) others = others && out[2 * i] != out[2 * i + 1];
    if (others) return out;
  }
}

Cloze tell(Generator& generator) {
  const Words people = drawn(kPeople, generator), things = drawn(kThings, generator),
              colours = drawn(kColours, generator);
  const auto kinds = generator.permutation(kKinds * kKinds);
  const auto named = people_of_things(generator);
  const auto what = [&](std::size_t number) {
    const auto kind = static_cast<std::size_t>(kinds[number]);
    return fmt::format("{} {}", colours[kind / kKinds], things[kind % kKinds]);
  };
  Cloze out;
  for (const Index i : generator.permutation(2 * kOwned)) {
    const auto fact = static_cast<std::size_t>(i);
    const auto does = pick(fact % 2 == 0 ? kGets : kLacks, generator);
    const auto time = pick(kTimes, generator);
    out.passage.push_back(
        cloze_words(fmt::format("{} {} {} {} .", time, people[named[fact]], does, what(fact / 2))));
  }
  const auto asked = static_cast<std::size_t>(generator.below(kOwned));
  out.query = cloze_words(fmt::format("{} owns a {} .", kBlank, what(asked)));
  out.answer = people[named[2 * asked]];
  return out;
}

}  // namespace

std::vector<Cloze> tell_belongings(Index count, Generator& generator) {
  if (count < 0) throw ValueError(fmt::format("belongings: {} passages cannot be told", count));
  std::vector<Cloze> out;
  for (Index i = 0; i < count; ++i) {
    out.push_back(tell(generator));
    out.back().line = static_cast<std::uint64_t>(i + 1);
  }
  return out;
}

}  // namespace heed::data
