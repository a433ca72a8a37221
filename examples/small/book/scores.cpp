// Chapter 3, scores: how well a query and a key match, and why dot products are scaled.
//
//   ./scores [PICTURE.png]

#include <heed/heed.h>
#include <heed/train.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

using namespace heed;

// Twelve symbols with a random vector each. A query is one of them, and asks for its partner,
// another one, among eight keys: what is learned is who belongs to whom.
constexpr Index kSymbols = 12, kKeys = 8;

struct Lookup {
  Tensor query, keys, place;  // [B, 1, d], [B, 8, d], i64 [B]
};

Lookup draw(Index rows, const Tensor& vectors, const std::vector<Index>& asker_of,
            Generator& generator) {
  std::vector<Index> askers, keys, places;
  for (Index row = 0; row < rows; ++row) {
    const std::vector<Index> order = generator.permutation(kSymbols);
    places.push_back(generator.below(kKeys));
    keys.insert(keys.end(), order.begin(), order.begin() + kKeys);
    const Index wanted = order[static_cast<std::size_t>(places.back())];
    askers.push_back(asker_of[static_cast<std::size_t>(wanted)]);
  }
  return {embedding(vectors, Array::from(askers, {rows, 1})),
          embedding(vectors, Array::from(keys, {rows, kKeys})), Array::from(places)};
}

double learn(const attention::Score& score, Index width) {
  manual_seed(11);
  const Tensor vectors = randn({kSymbols, width});
  Generator generator(7);
  const std::vector<Index> asker_of = generator.permutation(kSymbols);
  const auto logits = [&](const Lookup& some) {
    return squeeze(score(some.query, score.prepare(some.keys)), 1);
  };
  if (!score.parameters().empty()) {
    optim::Adam adam(score.parameters(), {.lr = 1e-2});
    for (int step = 0; step < 300; ++step) {
      const Lookup batch = draw(64, vectors, asker_of, generator);
      adam.zero_grad();
      cross_entropy(logits(batch), batch.place).backward();
      adam.step();
    }
  }
  const NoGrad scope;
  const Lookup test = draw(1000, vectors, asker_of, generator);
  return mean(to(argmax(logits(test), 1) == test.place, DType::f64)).item();
}

// The entropy of softmax over 64 keys of random numbers, in nats; log 64 is 4.16.
double entropy_of(const Tensor& scores) {
  const Tensor p = softmax(scores, -1), log_p = log_softmax(scores, -1);
  return -mean(sum(p * log_p, {-1})).item();
}

// Exercise 3: minus half the squared distance. Written as a product it has tiles for nothing:
// -|q - k|^2 / 2 = q . k - |k|^2 / 2 - |q|^2 / 2, whose last part is the same for all keys.
// [docs: distance]
class Distance : public attention::Score {
 public:
  std::optional<Form> form(const Tensor& query, const Tensor& keys) const override {
    const Tensor one = ones_like(narrow(query, -1, 0, 1));
    const Tensor half = sum(square(keys), {-1}, true) * -0.5;
    return Form{concat({query, one}, -1), concat({keys, half}, -1), 1};
  }
};
// [end]

int main(int argc, char** argv) {
  const NoGrad off;
  std::puts("width                       4      64    1024");
  std::printf("entropy of q . k         ");
  const Index widths[] = {4, 64, 1024};
  for (const Index d : widths) {
    std::printf("  %.3f", entropy_of(attention::Dot()(randn({32, 1, d}), randn({32, 64, d}))));
  }
  std::printf("\nentropy of q . k / sqrt(d)");
  for (const Index d : widths) {
    std::printf(" %.3f ",
                entropy_of(attention::ScaledDot()(randn({32, 1, d}), randn({32, 64, d}))));
  }
  std::printf("\n");

  const EnableGrad on;
  std::puts("partners found among eight keys, width 16");
  const Index d = 16;
  manual_seed(1);
  const attention::Dot dot;
  const attention::ScaledDot scaled;
  const attention::General general(d, d);
  const attention::Additive additive(d, d, 64);
  std::vector<std::pair<std::string, double>> found = {{"dot", learn(dot, d)},
                                                       {"scaled dot", learn(scaled, d)},
                                                       {"general", learn(general, d)},
                                                       {"additive", learn(additive, d)}};
  for (const auto& [name, share] : found) std::printf("%-12s %.3f\n", name.c_str(), share);

  std::puts("exercise 1: the gradient through a softmax that is sure of itself, width 1,024");
  for (const double scale : {1.0, 1 / std::sqrt(1024.0)}) {
    const Tensor q = randn({32, 1, 1024}), k = randn({32, 64, 1024}), v = randn({32, 64, 3});
    const Tensor e = attention::ScaledDot(scale)(q, k).set_requires_grad();
    const Tensor y = matmul(softmax(e, -1), v);
    sum(y * randn(y.shape())).backward();
    std::printf("scale %.4f: mean |gradient of a score| %.5f\n", scale, mean(abs(e.grad())).item());
  }

  std::puts("exercise 2: general with W = I is dot");
  attention::General same(d, d);
  same.weight.set_array(eye(d).array());
  const Tensor q = randn({2, 3, d}), k = randn({2, 5, d});
  std::printf("%s\n", allclose(same(q, k), dot(q, k), 1e-4, 1e-5) ? "the same" : "not the same");

  std::puts("exercise 3: a score of one's own, minus half the squared distance");
  const Distance distance;
  const Tensor difference = unsqueeze(q, 2) - unsqueeze(k, 1);  // [2, 3, 5, d]
  const Tensor weights = softmax(sum(square(difference), {-1}) * -0.5, -1);
  const auto seen = attention::attend(distance, q, k, k, {.need_weights = true});
  std::printf("%s; ", allclose(seen.weights, weights, 1e-4, 1e-5) ? "the same" : "not the same");
  const auto tiled = attention::attend(distance, q, k, k, {.tiles_only = true});
  std::printf("in tiles %s; ",
              allclose(tiled.context, seen.context, 1e-4, 1e-5) ? "the same" : "not the same");
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        return attention::attend(distance, x[0], x[1], x[2]).context;
      },
      {randn({3, 5}, DType::f64), randn({7, 5}, DType::f64), randn({7, 2}, DType::f64)});
  std::printf("gradients %s\n", report ? "right" : report.text().c_str());

  if (argc >
      1) {  // the weights of 24 random keys, the largest first, by width, with and without the scale
    std::vector<Tensor> rows;
    train::Alignment picture{"", train::numbered("key", 24), {}, {}};
    for (const bool with : {false, true}) {
      for (const Index width : widths) {
        const attention::ScaledDot some(with ? std::nullopt : std::optional(1.0));
        const Tensor w = softmax(some(randn({32, 1, width}), randn({32, 24, width})), -1);
        rows.push_back(mean(sort(w, -1, true).values, {0}));
        picture.rows.push_back(std::to_string(width) + (with ? ", scaled" : ""));
      }
    }
    picture.weights = concat(rows, 0).array();
    train::write_png(argv[1], train::alignment_picture(picture));
  }
}
