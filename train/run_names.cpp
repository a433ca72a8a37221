// Names that a run is given: of figures, and of what it carries.
#include <fmt/format.h>

#include <algorithm>

#include "../core/quoted.h"
#include "names.h"
#include "run.h"
#include "run_state.h"

namespace heed::train {

void check_figures(const Figures& figures) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string& name = figures[i].name;
    const int digits = figures[i].digits;
    check(!name.empty(), "a figure has no name");
    check(is_name(name),
          fmt::format("a figure cannot be called {}: {}", in_quotes(name), kNameRule));
    check(digits >= 0 && digits <= 17,
          fmt::format("the figure {} is to be printed with {} digits, not 0 to 17", in_quotes(name),
                      digits));
    for (std::size_t j = 0; j < i; ++j) {
      check(figures[j].name != name, fmt::format("there are two figures {}", in_quotes(name)));
    }
  }
}

bool same_names(const Figures& a, const Figures& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Figure& x, const Figure& y) { return x.name == y.name; });
}

// What is saved under "a" and what is saved under "a.b" could not be told from each other.
std::string Run::carried_key(const std::string& name) {
  check(!name.empty(), "what is carried needs a name");
  check(is_name(name), fmt::format("nothing can be carried as {}: {}", in_quotes(name), kNameRule));
  std::string key = "carried." + name;
  const auto begins = [](const std::string& a, const std::string& b) {
    return (a + ".").starts_with(b + ".");
  };
  for (const std::string& other : carried_keys_) {
    check(!begins(key, other) && !begins(other, key),
          fmt::format("what is carried as {} would stand where {} stands", in_quotes(name),
                      in_quotes(other.substr(other.find('.') + 1))));
  }
  carried_keys_.push_back(key);
  return key;
}

}  // namespace heed::train
