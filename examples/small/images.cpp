// A classifier of images: crosses, squares, rings and lines, drawn somewhere into 16 x 16 dots with
// noise. It shows batches (data::Loader), the training loop (train::Run) and a confusion matrix.
//
//   ./images [EPOCHS]

#include <heed/heed.h>
#include <heed/train.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace heed;

constexpr Index kSize = 16, kClasses = 4;
const char* const kNames[] = {"cross", "square", "ring", "line"};

struct Example {
  std::vector<float> dots;  // row by row
  Index label;
};

// One of the shapes, `radius` around a place.
Example draw(Generator& generator) {
  Example out{std::vector<float>(kSize * kSize), generator.below(kClasses)};
  const auto radius = static_cast<double>(3 + generator.below(3));
  const auto cx = static_cast<double>(5 + generator.below(6));
  const auto cy = static_cast<double>(5 + generator.below(6));
  for (Index i = 0; i < kSize * kSize; ++i) {
    const double dx = static_cast<double>(i % kSize) - cx, dy = static_cast<double>(i / kSize) - cy;
    const double far = std::max(std::abs(dx), std::abs(dy));
    bool on = false;
    if (out.label == 0) on = far <= radius && (dx == 0 || dy == 0);
    if (out.label == 1) on = far == radius;
    if (out.label == 2) on = std::abs(std::hypot(dx, dy) - radius) < 0.5;
    if (out.label == 3) on = far <= radius && dx == dy;
    out.dots[static_cast<std::size_t>(i)] = static_cast<float>(on + 0.3 * generator.uniform());
  }
  return out;
}

std::vector<Example> drawn(Index count, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<Example> out;
  for (Index i = 0; i < count; ++i) out.push_back(draw(generator));
  return out;
}

struct Batch {
  Tensor images;  // [B, 1, 16, 16]
  Tensor labels;  // i64 [B]
};

Batch batch_of(const std::vector<Example>& examples) {
  std::vector<float> dots;
  std::vector<Index> labels;
  for (const Example& example : examples) {
    dots.insert(dots.end(), example.dots.begin(), example.dots.end());
    labels.push_back(example.label);
  }
  return {Array::from(dots, {static_cast<Index>(examples.size()), 1, kSize, kSize}),
          Array::from(labels)};
}

class Classifier : public nn::Module {
 public:
  nn::Conv2d& first = child<nn::Conv2d>("first", 1, 8, 3);     // [B, 8, 14, 14]
  nn::Conv2d& second = child<nn::Conv2d>("second", 8, 16, 3);  // after pooling, [B, 16, 5, 5]
  nn::Linear& out = child<nn::Linear>("out", 16 * 5 * 5, kClasses);

  Tensor operator()(const Tensor& images) const {
    const Tensor seen = max_pool2d(relu(first(images)), {.kernel = 2});  // [B, 8, 7, 7]
    return out(flatten(relu(second(seen)), 1));                          // [B, classes]
  }
};

int main(int argc, char** argv) {
  manual_seed(1);
  const std::vector<Example> train_set = drawn(2000, 1), test_set = drawn(500, 2);

  Classifier model;
  optim::Adam adam(model.parameters(), {.lr = 2e-3});

  // A Loader shuffles the examples anew in each pass, and hands them out 32 at a time.
  data::Loader batches(train_set, {.size = 32, .seed = 3});

  // What is looked at after each pass: the confusion matrix of examples the model has not seen.
  train::Confusion confusion(kClasses);
  const auto look = [&]() -> train::Figures {
    confusion = train::Confusion(kClasses);
    const Batch test = batch_of(test_set);
    const auto guesses = argmax(model(test.images), 1).array().to_vector<Index>();
    for (std::size_t i = 0; i < guesses.size(); ++i) confusion.add(test_set[i].label, guesses[i]);
    return {{"accuracy", confusion.accuracy()}};
  };

  // The loop: backward, step, progress, the best weights kept, a clean end on Ctrl-C.
  train::Run run(model, adam, {.epochs = argc > 1 ? std::atoi(argv[1]) : 5, .keep = {"accuracy"}});
  run.validate(look);
  run(batches, [&](const std::vector<Example>& examples) {
    const Batch batch = batch_of(examples);
    return cross_entropy(model(batch.images), batch.labels);
  });

  look();  // with the best weights, which the model holds now
  for (Index c = 0; c < kClasses; ++c) {
    std::printf("%-7s recall %.3f  precision %.3f\n", kNames[c], confusion.recall(c),
                confusion.precision(c));
  }
  std::printf("accuracy %.3f\n", confusion.accuracy());
}
