// In place of a function of Highway's library, which runs as that is loaded: it asks for rdtscp, an
// instruction that valgrind knows only where the processor is said to have it. Nobody asks for
// Highway's clock.
#include <cstdint>

namespace hwy::platform {

std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
