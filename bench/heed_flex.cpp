// Our side of row flex: a score map and a rule.

#include "flex.h"

#include "../attention/attend.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../core/parallel.h"
#include "filled.h"
#include "protocol.h"

namespace {

using namespace bench::flex;  // the sizes
using namespace heed;
using attention::Mask;

// i64[T]: the document of each place.
Tensor documents() {
  std::vector<std::int64_t> out;
  for (Index t = 0; t < kSteps; ++t) out.push_back(t / kDocument);
  return Tensor(Array::from(out));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  const auto block = [](std::uint64_t number) {
    return bench::numbers({1, kHeads, kSteps, kWidth}, [=](float* to) { fill_block(to, number); });
  };
  std::vector<Tensor> x = {block(0), block(1), block(2)};
  for (Tensor& input : x) input.set_requires_grad();
  const Tensor wanted = block(3);
  const attention::Terms terms{
      .mask = Mask::rule(
          [](auto q, auto k, auto document) {
            return k <= q && (q - k < kWindow || k < kFirst || document(q) == document(k));
          },
          documents()),
      .map = score_map([](auto s, auto at, auto slope,
                          auto cap) { return cap * tanh(s / cap) - slope * abs(at.q - at.k); },
                       bench::numbers({kHeads}, fill_slopes), tensor(kCap))};
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(x);
        const Tensor loss = sum(attention::attend(x[0], x[1], x[2], terms).context * wanted);
        loss.backward();
        return loss.item();
      },
      [&] { return bench::sum_of_squared_gradients(x); });
}
