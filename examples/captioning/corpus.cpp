#include "corpus.h"

#include <functional>

#include "../../core/error.h"
#include "../../data/batches.h"

namespace captioning {

Corpus load_corpus(const CorpusOptions& options) {
  using Make = std::function<Scene(Generator&)>;
  // Each part has a stream of the seed: the same scenes whatever else is drawn.
  const auto corpus = [&](const Make& train, const Make& validation, const Make& test) {
    const auto part = [&](Index count, std::uint64_t stream, const Make& scene) {
      Generator generator(options.seed * 0x10001 + stream);
      std::vector<Scene> out;
      for (Index i = 0; i < count; ++i) out.push_back(scene(generator));
      return out;
    };
    return Corpus{part(options.scenes, 0x5ce0, train), part(options.validation, 0x5ce1, validation),
                  part(options.test, 0x5ce2, test)};
  };
  vocabulary_of(options.data);  // refuses other data
  if (options.data == "shapes")
    return corpus(data::shape_scene, data::shape_scene, data::shape_scene);
  if (options.path.empty()) throw ValueError("data: mnist needs --path, the folder of its files");
  const data::Digits train = data::read_mnist(options.path, "train");
  const data::Digits test = data::read_mnist(options.path, "t10k");
  const Index last = train.count(), learned = last - last / 6;
  const auto of = [](const data::Digits& digits, Index begin, Index end) {
    return [&digits, begin, end](Generator& g) { return data::digit_scene(digits, begin, end, g); };
  };
  return corpus(of(train, 0, learned), of(train, learned, last), of(test, 0, test.count()));
}

data::Vocabulary vocabulary_of(const std::string& name) {
  std::vector<std::string> words = data::scene_words(name);
  words.insert(words.begin(), {kBegin, kEnd});
  return data::Vocabulary(words);
}

Batch batch_of(const std::vector<Scene>& scenes, const std::vector<Index>& rows,
               const data::Vocabulary& vocabulary) {
  if (rows.empty()) throw ValueError("batch: no scenes");
  Array images =
      Array::empty({static_cast<Index>(rows.size()), 3, kSceneSide, kSceneSide}, DType::f32);
  float* to = images.mutable_data<float>();
  std::vector<std::vector<Index>> words, targets;
  for (const Index row : rows) {
    const Scene& scene = scenes[static_cast<std::size_t>(row)];
    for (const std::uint8_t dot : scene.image) *to++ = static_cast<float>(dot) / 255.0F;
    targets.push_back(vocabulary.ids(scene.words));
    words.push_back(targets.back());
    words.back().insert(words.back().begin(), vocabulary.id(kBegin));
    targets.back().push_back(vocabulary.id(kEnd));
  }
  return {images, data::pad(words).ids, data::pad(targets).ids};
}

}  // namespace captioning
