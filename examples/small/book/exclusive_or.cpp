// The README's program.
// [docs: program]
#include <heed/heed.h>
#include <cstdio>
using namespace heed;

struct Classifier : nn::Module {
  nn::Linear& hidden = child<nn::Linear>("hidden", 2, 16);
  nn::Linear& out = child<nn::Linear>("out", 16, 2);
  Tensor operator()(const Tensor& x) { return out(tanh(hidden(x))); }
};

int main() {
  Classifier model;
  optim::Adam adam(model.parameters(), {.lr = 0.01});
  const Tensor x(Array::from<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}));
  const Tensor labels(Array::from<std::int64_t>({0, 1, 1, 0}));  // exclusive or
  for (int step = 0; step < 500; ++step) {
    adam.zero_grad();
    const Tensor loss = cross_entropy(model(x), labels);
    loss.backward();
    adam.step();
    if (step % 100 == 0) std::printf("%.4f\n", loss.item());
  }
}
// [end]
