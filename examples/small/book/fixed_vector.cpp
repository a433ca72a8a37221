// Chapter 1, why a fixed vector fails: a GRU reads a sequence, all it has seen is one vector, and a
// second GRU says the sequence backwards. Beside it the same with attention.

#include <cstdio>

#include "reversal.h"

using namespace heed;

// [docs: fixed]
class Fixed : public nn::Module {
 public:
  Fixed(Index width, bool backwards = false, bool each_step = false)
      : width_(width), backwards_(backwards), each_step_(each_step) {}

 private:
  Index width_;
  bool backwards_, each_step_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", book::kSymbols, 16);
  nn::GRU& encoder = child<nn::GRU>("encoder", 16, width_);
  nn::GRU& decoder = child<nn::GRU>("decoder", each_step_ ? 16 + width_ : 16, width_);
  nn::Linear& out = child<nn::Linear>("out", width_, book::kSymbols);

  Tensor operator()(const Tensor& source, const Tensor& read) const {  // i64 [B, T] each
    const Tensor x = words(backwards_ ? flip(source, {1}) : source);
    const Tensor summary = encoder(x).h_n;  // [1, B, width]: all that is known of the source
    Tensor y = words(read);
    if (each_step_) y = concat({y, expand_steps(summary, read.size(1))}, -1);
    return out(decoder(y, {}, summary).output);  // [B, T, symbols]
  }

 private:
  static Tensor expand_steps(const Tensor& summary, Index steps) {
    return expand(transpose(summary, 0, 1), {summary.size(1), steps, summary.size(2)});
  }
};
// [end]

// [docs: attending]
class Attending : public nn::Module {
 public:
  nn::Embedding& words = child<nn::Embedding>("words", book::kSymbols, 16);
  nn::GRU& encoder =
      child<nn::GRU>("encoder", nn::GRUOptions{.input = 16, .hidden = 16, .bidirectional = true});
  attention::BahdanauDecoder& decoder = child<attention::BahdanauDecoder>(
      "decoder",
      attention::BahdanauOptions{.word_width = 16, .annotation_width = 32, .state_width = 32});
  nn::Linear& out = child<nn::Linear>("out", 32, book::kSymbols);

  Tensor operator()(const Tensor& source, const Tensor& read) const {
    return out(decoder(words(read), encoder(words(source)).output).output);
  }
};
// [end]

template <class Model>
void show(const char* name, const Model& model) {
  std::printf("%-28s", name);
  for (const Index length : {2, 4, 6, 8, 12, 16}) {
    std::printf("  %.3f", book::share_right(model, length));
  }
  std::printf("\n");
}

template <class Model>
void learn_and_show(const char* name, Model& model, int steps) {
  book::learn_reversal(model, steps);
  show(name, model);
}

int main() {
  constexpr int steps = 600;
  std::printf("%-28s  %-5s  %-5s  %-5s  %-5s  %-5s  %-5s\n", "words right, by length", "2", "4",
              "6", "8", "12", "16");
  manual_seed(1);
  Fixed fixed(32);
  learn_and_show("fixed vector of 32", fixed, steps);
  Attending attending;
  learn_and_show("attention", attending, steps);

  std::puts("exercise 1: a vector four times as wide");
  Fixed wide(128);
  learn_and_show("fixed vector of 128", wide, steps);
  std::puts("exercise 2: the source read backwards (Sutskever et al. 2014)");
  Fixed backwards(32, true);
  learn_and_show("fixed, read backwards", backwards, steps);
  std::puts("exercise 3: the vector given to each step (Cho et al. 2014)");
  Fixed each_step(32, false, true);
  learn_and_show("fixed, at each step", each_step, steps);
}
