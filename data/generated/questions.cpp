#include "questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "scenes.h"

namespace heed::data {
namespace {

struct Thing {
  std::string colour, shape;
  Index place;
  std::string name() const { return colour + " " + shape; }
};

struct Asked {
  std::string question, answer;
};

struct Direction {
  const char* words;
  bool across;  // else up and down
  bool before;
};
constexpr Direction kDirections[] = {{"left of", true, true},
                                     {"right of", true, false},
                                     {"above", false, true},
                                     {"below", false, false}};

bool lies(const Thing& a, const Direction& where, const Thing& b) {
  const auto at = [&](const Thing& thing) {
    return where.across ? thing.place % kScenePlaces : thing.place / kScenePlaces;
  };
  return where.before ? at(a) < at(b) : at(a) > at(b);
}

class Asker {
 public:
  Asker(std::vector<Thing> things, Generator& generator)
      : things_(std::move(things)), generator_(generator) {}

  // None where this kind of question cannot be asked here of what was drawn.
  std::optional<Asked> ask() const {
    switch (generator_.below(6)) {
      case 0: return one(&Thing::shape, &Thing::colour, "what color is the {}");
      case 1: return one(&Thing::colour, &Thing::shape, "which shape is {}");
      case 2: return whether_there_is();
      case 3: return which_lies();
      case 4: return whether_it_lies();
      default: return Asked{"how many things are there", things_.size() == 2 ? "two" : "three"};
    }
  }

 private:
  const Thing& any() const {
    return things_[static_cast<std::size_t>(generator_.below(static_cast<Index>(things_.size())))];
  }
  template <class Holds>
  Index count(const Holds& holds) const {
    return std::count_if(things_.begin(), things_.end(), holds);
  }
  bool is_one(const std::string& name) const {
    return count([&](const Thing& each) { return each.name() == name; }) == 1;
  }

  std::optional<Asked> one(std::string Thing::*known, std::string Thing::*asked,
                           const char* question) const {
    const Thing& thing = any();
    const auto same = [&](const Thing& each) { return each.*known == thing.*known; };
    if (count(same) != 1) return std::nullopt;
    return Asked{fmt::format(fmt::runtime(question), thing.*known), thing.*asked};
  }

  std::optional<Asked> whether_there_is() const {
    const Thing &a = any(), &b = any();
    const std::string other = a.colour + " " + b.shape;
    // Asked where both answers can be given, so that neither is given more often.
    if (count([&](const Thing& each) { return each.name() == other; }) > 0) return std::nullopt;
    if (generator_.below(2) == 0) return Asked{"is there a " + a.name(), "yes"};
    return Asked{"is there a " + other, "no"};
  }

  std::optional<Asked> which_lies() const {
    const Thing& from = any();
    const Direction& where = kDirections[generator_.below(4)];
    const auto there = [&](const Thing& each) { return lies(each, where, from); };
    if (!is_one(from.name()) || count(there) != 1) return std::nullopt;
    const Thing& found = *std::find_if(things_.begin(), things_.end(), there);
    return Asked{fmt::format("which shape is {} the {}", where.words, from.name()), found.shape};
  }

  std::optional<Asked> whether_it_lies() const {
    const Thing &a = any(), &b = any();
    const Direction& where = kDirections[generator_.below(4)];
    const bool yes = lies(a, where, b);
    // In one row or column neither holds, which would be "no" more often.
    if (!is_one(a.name()) || !is_one(b.name()) || yes == lies(b, where, a)) return std::nullopt;
    return Asked{fmt::format("is the {} {} the {}", a.name(), where.words, b.name()),
                 yes ? "yes" : "no"};
  }

  std::vector<Thing> things_;
  Generator& generator_;
};

// Colour and shape are two words one behind the other that name the same place.
std::vector<Thing> things_of(const Scene& scene) {
  std::vector<Thing> out;
  for (std::size_t i = 0; i + 1 < scene.words.size(); ++i) {
    if (scene.places[i] < 0 || scene.places[i] != scene.places[i + 1]) continue;
    out.push_back({scene.words[i], scene.words[i + 1], scene.places[i]});
  }
  return out;
}

}  // namespace

VisualQuestions ask_about_scenes(Index scenes, Generator& generator) {
  VisualQuestions out{.height = kSceneSide, .width = kSceneSide, .path = "generated questions"};
  for (; out.count < scenes; ++out.count) {
    const Scene scene = shape_scene(generator);
    const std::size_t plane = scene.image.size() / 3;
    for (std::size_t dot = 0; dot < plane; ++dot) {
      for (std::size_t c = 0; c < 3; ++c) out.images.push_back(scene.image[c * plane + dot]);
    }
    const std::vector<Thing> things = things_of(scene);
    out.boxes.emplace_back();
    for (const Thing& thing : things) {
      out.boxes.back().push_back({thing.place % kScenePlaces * kScenePlaceSize,
                                  thing.place / kScenePlaces * kScenePlaceSize, kScenePlaceSize,
                                  kScenePlaceSize});
    }
    const Asker asker(things, generator);
    for (Index asked = 0; asked < kQuestionsOfAScene;) {
      const std::optional<Asked> question = asker.ask();
      if (!question) continue;
      out.questions.push_back({question->question, question->answer, out.count,
                               static_cast<std::uint64_t>(out.questions.size() + 1)});
      ++asked;
    }
  }
  return out;
}

}  // namespace heed::data
