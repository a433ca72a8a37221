// The rate of multiply-adds of floats that no program can pass, with as many threads as the rows
// have. Answers with the operations of a turn in place of a row's gradients.
#include "fma.h"

#include <cstddef>
#include <thread>
#include <vector>

#include "protocol.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bench::fma {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double lanes() { return static_cast<double>(hn::Lanes(hn::ScalableTag<float>())); }

// Twelve names, not an array: vectors of unknown width cannot stand in one.
double run(float start) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, start), y = hn::Set(d, 0.5f);
  // All begin elsewhere: equal ones the compiler would make one.
  const auto from = [&](float above) { return hn::Set(d, start + above); };
  auto a = from(1), b = from(2), c = from(3), e = from(4), f = from(5), g = from(6);
  auto h = from(7), i = from(8), j = from(9), k = from(10), l = from(11), m = from(12);
  for (long round = 0; round < kRounds; ++round) {
    a = hn::MulAdd(a, y, x), b = hn::MulAdd(b, y, x), c = hn::MulAdd(c, y, x);
    e = hn::MulAdd(e, y, x), f = hn::MulAdd(f, y, x), g = hn::MulAdd(g, y, x);
    h = hn::MulAdd(h, y, x), i = hn::MulAdd(i, y, x), j = hn::MulAdd(j, y, x);
    k = hn::MulAdd(k, y, x), l = hn::MulAdd(l, y, x), m = hn::MulAdd(m, y, x);
  }
  const auto all = hn::Add(
      hn::Add(hn::Add(a, b), hn::Add(c, e)),
      hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
}

}  // namespace HWY_NAMESPACE
}  // namespace bench::fma
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench::fma {
HWY_EXPORT(lanes);
HWY_EXPORT(run);
}  // namespace bench::fma

int main(int argc, char** argv) {
  using namespace bench::fma;
  const bench::Options options = bench::parse(argc, argv);
  const double operations = 2.0 * kRounds * kSums * HWY_DYNAMIC_DISPATCH(lanes)();
  return bench::serve(
      options,
      [&] {
        std::vector<double> sums(static_cast<std::size_t>(options.threads));
        std::vector<std::thread> threads;
        for (double& sum : sums) {
          threads.emplace_back([&sum] { sum = HWY_DYNAMIC_DISPATCH(run)(1.0f); });
        }
        for (std::thread& thread : threads) thread.join();
        return sums[0];
      },
      [&] { return operations * options.threads; });
}
#endif
