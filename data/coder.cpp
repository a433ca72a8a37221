#include "coder.h"

#include <utility>

namespace heed::data {

std::string Coder::decode(const std::vector<Index>& ids) const {
  std::vector<std::string> parts;
  for (const Index id : ids) {
    std::string text = part(id);
    if (id == kUnknown || id > kEnd) parts.push_back(std::move(text));
  }
  return join(parts);
}

std::string Coder::serialize() const {
  return std::string(name_) + vocabulary_.serialize().substr(kMarks[kPadding].size());
}

}  // namespace heed::data
