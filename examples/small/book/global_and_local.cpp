// Chapter 5, global and local: Luong's decoder that looks everywhere, around where it stands, or
// around a place that it predicts.
//
//   ./global_and_local [PICTURE.png]

#include <heed/train.h>

#include <cstdio>
#include <memory>

#include "reversal.h"

using namespace heed;
using attention::LuongAttention;

// [docs: model]
class Luong : public nn::Module {
 public:
  explicit Luong(LuongAttention kind) : kind_(kind) {}

 private:
  LuongAttention kind_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", book::kSymbols, 16);
  nn::GRU& encoder =
      child<nn::GRU>("encoder", nn::GRUOptions{.input = 16, .hidden = 16, .bidirectional = true});
  attention::LuongDecoder& decoder = child<attention::LuongDecoder>(
      "decoder", attention::LuongOptions{.word_width = 16,
                                         .source_width = 32,
                                         .state_width = 32,
                                         .input_feeding = true,
                                         .attention = kind_,
                                         .score = std::make_shared<attention::General>(32, 32),
                                         .half_width = 2});
  nn::Linear& out = child<nn::Linear>("out", 32, book::kSymbols);

  Tensor operator()(const Tensor& source, const Tensor& read) const {
    return out(decoder(words(read), encoder(words(source)).output).output);
  }
};
// [end]

// Exercise 1: the same, but what comes is said as it came.
template <class Model>
double learn_to_copy(Model& model, int steps) {
  optim::Adam adam(model.parameters(), {.lr = 5e-3});
  Generator generator(7);
  const auto read_of = [](const Tensor& source) {
    return concat({full({source.size(0), 1}, Scalar(book::kBegin), DType::i64),
                   narrow(source, 1, 0, source.size(1) - 1)},
                  1);
  };
  for (int step = 0; step < steps; ++step) {
    const Tensor source = book::draw_reversal(64, 2 + generator.below(11), generator).source;
    adam.zero_grad();
    cross_entropy(transpose(model(source, read_of(source)), 1, 2), source).backward();
    optim::clip_grad_norm(model.parameters(), 1);
    adam.step();
  }
  const NoGrad scope;
  const Tensor source = book::draw_reversal(200, 12, generator).source;
  const Tensor said = argmax(model(source, read_of(source)), -1);
  return mean(to(said == source, DType::f64)).item();
}

// How many keys the queries may look at in all, of T queries and T keys.
Index seen_by(const attention::Mask& mask, Index steps) {
  const Tensor allowed = mask.tensor({steps, steps});
  return allowed.defined() ? sum(to(expand(allowed, {steps, steps}), DType::i64)).item<Index>()
                           : steps * steps;
}

int main(int argc, char** argv) {
  std::puts("words right when saying it backwards, length 8");
  const auto show = [](const char* name, LuongAttention kind) {
    manual_seed(1);
    Luong model(kind);
    book::learn_reversal(model, 500, 8);
    std::printf("%-8s %.3f\n", name, book::share_right(model, 8));
  };
  show("global", LuongAttention::global);
  show("local-m", LuongAttention::local_m);
  show("local-p", LuongAttention::local_p);

  std::puts("exercise 1: saying it as it came, length 12");
  manual_seed(1);
  Luong monotonic(LuongAttention::local_m);
  std::printf("local-m  %.3f\n", learn_to_copy(monotonic, 300));

  std::puts("exercise 2: local-m without a Gaussian is a window");
  const NoGrad scope;
  const attention::Local local({.half_width = 2});
  const Tensor q = randn({2, 7, 5}), k = randn({2, 7, 5});
  const Tensor a = local(q, k, k).context;
  const Tensor b = attention::attend(q, k, k, {.mask = attention::Mask::window(2, 2)}).context;
  std::printf("%s\n", allclose(a, b, 1e-4, 1e-5) ? "the same" : "not the same");

  std::puts("exercise 3: pairs of a query and a key, 5 places to each side");
  std::puts("T       everywhere   in the window");
  for (const Index steps : {64, 256, 1024}) {
    std::printf("%-6lld  %-11lld  %lld\n", static_cast<long long>(steps),
                static_cast<long long>(seen_by(attention::Mask(), steps)),
                static_cast<long long>(seen_by(attention::Mask::window(5, 5), steps)));
  }

  if (argc > 1) {
    // The same queries and keys, looked at in three ways.
    manual_seed(3);
    const Tensor x = randn({1, 24, 4});
    const attention::Local predictive(
        {.kind = attention::LocalKind::predictive, .half_width = 4, .query_width = 4});
    const auto weights = [&](const attention::Attended& seen) {
      train::Picture picture =
          train::Picture::from((1 - seen.weights[0] / amax(seen.weights)).array());
      return picture.scaled(8);
    };
    train::write_png(
        argv[1],
        train::strip({{weights(attention::attend(x, x, x, {.need_weights = true})), "global"},
                      {weights(attention::attend(
                           x, x, x, {.mask = attention::Mask::window(4, 4), .need_weights = true})),
                       "local-m, D = 4"},
                      {weights(predictive(x, x, x, {}, {.terms = {.need_weights = true}})),
                       "local-p, D = 4"}}));
  }
}
