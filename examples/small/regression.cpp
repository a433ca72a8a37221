// A curve through noisy points: the first program. It shows the four things that all trainings are
// made of: a model, a loss, its gradient, an optimizer.
//
//   ./regression [STEPS]

#include <heed/heed.h>

#include <cstdio>
#include <cstdlib>

using namespace heed;

// A model is a Module. child() makes a layer and registers it, so that parameters() finds it.
class Curve : public nn::Module {
 public:
  nn::Linear& first = child<nn::Linear>("first", 1, 32);
  nn::Linear& second = child<nn::Linear>("second", 32, 1);

  // x [N, 1] -> y [N, 1]. operator() is an ordinary function: any arguments, any results.
  Tensor operator()(const Tensor& x) const { return second(tanh(first(x))); }
};

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
  manual_seed(1);  // of everything random that is given no Generator of its own

  // 200 points of y = sin(3 x) with noise. randn() draws from a normal distribution.
  const Tensor x = randn({200, 1});
  const Tensor y = sin(x * 3.0) + randn({200, 1}) * 0.1;

  Curve curve;
  optim::Adam adam(curve.parameters(), {.lr = 0.01});
  for (int step = 1; step <= steps; ++step) {
    adam.zero_grad();                                // gradients add up until they are forgotten
    const Tensor loss = mean(square(curve(x) - y));  // [N, 1] -> one number
    loss.backward();                                 // d loss / d parameter, into each parameter
    adam.step();                                     // and a step against it
    if (step % (steps / 5 > 0 ? steps / 5 : 1) == 0) {
      std::printf("step %4d  loss %.4f\n", step, loss.item());
    }
  }

  // Without a tape, as nothing is to be differentiated.
  const NoGrad scope;
  std::printf("    x  sin(3x)   curve\n");
  for (const double at : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    const Tensor point = full({1, 1}, at);
    std::printf("%5.1f  %7.3f %7.3f\n", at, sin(point * 3.0).item(), curve(point).item());
  }
  const double error = mean(square(curve(x) - sin(x * 3.0))).item();
  std::printf("mean square error %.4f\n", error);
}
