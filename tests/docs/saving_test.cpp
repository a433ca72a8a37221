// The code of docs/saving.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../data/vocabulary.h"
#include "../../io/io.h"
#include "../../nn/nn.h"
#include "../io/temporary_folder.h"

namespace heed {
namespace {

// [docs: model]
struct Options {
  Index words = 50, width = 16;
  void fields(io::Fields& f) {
    f.size("words", words, 2, 1 << 20, "of the vocabulary");
    f.size("width", width, 1, 1024, "of the model");
  }
};

class Tagger : public nn::Module {
 public:
  explicit Tagger(const Options& given) : options(given) {}
  Options options;
  nn::Embedding& words = child<nn::Embedding>("words", options.words, options.width);
  nn::Linear& out = child<nn::Linear>("out", options.width, 2);
  Tensor operator()(const Tensor& ids) const { return out(words(ids)); }
};
// [end]

TEST(SavingGuide, WeightsAlone) {
  const TemporaryFolder temporary;
  const std::string path = temporary / "weights.safetensors";
  const Tagger model{Options()};
  // [docs: weights]
  io::save(path, model);
  Tagger again(model.options);
  io::load(path, again);
  // [end]
  EXPECT_TRUE(equal(again.out.weight, model.out.weight));
  // [docs: refused]
  Tagger other(Options{.words = 50, .width = 8});
  try {
    io::load(path, other);
  } catch (const FormatError& error) {
    std::puts(error.what());  // names the file, the tensor, and both shapes; `other` is unchanged
  }
  // [end]
  EXPECT_THROW(io::load(path, other), FormatError);
}

TEST(SavingGuide, AWholeModel) {
  const TemporaryFolder temporary;
  const std::string folder = temporary / "model";
  const data::Vocabulary vocabulary({"the", "film", "was"});
  const Tagger model(Options{.words = vocabulary.size(), .width = 8});
  // [docs: folder]
  io::save_directory(folder, io::ModelFiles("tagger")
                                 .options(model.options)
                                 .text(io::kVocabularyFile, vocabulary.serialize())
                                 .weights(model));

  const io::ModelFolder saved(folder, "tagger");
  const auto words = saved.parse<data::Vocabulary>();
  const auto again = saved.make<Tagger>(saved.options<Options>());  // in eval mode
  // [end]
  EXPECT_EQ(words.size(), vocabulary.size());
  EXPECT_EQ(again->options.width, 8);
  EXPECT_THROW(io::ModelFolder(folder, "parser"), FormatError);
}

TEST(SavingGuide, Arrays) {
  const TemporaryFolder temporary;
  const std::string path = temporary / "x.safetensors";
  const Tensor x = randn({3, 5}), y = arange(7);
  // [docs: arrays]
  io::write_safetensors(path, {{"x", x.array()}, {"y", y.array()}}, {{"made", "by hand"}});
  const io::Safetensors file = io::read_safetensors(path);
  for (const auto& [name, array] : file.arrays) {
    std::printf("%s %s\n", name.c_str(), to_string(array.shape()).c_str());
  }
  // [end]
  EXPECT_EQ(file.arrays.size(), 2U);
  EXPECT_EQ(file.metadata.at("made"), "by hand");
}

}  // namespace
}  // namespace heed
