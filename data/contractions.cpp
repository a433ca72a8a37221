#include "contractions.h"

namespace heed::data {

std::vector<std::string> split_contractions(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    const std::size_t mark = word.rfind('\'');
    if (mark == std::string::npos || mark == 0 || word.size() - mark > 3) {
      out.push_back(word);
      continue;
    }
    const std::size_t cut = word.ends_with("n't") && mark > 1 ? mark - 1 : mark;
    out.push_back(word.substr(0, cut));
    if (mark + 1 < word.size()) out.push_back(word.substr(cut));
  }
  return out;
}

}  // namespace heed::data
