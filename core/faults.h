// Faults: what does not fit among many entries, for one message that stays a line: the first three
// and how many more.
#pragma once

#include <string>

namespace heed {

class Faults {
 public:
  void add(const std::string& fault) {
    if (++count_ <= kListed) text_ += (count_ > 1 ? "; " : "") + fault;
  }
  bool empty() const { return count_ == 0; }
  std::string text() const {
    if (count_ <= kListed) return text_;
    return text_ + "; and " + std::to_string(count_ - kListed) + " more";
  }

 private:
  static constexpr std::size_t kListed = 3;
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace heed
