// Our side of the rows sdpa_T and additive, and what the row local asks for: local_T and full_T.

#include "../autograd/ops/attention.h"

#include <cmath>

#include "../autograd/ops/elementwise.h"
#include "../autograd/ops/reduce.h"
#include "../core/parallel.h"
#include "attention.h"
#include "filled.h"
#include "protocol.h"

namespace {

using namespace heed;

// forward(inputs) times the block, summed, and back to the inputs.
template <class Forward>
int serve(const bench::Options& options, std::vector<Tensor> inputs, const Tensor& block,
          Forward forward) {
  for (Tensor& input : inputs) input.set_requires_grad();
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(inputs);
        const Tensor loss = sum(forward(inputs) * block);
        loss.backward();
        return loss.item();
      },
      [&] { return bench::sum_of_squared_gradients(inputs); });
}

int run_sdpa(const bench::Options& options, Index steps, AttentionOptions attention) {
  using namespace bench::sdpa;
  attention.scale = 1 / std::sqrt(double{kWidth});
  const auto block = [steps](std::uint64_t number) {
    return bench::numbers({1, kHeads, steps, kWidth},
                          [=](float* to) { fill_block(to, steps, number); });
  };
  return serve(
      options, {block(0), block(1), block(2)}, block(3),
      [&](const std::vector<Tensor>& x) { return dot_attention(x[0], x[1], x[2], attention); });
}

int run_additive(const bench::Options& options) {
  using namespace bench::additive;
  const auto block = [](Index rows, std::uint64_t number) {
    return bench::numbers({kBatch, rows, kWidth}, [=](float* to) { fill_block(to, number); });
  };
  return serve(
      options,
      {block(kQueries, 0), block(kKeys, 1), block(kKeys, 2), bench::numbers({kWidth}, fill_vector)},
      block(kQueries, 3),
      [](const std::vector<Tensor>& x) { return additive_attention(x[0], x[1], x[3], x[2]); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  if (options.row == "additive") return run_additive(options);
  AttentionOptions attention;
  if (options.row.starts_with("local"))
    attention.left = attention.right = bench::local::kWindow / 2;
  return run_sdpa(options, std::stoll(options.row.substr(options.row.find('_') + 1)), attention);
}
