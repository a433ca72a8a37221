// Chapter 9, self-attention and the Transformer: a sequence looks at itself.
//
//   ./self_attention [PICTURE.png]

#include <heed/train.h>

#include <cstdio>

#include "reversal.h"

using namespace heed;

// [docs: model]
class Sayer : public nn::Module {
 public:
  Sayer(Index heads, bool positions) : heads_(heads), positions_(positions) {}

 private:
  Index heads_;
  bool positions_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", book::kSymbols, 32);
  nn::Embedding& places = child<nn::Embedding>("places", 16, 32);
  attention::TransformerEncoder& encoder = child<attention::TransformerEncoder>(
      "encoder", 1,
      attention::TransformerOptions{
          .width = 32, .heads = heads_, .hidden = 64, .dropout = 0, .pre_norm = true},
      true);
  nn::Linear& out = child<nn::Linear>("out", 32, book::kSymbols);

  Tensor embedded(const Tensor& source) const {  // i64 [B, T] -> [B, T, 32]
    const Tensor x = words(source);
    return positions_ ? x + places(arange(source.size(1))) : x;
  }
  // Each place says what stands as far from the end as it stands from the begin, all at once.
  Tensor operator()(const Tensor& source, const Tensor& = Tensor()) const {
    return out(encoder(embedded(source)).output);
  }
};
// [end]

double learn(Sayer& model, int steps) {
  optim::Adam adam(model.parameters(), {.lr = 5e-3});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const book::Reversal batch = book::draw_reversal(64, 8, generator);
    adam.zero_grad();
    cross_entropy(transpose(model(batch.source), 1, 2), batch.due).backward();
    adam.step();
  }
  return book::share_right(model, 8);
}

int main(int argc, char** argv) {
  manual_seed(3);
  const NoGrad off;
  // [docs: hand]
  const attention::MultiHead heads({.width = 6, .heads = 2, .bias = false});
  const Tensor x = randn({1, 5, 6});                   // [B, T, E]
  const Tensor qkv = linear(x, heads.in_proj_weight);  // [1, 5, 18]: queries, keys, values
  const auto cut = [&](Index part) {                   // [1, 2, 5, 3]: a head's own 3 of 6
    return transpose(reshape(narrow(qkv, -1, 6 * part, 6), {1, 5, 2, 3}), 1, 2);
  };
  const Tensor q = cut(0), k = cut(1), v = cut(2);
  const Tensor weights = softmax(matmul(q, transpose(k, -1, -2)) / std::sqrt(3.0), -1);
  const Tensor context = reshape(transpose(matmul(weights, v), 1, 2), {1, 5, 6});
  const Tensor y = linear(context, heads.out_proj.weight);
  // [end]
  std::printf("by hand and by the library: %s\n",
              allclose(y, heads(x).context, 1e-4, 1e-5) ? "the same" : "not the same");

  const EnableGrad on;
  manual_seed(1);
  Sayer one(1, true), four(4, true), placeless(4, false);
  std::puts("words right when saying eight backwards, all at once");
  std::printf("one layer, one head            %.3f\n", learn(one, 300));
  std::printf("one layer, four heads          %.3f\n", learn(four, 300));
  std::printf("four heads, without positions  %.3f\n", learn(placeless, 300));

  const NoGrad scope;
  Generator generator(5);
  const book::Reversal test = book::draw_reversal(1, 8, generator);
  const auto seen = one.encoder(one.embedded(test.source), {.need_weights = true}).weights[0];
  train::Alignment picture{"", {}, {}, seen[0][0].array()};
  for (const Index symbol : test.source.array().to_vector<Index>()) {
    picture.columns.emplace_back(1, static_cast<char>('a' + symbol - 2));
  }
  picture.rows = picture.columns;
  if (argc > 1) train::write_png(argv[1], train::alignment_picture(picture));

  std::puts("exercise 1: without positions another order in is the same order out");
  const Tensor order = Array::from(generator.permutation(8));
  const Tensor moved = index_select(test.source, 1, order);
  std::printf("%s\n",
              allclose(placeless(moved), index_select(placeless(test.source), 1, order), 1e-4, 1e-4)
                  ? "the same"
                  : "not the same");

  std::puts(
      "exercise 2: a head is as wide as the model divided by the heads; so are its parameters");
  std::printf("one head %lld, four heads %lld\n", static_cast<long long>(one.parameter_count()),
              static_cast<long long>(four.parameter_count()));

  std::puts("exercise 3: where the one head looks: the share at the place that is due");
  const book::Reversal many = book::draw_reversal(500, 8, generator);
  const Tensor all = one.encoder(one.embedded(many.source), {.need_weights = true}).weights[0];
  const Tensor due = flip(eye(8), {1});  // place t looks at 7 - t
  std::printf("%.3f\n", sum(mean(squeeze(all, 1), {0}) * due).item() / 8);
}
