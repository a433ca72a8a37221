// Chapter 10, positions and masks: self-attention knows no order until it is told, and sees all
// until it is kept from it. The task: at each place, say the symbol that stood two places before.
//
//   ./positions_and_masks [PICTURE.png]

#include <heed/train.h>

#include <cmath>
#include <cstdio>

#include "reversal.h"

using namespace heed;
using attention::Mask;

enum class Positions { none, learned, sinusoidal, rotary, alibi };

class Looker : public nn::Module {
 public:
  explicit Looker(Positions positions) : positions_(positions) {}

 private:
  Positions positions_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", book::kSymbols, 32);
  nn::Embedding& places = child<nn::Embedding>("places", 64, 32);
  attention::TransformerEncoder& encoder = child<attention::TransformerEncoder>(
      "encoder", 2,
      attention::TransformerOptions{.width = 32,
                                    .heads = 4,
                                    .hidden = 64,
                                    .dropout = 0,
                                    .pre_norm = true,
                                    .rotary = positions_ == Positions::rotary},
      true);
  nn::Linear& out = child<nn::Linear>("out", 32, book::kSymbols);
  attention::Alibi& alibi = child<attention::Alibi>("alibi", 4);

  // [docs: positions]
  Tensor operator()(const Tensor& source) const {  // i64 [B, T] -> [B, T, symbols]
    const Index steps = source.size(1);
    Tensor x = words(source);
    if (positions_ == Positions::learned) x = x + places(arange(steps));
    if (positions_ == Positions::sinusoidal) x = x + nn::sinusoidal_positions(steps, 32);
    attention::Terms terms{.mask = Mask::causal()};
    if (positions_ == Positions::alibi) terms.position_bias = &alibi;
    return out(encoder(x, terms).output);  // rotary: an option of its heads
  }
  // [end]
};

// The last T - 2 places of logits, and what is due there.
double right(const Looker& model, Index steps) {
  const NoGrad scope;
  Generator generator(99);
  const Tensor source = book::draw_reversal(100, steps, generator).source;
  const Tensor said = narrow(argmax(model(source), -1), 1, 2, steps - 2);
  return mean(to(said == narrow(source, 1, 0, steps - 2), DType::f64)).item();
}

void learn(Looker& model, int count) {
  optim::Adam adam(model.parameters(), {.lr = 3e-3});
  Generator generator(7);
  for (int step = 0; step < count; ++step) {
    const Tensor source = book::draw_reversal(32, 16, generator).source;
    adam.zero_grad();
    const Tensor logits = narrow(model(source), 1, 2, 14);
    cross_entropy(transpose(logits, 1, 2), narrow(source, 1, 0, 14)).backward();
    adam.step();
  }
}

// Exercise 1: none before its own place, but the first, and no more than three back.
// [docs: rule]
Mask near_and_first() {
  return Mask::rule([](auto q, auto k) { return k <= q && (q - k <= 3 || k < 1); });
}
// [end]

train::Picture drawn(const Mask& mask, Index steps) {
  const Tensor allowed = expand(mask.tensor({steps, steps}), {steps, steps});
  return train::Picture::from((1 - 0.8 * to(allowed, DType::f32)).array()).scaled(8);
}

int main(int argc, char** argv) {
  std::puts("two places before, right: as long as taught (16), and longer (32, 64)");
  for (const auto& [name, kind] : {std::pair{"none", Positions::none},
                                   {"learned", Positions::learned},
                                   {"sinusoidal", Positions::sinusoidal},
                                   {"rotary", Positions::rotary},
                                   {"ALiBi", Positions::alibi}}) {
    manual_seed(1);
    Looker model(kind);
    learn(model, 400);
    std::printf("%-11s %.3f  %.3f  %.3f\n", name, right(model, 16), right(model, 32),
                right(model, 64));
  }

  const NoGrad scope;
  std::puts("exercise 1: a mask by parts and the same by a rule");
  const Mask parts =
      Mask::causal() & (Mask::window(3, 0) | Mask::rule([](auto, auto k) { return k < 1; }));
  const Shape scores{16, 16};
  std::printf("%s\n", equal(expand(parts.tensor(scores), scores),
                            expand(near_and_first().tensor(scores), scores))
                          ? "the same"
                          : "not the same");

  std::puts("exercise 2: another symbol at place 9 changes nothing before it");
  manual_seed(1);
  const Looker model(Positions::rotary);
  Generator generator(3);
  const Tensor source = book::draw_reversal(1, 16, generator).source;
  const Tensor other = where(arange(16) == 9, full({}, 1, DType::i64), source);
  const Tensor difference = amax(abs(model(source) - model(other)), {0, 2});
  std::printf("places before: %g, from there on: %s\n", amax(narrow(difference, 0, 0, 9)).item(),
              amin(narrow(difference, 0, 9, 7)).item() > 0 ? "all changed" : "not all");

  std::puts("exercise 3: a query that may attend to nothing, and NaN where nobody may look");
  const Tensor q = randn({3, 4});
  Tensor k = randn({5, 4});
  const auto allowed = Mask::lengths({0}, 5);
  std::printf("%s\n", to_string(attention::attend(unsqueeze(q, 0), unsqueeze(k, 0), unsqueeze(k, 0),
                                                  {.mask = allowed})
                                    .context)
                          .c_str());
  const Mask first_three = Mask::lengths({3}, 5);
  const Tensor clean =
      attention::attend(unsqueeze(q, 0), unsqueeze(k, 0), unsqueeze(k, 0), {.mask = first_three})
          .context;
  k[4] = std::nan("");
  const Tensor spoilt =
      attention::attend(unsqueeze(q, 0), unsqueeze(k, 0), unsqueeze(k, 0), {.mask = first_three})
          .context;
  std::printf("%s\n", equal(clean, spoilt) ? "not a bit changed" : "changed");

  if (argc > 1) {
    train::write_png(
        argv[1],
        train::strip({{drawn(Mask::causal(), 16), "causal"},
                      {drawn(Mask::window(2, 2), 16), "window"},
                      {drawn(Mask::block(4), 16), "block"},
                      {drawn(attention::masks::prefix_lm(5), 16), "prefix"},
                      {drawn(attention::masks::window_with_sinks(4, 1), 16), "with a sink"},
                      {drawn(attention::masks::dilated(3, 2), 16), "dilated"}}));
  }
}
