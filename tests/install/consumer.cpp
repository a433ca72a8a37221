// What someone writes who has installed heed and nothing else of this project.
#include <heed/heed.h>
#include <heed/train.h>

using namespace heed;

// Names that a program has of its own.
struct Node {};
struct Pair {};
struct Text {};

int main() {
  [[maybe_unused]] const Node node;
  [[maybe_unused]] const Pair pair;
  [[maybe_unused]] const Text text;
  Tensor x = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  x.set_requires_grad();
  sum(x * x).backward();
  if (x.grad().array().to_vector<float>() != std::vector<float>{2, 4, 6, 8, 10, 12}) return 1;
  attention::AttentionPooling pooling(2);
  const auto mask = attention::Mask::rule([](auto q, auto k) { return k <= q && q - k < 2; });
  const auto cap =
      score_map([](auto s, auto, auto c) { return c * tanh(s / c); }, tensor({2}, {1}));
  const Tensor context = attention::attend(x, x, x, {.mask = mask, .map = cap}).context;
  if (context.shape() != x.shape()) return 1;
  const auto report = gradcheck([](const std::vector<Tensor>& t) { return tanh(t[0]); },
                                std::vector<Tensor>{randn({3, 5}, DType::f64)});
  train::Confusion confusion(2);
  confusion.add(0, 0);
  return report && confusion.accuracy() == 1 ? 0 : 1;
}
