#include "corpus.h"

#include <functional>

#include "../../core/error.h"
#include "../../data/batches.h"
#include "digits.h"

namespace captioning {

using heed::Array;
using heed::DType;
using heed::ValueError;
namespace data = heed::data;

namespace {

// Streams of the seed: the same scenes whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x5ce0, kValidationStream = 0x5ce1, kTestStream = 0x5ce2;

std::vector<Scene> make(Index count, std::uint64_t stream, std::uint64_t seed,
                        const std::function<Scene(Generator&)>& scene) {
  Generator generator(seed * 0x10001 + stream);
  std::vector<Scene> out;
  for (Index i = 0; i < count; ++i) out.push_back(scene(generator));
  return out;
}

[[noreturn]] void refuse(const std::string& name) {
  throw ValueError("data: '" + name + "' is none of shapes, mnist");
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options) {
  if (options.data == "shapes") {
    return {make(options.scenes, kTrainStream, options.seed, shape_scene),
            make(options.validation, kValidationStream, options.seed, shape_scene),
            make(options.test, kTestStream, options.seed, shape_scene)};
  }
  if (options.data != "mnist") refuse(options.data);
  if (options.path.empty()) throw ValueError("data: mnist needs --path, the folder of its files");
  const Digits train(options.path, "train"), test(options.path, "t10k");
  const Index last = train.count(), learned = last - last / 6;
  return {make(options.scenes, kTrainStream, options.seed,
               [&](Generator& generator) { return train.scene(generator, 0, learned); }),
          make(options.validation, kValidationStream, options.seed,
               [&](Generator& generator) { return train.scene(generator, learned, last); }),
          make(options.test, kTestStream, options.seed,
               [&](Generator& generator) { return test.scene(generator, 0, test.count()); })};
}

data::Vocabulary vocabulary_of(const std::string& name) {
  if (name != "shapes" && name != "mnist") refuse(name);
  std::vector<std::string> words = {kBegin, kEnd};
  for (const std::string& word : name == "shapes" ? shape_words() : digit_words()) {
    words.push_back(word);
  }
  return data::Vocabulary(words);
}

Batch batch_of(const std::vector<Scene>& scenes, const std::vector<Index>& rows,
               const data::Vocabulary& vocabulary) {
  Array images = Array::empty({static_cast<Index>(rows.size()), 3, kSide, kSide}, DType::f32);
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
  if (rows.empty()) throw ValueError("batch: no scenes");
  return {images, data::pad(words).ids, data::pad(targets).ids};
}

}  // namespace captioning
