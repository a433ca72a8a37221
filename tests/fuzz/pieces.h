// An input cut into pieces: texts between bytes FF (which no UTF-8 has), and single bytes for
// choices and numbers. At its end texts are empty and bytes are 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::fuzz {

class Pieces {
 public:
  explicit Pieces(std::string_view input) : rest_(input) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return first;
  }
  std::string text() {
    const std::size_t end = std::min(rest_.find('\xFF'), rest_.size());
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return out;
  }
  std::string_view rest() const { return rest_; }
  /// At most so many texts, as many as a byte says.
  std::vector<std::string> texts(std::size_t most) {
    std::vector<std::string> out(byte() % (most + 1));
    for (std::string& each : out) each = text();
    return out;
  }
  /// A number of any size, often a round one or none.
  double number() {
    const std::uint8_t b = byte();
    if (b >= 250) {
      constexpr double kOdd[] = {HUGE_VAL, -HUGE_VAL, 0.0 / 1.0, -0.0, 1e308, -1e308};
      return b == 252 ? std::nan("") : kOdd[b - 250];
    }
    return std::ldexp(b % 16 - 3.0, b / 16 * 9 - 60);
  }

 private:
  std::string_view rest_;
};

}  // namespace heed::fuzz
