// Our side of the rows sdpa_T and additive, and what the rows local, linear, delta and decode ask
// for: local_T, full_T, linear_T, delta_T, causal_T, decode_T; and the rows dropout, sdpa_T with
// dropout of the weights, and sdpa_bf16, sdpa_2048 in bf16. All of it goes through attend() and the
// modules above it, as a user's does.

#include "../attention/attend.h"
#include "../attention/mechanisms/linear/fast_weights.h"
#include "../attention/mechanisms/transformer/multi_head.h"
#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/parallel.h"
#include "../core/precision.h"
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

int run_sdpa(const bench::Options& options, Index steps, const attention::Terms& terms) {
  using namespace bench::sdpa;
  const auto block = [steps](std::uint64_t number) {
    return bench::numbers({1, kHeads, steps, kWidth},
                          [=](float* to) { fill_block(to, steps, number); });
  };
  return serve(options, {block(0), block(1), block(2)}, block(3),
               [&](const std::vector<Tensor>& x) {
                 return attention::attend(x[0], x[1], x[2], terms).context;
               });
}

// The blocks of the rows sdpa_T through fast weights in chunks: additive, without decay; or the
// delta rule with beta 1/2 and keys divided by their length.
int run_fast_weights(const bench::Options& options, Index steps, bool delta) {
  using namespace bench::sdpa;
  const auto block = [steps](std::uint64_t number) {
    return bench::numbers({1, kHeads, steps, kWidth},
                          [=](float* to) { fill_block(to, steps, number); });
  };
  const Tensor beta = delta ? full({1, kHeads, steps, 1}, 0.5) : Tensor();
  return serve(options, {block(0), block(1), block(2)}, block(3),
               [&](const std::vector<Tensor>& x) {
                 Tensor k = x[1];
                 if (delta) k = k * rsqrt(sum(square(k), {-1}, true));
                 return attention::fast_weights({.q = x[0], .k = k, .v = x[2], .beta = beta}).y;
               });
}

// attention::Additive without its projections, which the row has not.
class AdditiveScore : public attention::Score {
 public:
  explicit AdditiveScore(Tensor vector) : vector_(std::move(vector)) {}

  std::optional<Form> form(const Tensor& query, const Tensor& keys) const override {
    return Form{.q = query, .k = keys, .vector = vector_};
  }

 private:
  Tensor vector_;
};

int run_additive(const bench::Options& options) {
  using namespace bench::additive;
  const auto block = [](Index rows, std::uint64_t number) {
    return bench::numbers({kBatch, rows, kWidth}, [=](float* to) { fill_block(to, number); });
  };
  return serve(
      options,
      {block(kQueries, 0), block(kKeys, 1), block(kKeys, 2), bench::numbers({kWidth}, fill_vector)},
      block(kQueries, 3), [](const std::vector<Tensor>& x) {
        const AdditiveScore score(x[3]);
        return attention::attend(score, x[0], x[1], x[2]).context;
      });
}

// A step of the protocol: so many tokens, one after the other, from an empty cache on.
int run_decode(const bench::Options& options, Index steps) {
  using namespace bench::decode;
  const NoGrad scope;
  const attention::MultiHead attend({.width = kWidth, .heads = kHeads});
  const Tensor tokens =
      bench::numbers({1, steps, kWidth}, [=](float* to) { fill_tokens(to, steps); });
  return bench::serve(options, [&] {
    attention::KeyValueCache cache;
    Tensor last;
    for (Index t = 0; t < steps; ++t) {
      last = attend(narrow(tokens, 1, t, 1), {.mask = attention::Mask::causal()}, &cache).context;
    }
    return sum(last).item();
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  if (options.row == "additive") return run_additive(options);
  if (options.row == "dropout") {
    return run_sdpa(options, bench::sdpa::kBoundSteps, {.dropout = bench::sdpa::kDropout});
  }
  if (options.row == "sdpa_bf16") {
    const PrecisionScope scope(Precision::bf16);
    return run_sdpa(options, bench::sdpa::kBoundSteps, {});
  }
  const Index steps = std::stoll(options.row.substr(options.row.find('_') + 1));
  if (options.row.starts_with("decode")) return run_decode(options, steps);
  const bool delta = options.row.starts_with("delta");
  if (delta || options.row.starts_with("linear")) return run_fast_weights(options, steps, delta);
  if (options.row.starts_with("causal")) {
    return run_sdpa(options, steps, {.mask = attention::Mask::causal()});
  }
  constexpr Index kSide = bench::local::kWindow / 2;
  const bool local = options.row.starts_with("local");
  return run_sdpa(options, steps,
                  {.mask = local ? attention::Mask::window(kSide, kSide) : attention::Mask()});
}
