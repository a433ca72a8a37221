#include "percent.h"

#include <fmt/format.h>

namespace heed::train {

std::string percent(double share, int digits) {
  std::string out = fmt::format("{:.{}f}", 100.0 * share, digits);
  if (out.find_first_not_of("-0.") == std::string::npos && out.front() == '-') out.erase(0, 1);
  return out;
}

}  // namespace heed::train
