#include <fstream>
#include <string>

#include "bounds.h"

namespace bench {

double bf16_target() {
  std::ifstream processors("/proc/cpuinfo");
  std::string line;
  while (std::getline(processors, line) && !line.starts_with("flags")) {
  }
  const auto has = [&](const char* flag) { return line.find(flag) != std::string::npos; };
  return has("amx_bf16") ? 1 / 2.0 : has("avx512_bf16") ? 1 / 1.3 : 1 / 0.95;
}

}  // namespace bench
