// Chapter 11, long sequences: a block of queries by keys is what long sequences cannot afford.
//
//   ./long_sequences [PICTURE.png]

#include <heed/heed.h>
#include <heed/train.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace heed;
using attention::Mask;

// [docs: measured]
// What attention over T places keeps for its gradient, in MB.
double kept(Index steps, const attention::Terms& terms) {
  const Tensor x = randn({1, 4, steps, 32}).set_requires_grad();
  const auto before = memory_stats().live_bytes;
  const Tensor loss = sum(square(attention::attend(x, x, x, terms).context));
  return static_cast<double>(memory_stats().live_bytes - before) / 1e6;
}
// [end]

// [docs: linear]
// Linear attention (Katharopoulos et al. 2020): exp(q . k) is replaced by f(q) . f(k), so that the
// sum over the keys can be taken once: f(q) (f(K)^T V) in the place of (f(q) f(K)^T) V.
Tensor feature(const Tensor& x) { return elu(x) + 1; }

Tensor linear_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor a = feature(q), b = feature(k);
  const Tensor state = matmul(transpose(b, -1, -2), v);        // [.., d, dv], whatever T
  const Tensor norm = matmul(a, unsqueeze(sum(b, {-2}), -1));  // [.., T, 1]
  return matmul(a, state) / norm;
}
// [end]

double share_of_tiles(const Mask& mask, Index steps) {
  const Tensor allowed = expand(mask.tensor({steps, steps}), {steps, steps});
  const Tensor tiles = reshape(to(allowed, DType::f32), {steps / 64, 64, steps / 64, 64});
  return mean(to(sum(tiles, {1, 3}) > 0, DType::f64)).item();
}

int main(int argc, char** argv) {
  std::puts("MB kept for the gradient, 4 heads of 32");
  std::puts("T      whole block   in tiles   window of 64");
  for (const Index steps : {256, 512, 1024, 2048}) {
    std::printf("%-6lld %-13.1f %-10.1f %.1f\n", static_cast<long long>(steps),
                kept(steps, {.need_weights = true}), kept(steps, {.tiles_only = true}),
                kept(steps, {.mask = Mask::window(64, 0), .tiles_only = true}));
  }

  const NoGrad scope;
  manual_seed(1);
  const Tensor q = randn({1, 2, 512, 16}), k = randn({1, 2, 512, 16}), v = randn({1, 2, 512, 8});
  std::puts("exercise 1: which share of 64 x 64 tiles a mask leaves, T 1,024");
  std::printf("causal %.3f, window of 64 %.3f, with a sink %.3f, global token %.3f\n",
              share_of_tiles(Mask::causal(), 1024), share_of_tiles(Mask::window(64, 0), 1024),
              share_of_tiles(attention::masks::window_with_sinks(64, 1), 1024),
              share_of_tiles(Mask::window(64, 64) | attention::masks::global_tokens(1), 1024));

  std::puts("exercise 2: keys in two parts, joined by the sums of their exponentials");
  const auto part = [&](Index begin, Index count) {
    return attention::attend(q, narrow(k, 2, begin, count), narrow(v, 2, begin, count),
                             {.need_log_sums = true});
  };
  const Tensor joined = attention::merge({part(0, 200), part(200, 312)}).context;
  const Tensor whole = attention::attend(q, k, v).context;
  std::printf("%s\n", allclose(joined, whole, 1e-4, 1e-5) ? "the same" : "not the same");

  std::puts("exercise 3: linear attention beside the same by its block, and beside softmax");
  const Tensor block = matmul(feature(q), transpose(feature(k), -1, -2));
  const Tensor by_block = matmul(block / sum(block, {-1}, true), v);
  const Tensor linear = linear_attention(q, k, v);
  std::printf("%s; off from softmax by %.2f of its norm\n",
              allclose(linear, by_block, 1e-3, 1e-4) ? "the same" : "not the same",
              std::sqrt(sum(square(linear - whole)).item() / sum(square(whole)).item()));

  if (argc > 1) {
    const auto drawn = [](const Mask& mask) {
      const Tensor allowed = expand(mask.tensor({96, 96}), {96, 96});
      return train::Picture::from((1 - 0.8 * to(allowed, DType::f32)).array()).scaled(2);
    };
    Generator generator(1);
    train::write_png(
        argv[1],
        train::strip({{drawn(Mask::causal()), "causal"},
                      {drawn(Mask::window(12, 0)), "window"},
                      {drawn(attention::masks::window_with_sinks(12, 4)), "window with sinks"},
                      {drawn(attention::masks::bigbird(96, {.block = 8}, generator)), "BigBird"}}));
  }
}
