// Our side of the rows chain and tiny.

#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../core/parallel.h"
#include "filled.h"
#include "overhead.h"
#include "protocol.h"

namespace {

using namespace heed;

int run_chain(const bench::Options& options) {
  using namespace bench::chain;
  std::vector<Tensor> leaves = {bench::numbers({kSize}, fill_start).set_requires_grad(),
                                bench::numbers({kSize}, fill_step).set_requires_grad()};
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        Tensor y = leaves[0];
        for (std::int64_t i = 0; i < kAdds; ++i) y = y + leaves[1];
        const Tensor loss = sum(y);
        loss.backward();
        return loss.item();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}

int run_tiny(const bench::Options& options) {
  using namespace bench::tiny;
  std::vector<Tensor> leaves = {bench::numbers({1, kInput}, fill_input).set_requires_grad(),
                                bench::numbers({kInput, kInner}, fill_first).set_requires_grad(),
                                bench::numbers({kInner, kOutput}, fill_second).set_requires_grad()};
  return bench::serve(
      options,
      [&] {
        double last = 0;
        for (std::int64_t i = 0; i < kTimes; ++i) {
          bench::drop_gradients(leaves);
          const Tensor inner = tanh(matmul(leaves[0], leaves[1]));
          const Tensor loss = sum(tanh(matmul(inner, leaves[2])));
          loss.backward();
          last = loss.item();
        }
        return last;
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  return options.row == "chain" ? run_chain(options) : run_tiny(options);
}
