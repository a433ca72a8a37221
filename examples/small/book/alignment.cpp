// Chapter 2, alignment: Bahdanau's attention in five lines, and where it looks.
//
//   ./alignment [PICTURE.png]

#include <heed/train.h>

#include <cstdio>
#include <string>

#include "reversal.h"

using namespace heed;

class Reverser : public nn::Module {
 public:
  explicit Reverser(bool of_now = false) : of_now_(of_now) {}

 private:
  bool of_now_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", book::kSymbols, 16);
  nn::GRU& encoder =
      child<nn::GRU>("encoder", nn::GRUOptions{.input = 16, .hidden = 16, .bidirectional = true});
  attention::BahdanauDecoder& decoder = child<attention::BahdanauDecoder>(
      "decoder", attention::BahdanauOptions{.word_width = 16,
                                            .annotation_width = 32,
                                            .state_width = 32,
                                            .readout_of_state = of_now_});
  nn::Linear& out = child<nn::Linear>("out", 32, book::kSymbols);

  Tensor annotations(const Tensor& source) const { return encoder(words(source)).output; }
  Tensor operator()(const Tensor& source, const Tensor& read) const {
    return out(decoder(words(read), annotations(source)).output);
  }
  // [B, T, K]: where it looked before each word
  Tensor weights(const Tensor& source, const Tensor& read) const {
    return decoder(words(read), annotations(source), {}, {.need_weights = true}).weights[0];
  }
};

// One look, from the formula: e_j = v . tanh(W s + U h_j).
void by_hand() {
  manual_seed(3);
  // [docs: hand]
  const Tensor s = randn({2, 5}), h = randn({2, 7, 11});  // the state, the annotations
  const Tensor W = randn({13, 5}), U = randn({13, 11}), v = randn({13});
  const Tensor e = matmul(tanh(unsqueeze(linear(s, W), 1) + linear(h, U)), v);  // [2, 7]
  const Tensor alpha = softmax(e, 1);
  const Tensor c = squeeze(matmul(unsqueeze(alpha, 1), h), 1);  // [2, 11]: the context
  // [end]
  // [docs: library]
  attention::Additive score(5, 11, 13);
  score.query_projection.weight.set_array(W.array());
  score.key_projection.weight.set_array(U.array());
  score.score_vector.set_array(v.array());
  const attention::Memory memory(score, h, h);
  const attention::Attended same = memory.step(s, {.need_weights = true});
  // [end]
  std::printf("by hand and by the library: %s\n",
              allclose(same.context, c, 1e-4, 1e-5) ? "the same" : "not the same");
}

int main(int argc, char** argv) {
  by_hand();
  manual_seed(1);
  Reverser model;
  book::learn_reversal(model, 400);
  std::printf("words right, length 12: %.3f\n", book::share_right(model, 12));

  Reverser of_now(true);  // of exercise 3
  book::learn_reversal(of_now, 400);

  const NoGrad scope;
  Generator generator(5);
  const book::Reversal one = book::draw_reversal(1, 12, generator);
  const Tensor weights = model.weights(one.source, one.read)[0];  // [T, K]
  train::Alignment seen{"", {}, {}, weights.array()};
  for (const Index symbol : one.source.array().to_vector<Index>()) {
    seen.columns.emplace_back(1, static_cast<char>('a' + symbol - 2));
  }
  seen.rows.assign(seen.columns.rbegin(), seen.columns.rend());
  std::puts(train::alignment_text(seen, train::ShadeStyle::marks).c_str());
  if (argc > 1) train::write_png(argv[1], train::alignment_picture(seen));

  std::puts("exercise 1: how much of each word is looked at in all, 12 words");
  std::printf("%s\n", to_string(sum(weights, {0})).c_str());

  std::puts("exercise 2: places behind a sentence's end");
  const Tensor annotations = randn({2, 5, 32});
  const auto real = attention::Mask::lengths({5, 3}, 5);
  const auto state = model.decoder.start(annotations, real);
  const Tensor padded =
      attention::attend(model.decoder.score, unsqueeze(state.layers[0], 1), annotations,
                        annotations, {.mask = real, .need_weights = true})
          .weights;
  std::printf("%s\n", to_string(padded).c_str());

  std::puts("exercise 3: who asks, the state before or the state of now");
  std::printf("words right, length 12: before %.3f, now %.3f\n", book::share_right(model, 12),
              book::share_right(of_now, 12));
}
