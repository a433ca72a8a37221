#include "repeats.h"

#include <algorithm>
#include <map>

namespace heed::train {

Index repeated_words(const std::vector<std::string>& written,
                     const std::vector<std::string>& reference) {
  std::map<std::string, Index> may, has;
  for (const std::string& word : reference) ++may[word];
  Index out = 0;
  for (const std::string& word : written) {
    if (++has[word] > std::max<Index>(1, may[word])) ++out;
  }
  return out;
}

}  // namespace heed::train
