// The program that libFuzzer drives: the environment's HEED_FUZZ_TARGET names the target; without
// it the names of all are printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../targets.h"

using heed::fuzz::Target;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Target& target = heed::fuzz::target_named(std::getenv("HEED_FUZZ_TARGET"));
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (std::getenv("HEED_FUZZ_TARGET") == nullptr) {
    for (const Target& target : heed::fuzz::targets()) std::puts(target.name);
    std::exit(0);
  }
  return 0;
}
