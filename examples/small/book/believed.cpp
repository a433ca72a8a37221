// Chapter 12, can it be believed? A film is called good or bad once among words that say nothing.
// Which word decides is known, so attention can be asked whether it tells.
//
//   ./believed [PICTURE.png]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <vector>

using namespace heed;

constexpr Index kLength = 9, kWords = 20;  // words 0 to 2 say good, 3 to 5 bad, the others nothing

struct Texts {
  Tensor words, labels, evidence;  // i64 [B, T], [B], [B]: which place decides
};

Texts draw(Index rows, Generator& generator) {
  std::vector<Index> words, labels, evidence;
  for (Index row = 0; row < rows; ++row) {
    labels.push_back(generator.below(2));
    evidence.push_back(generator.below(kLength));
    for (Index t = 0; t < kLength; ++t) {
      words.push_back(t == evidence.back() ? 3 * (1 - labels.back()) + generator.below(3)
                                           : 6 + generator.below(kWords - 6));
    }
  }
  return {Array::from(words, {rows, kLength}), Array::from(labels), Array::from(evidence)};
}

// [docs: model]
class Reader : public nn::Module {
 public:
  explicit Reader(bool recurrent = true, bool uniform = false)
      : recurrent_(recurrent), uniform_(uniform) {}

 private:
  bool recurrent_, uniform_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", kWords, 16);
  nn::GRU& encoder =
      child<nn::GRU>("encoder", nn::GRUOptions{.input = 16, .hidden = 8, .bidirectional = true});
  attention::AttentionPooling& look = child<attention::AttentionPooling>("look", 16);
  nn::Linear& out = child<nn::Linear>("out", 16, 2);

  struct Said {
    Tensor logits, weights;  // [B, 2], [B, T]
  };
  Said read(const Tensor& embedded) const {
    const Tensor h = recurrent_ ? encoder(embedded).output : embedded;
    if (uniform_) return {out(mean(h, {1})), full({h.size(0), kLength}, 1.0 / kLength)};
    const auto seen = look(h, {}, true);
    return {out(seen.context), seen.weights};
  }
};
// [end]

Tensor at_evidence(const Tensor& weights, const Texts& some) {
  return squeeze(gather(weights, 1, unsqueeze(some.evidence, 1)), 1);  // [B]
}

// `penalty`: what attention on the evidence costs; 0: nothing.
// [docs: learn]
void learn(Reader& model, double penalty, int steps = 300) {
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const Texts batch = draw(32, generator);
    adam.zero_grad();
    const Reader::Said said = model.read(model.words(batch.words));
    const Tensor hidden = -mean(log(1 - at_evidence(said.weights, batch) + 1e-6));
    (cross_entropy(said.logits, batch.labels) + penalty * hidden).backward();
    adam.step();
  }
}
// [end]

Texts test_texts() {
  Generator other(99);
  return draw(500, other);
}

void show(const char* name, const Reader& model) {
  const NoGrad scope;
  const Texts test = test_texts();
  const Reader::Said said = model.read(model.words(test.words));
  std::printf("%-34s %.3f  %.3f\n", name,
              mean(to(argmax(said.logits, 1) == test.labels, DType::f64)).item(),
              mean(at_evidence(said.weights, test)).item());
}

// Texts without the word at place [B]: its vector is 0. The mean fall of what was said.
double fall(const Reader& model, const Texts& test, const Tensor& place) {
  const NoGrad scope;
  const Tensor x = model.words(test.words);
  const Tensor kept = 1 - one_hot(place, kLength, DType::f32);
  const Tensor before = softmax(model.read(x).logits, 1);
  const Tensor after = softmax(model.read(x * unsqueeze(kept, 2)).logits, 1);
  const Tensor label = unsqueeze(test.labels, 1);
  return mean(gather(before, 1, label) - gather(after, 1, label)).item();
}

int main(int argc, char** argv) {
  std::puts("                                  accuracy  attention on the word that decides");
  manual_seed(1);
  Reader honest, hiding, uniform(true, true), plain_hiding(false);
  learn(honest, 0);
  learn(hiding, 1);
  show("as it learns", honest);
  show("attention there costs", hiding);

  const Texts test = test_texts();
  const auto looked_at = [&](const Reader& model) {
    const NoGrad scope;
    return argmax(model.read(model.words(test.words)).weights, 1);
  };
  std::puts(
      "exercise 1: what is said falls by, without the word most looked at, and without that one");
  std::printf("as it learns           %.3f  %.3f\n", fall(honest, test, looked_at(honest)),
              fall(honest, test, test.evidence));
  std::printf("attention there costs  %.3f  %.3f\n", fall(hiding, test, looked_at(hiding)),
              fall(hiding, test, test.evidence));

  std::puts(
      "exercise 2: attention that is the same everywhere; and a model whose states know no "
      "neighbours");
  learn(uniform, 0);
  learn(plain_hiding, 1);
  show("uniform", uniform);
  show("attention there costs, no recurrence", plain_hiding);

  std::puts("exercise 3: gradients: how often the largest is at the word that decides");
  for (const auto& [name, model] : {std::pair<const char*, const Reader*>{"as it learns", &honest},
                                    {"attention there costs", &hiding}}) {
    const Tensor x = model->words(test.words).detach().set_requires_grad();
    const Tensor chosen = gather(model->read(x).logits, 1, unsqueeze(test.labels, 1));
    const Tensor size = norm(grad({sum(chosen)}, {x})[0], 2, {2});  // [B, T]
    std::printf("%-22s %.3f, attention %.3f\n", name,
                mean(to(argmax(size, 1) == test.evidence, DType::f64)).item(),
                mean(to(looked_at(*model) == test.evidence, DType::f64)).item());
  }

  if (argc > 1) {
    const NoGrad scope;
    const Tensor one = narrow(test.words, 0, 0, 1);
    train::Alignment picture{
        "",
        {},
        {"as it learns", "attention there costs"},
        concat({honest.read(honest.words(one)).weights, hiding.read(hiding.words(one)).weights}, 0)
            .array()};
    for (const Index word : one.array().to_vector<Index>()) {
      picture.columns.push_back(word < 3 ? "good" : word < 6 ? "bad" : "word");
    }
    train::write_png(argv[1], train::alignment_picture(picture));
  }
}
