#include "percent.h"

#include <fmt/format.h>

namespace heed::train {

std::string rounded(double value, int digits) {
  std::string out = fmt::format("{:.{}f}", value, digits);
  const bool has_size = out.find_first_of("123456789i") != std::string::npos;  // or is infinite
  if (out.front() == '-' && !has_size) out.erase(0, 1);
  return out;
}

std::string percent(double share, int digits) { return rounded(100.0 * share, digits); }

}  // namespace heed::train
