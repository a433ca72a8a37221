// Our side of the row lstmn.

#include "../attention/mechanisms/memory/lstmn.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../core/parallel.h"
#include "filled.h"
#include "lstmn.h"
#include "protocol.h"

int main(int argc, char** argv) {
  using namespace heed;
  using namespace bench::lstmn;
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  attention::LSTMN layer({.input = kInput, .hidden = kHidden});
  bench::fill_weights(layer, weights());
  Tensor x = bench::numbers({kBatch, kSteps, kInput}, fill_input).set_requires_grad();
  const Tensor block = bench::numbers({kBatch, kSteps, kHidden}, fill_block);
  std::vector<Tensor> leaves = layer.parameters();
  leaves.push_back(x);
  return bench::serve(
      options,
      [&] {
        bench::drop_gradients(leaves);
        const Tensor loss = sum(layer(x).output * block);
        loss.backward();
        return loss.item();
      },
      [&] { return bench::sum_of_squared_gradients(leaves); });
}
