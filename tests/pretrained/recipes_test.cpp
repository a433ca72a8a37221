// The code of docs/interop.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../../heed.h"
#include "../../pretrained/pretrained.h"
#include "../io/pickled.h"
#include "../io/temporary_folder.h"
#include "../structure/shown_code.h"
#include "../support/throws.h"
#include "family_folder.h"

namespace heed::pretrained {
namespace {

namespace fs = std::filesystem;

// The folder of models, where it is there.
std::string place() { return (fs::path(data_folder()) / "../pretrained").string(); }

class Interop : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(place())) GTEST_SKIP() << "no models in " << place();
  }
};

TEST_F(Interop, AStory) {
  const std::string folder = place() + "/stories260k/";
  std::string story;
  // [docs: story]
  const auto model = pretrained::read_llama2c(folder + "stories260K.bin");
  const pretrained::ScoredTokens tokens(folder + "tok512.bin", model->options().vocabulary);
  std::vector<Index> prompt = tokens.encode("The dog");
  prompt.insert(prompt.begin(), tokens.kBegin);
  Generator generator(1);
  story = tokens.decode(pretrained::write(*model, prompt, {.length = 40}, generator));
  // [end]
  EXPECT_THAT(story, testing::StartsWith("The dog"));
  EXPECT_GT(story.size(), 60u);
}

TEST_F(Interop, AWord) {
  const std::string folder = place() + "/aren";
  // [docs: translator]
  const pretrained::Translator translator = pretrained::read_ctranslate2(folder);
  const pretrained::Words word = {"آ", "ت", "ز", "م", "و", "ن"};
  nn::BeamSearchOptions options{.begin = -1, .end = -1, .beam = 4, .n_best = 2};
  options.prefixes = {translator.ids(translator.target_words, {"a", "t", "s"})};
  const auto found = translator.translate({word}, options)[0];  // two hypotheses, best first
  // [end]
  EXPECT_EQ(fmt::format("{}", fmt::join(translator.words(found[0]), "")), "atsumon");
}

TEST(InteropTables, AFamilyOfNames) {
  const nn::Linear source(3, 2);
  const nn::NamedTensors theirs = {{"model.block.0.proj.w", source.weight},
                                   {"model.block.0.proj.b", source.bias},
                                   {"model.block.0.cache", zeros({1})}};
  // [docs: names]
  const nn::NamedTensors ours = pretrained::renamed(theirs,
                                                    {{"model.block.*.proj.w", "*.weight"},
                                                     {"model.block.*.proj.b", "*.bias"},
                                                     {"model.block.*.cache", ""}},  // nothing here
                                                    "theirs.safetensors");
  nn::Sequential model(nn::Linear(3, 2));
  pretrained::load_strictly(model, ours, "theirs.safetensors");
  // [end]
  EXPECT_EQ(model.parameters()[0].array().to_vector<float>(),
            source.weight.array().to_vector<float>());
}

// GPT-2's layout, of random weights.
std::unique_ptr<FamilyFolder> gpt2_folder() {
  NamedSizes sizes{{"wte.weight", {11, 6}}, {"wpe.weight", {16, 6}}};
  for (const char* norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) add_norm(sizes, norm, 6);
  const auto conv = [&](const std::string& name, Index in, Index out) {
    sizes.emplace_back(name + ".weight", Shape{in, out});
    sizes.emplace_back(name + ".bias", Shape{out});
  };
  conv("h.0.attn.c_attn", 6, 18);
  conv("h.0.attn.c_proj", 6, 6);
  conv("h.0.mlp.c_fc", 6, 24);
  conv("h.0.mlp.c_proj", 24, 6);
  return std::make_unique<FamilyFolder>(
      R"({"model_type": "gpt2", "vocab_size": 11, "n_positions": 16, "n_embd": 6, "n_head": 3,
          "n_layer": 1})",
      sizes);
}

TEST(InteropFamilies, AFolderAndAdapters) {
  const auto place = gpt2_folder();
  const std::string folder = place->path();
  const Tensor ids = Array::from(std::vector<Index>{3, 1, 4, 1, 5}, Shape{1, 5});
  const Tensor next = Array::from(std::vector<Index>{1, 4, 1, 5, 9}, Shape{5});
  // [docs: folder]
  const auto model = pretrained::load<pretrained::DecoderOnly>(folder);
  Generator generator(1);
  const std::vector<Index> written = pretrained::write(*model, {3, 1}, {.length = 7}, generator);
  // [end]
  EXPECT_EQ(written.size(), 7u);
  const auto loss_of = [&] { return cross_entropy(flatten((*model)(ids), 0, 1), next); };
  const double before = loss_of().item();
  // [docs: adapters]
  nn::add_lora(*model,
               {.rank = 2, .alpha = 4, .at = {"self_attn", "linear"}});  // all else is frozen
  optim::AdamW adam(model->parameters(), {.lr = 0.01});
  for (int step = 0; step < 30; ++step) {
    adam.zero_grad();
    loss_of().backward();
    adam.step();
  }
  io::save_lora(folder + "/adapters.safetensors", *model);  // what learned, and nothing else
  nn::merge_lora(*model);  // as fast as before, until nn::unmerge_lora(*model)
  // [end]
  EXPECT_LT(loss_of().item(), before / 2);
  const auto fresh = pretrained::load<pretrained::DecoderOnly>(folder);
  // [docs: adapters again]
  io::load_lora(folder + "/adapters.safetensors", *fresh);
  // [end]
  EXPECT_NEAR(cross_entropy(flatten((*fresh)(ids), 0, 1), next).item(), loss_of().item(), 1e-4);
}

TEST(InteropFiles, NumPysAndPyTorchsAndLlamaCpps) {
  const TemporaryFolder place;
  const std::string folder = place.path().string();
  const nn::Linear model(3, 2);
  TemporaryFolder::put(
      folder + "/model.pt",
      io::encode_zip(
          {{"m/data.pkl",
            pickled::pickle("}" + pickled::text("weight") +
                            pickled::tensor(pickled::storage("Float", "0", 6), 0, {2, 3}, {3, 1}) +
                            "s")},
           {"m/data/0", std::string(24, '\0')}}));
  TemporaryFolder::put(folder + "/model.gguf",
                       "GGUF" + std::string("\3\0\0\0", 4) + std::string(24, '\0'));
  // [docs: files]
  io::write_npz(folder + "/x.npz", {{"weight", model.weight.array()}});
  const Array weight = io::read_npz(folder + "/x.npz")[0].second;
  const io::TorchFile saved = io::read_torch(folder + "/model.pt");  // nothing of its pickle is run
  const io::GgufFile quantised = io::read_gguf(folder + "/model.gguf");
  io::write_safetensors(folder + "/half.safetensors", saved.arrays, {}, io::Element::bf16);
  // [end]
  EXPECT_EQ(weight.to_vector<float>(), model.weight.array().to_vector<float>());
  EXPECT_EQ(io::read_safetensors(folder + "/half.safetensors").arrays[0].second.shape(),
            (Shape{2, 3}));
  EXPECT_TRUE(quantised.arrays.empty());
}

TEST(InteropTokenizers, OfOthersAndOfOnesOwn) {
  const TemporaryFolder place;
  const std::string folder = place.path().string();
  const std::vector<std::string> lines(7, "lower and lower, Lower and low");
  TemporaryFolder::put(folder + "/tokenizer.json", data::train_bpe(lines, {.size = 270}));
  // [docs: tokenizers]
  const auto gpt2 = data::PretrainedTokenizer::read(folder + "/tokenizer.json");
  const data::TokenizedText text = gpt2.encode("Lower and lower");  // ids, tokens, offsets, types
  const std::string again = gpt2.decode(text.ids);
  const auto own = data::PretrainedTokenizer::parse(data::train_bpe(lines, {.size = 300}), "own");
  const std::vector<data::TokenizedText> batch = own.encode(lines);  // by all threads
  // [end]
  EXPECT_EQ(again, "Lower and lower");
  EXPECT_LT(text.ids.size(), again.size());
  EXPECT_EQ(batch[6].ids, own.encode(lines[0]).ids);
}

TEST(InteropOnnx, AModuleGoesOut) {
  const TemporaryFolder place;
  const std::string folder = place.path().string();
  // [docs: onnx_out]
  nn::Sequential tagger(nn::Embedding(50, 8), nn::Linear(8, 5));
  const Tensor ids = tensor({{3, 7, 1}, {4, 49, 0}});
  onnx::write(folder + "/tagger.onnx", tagger, {{"ids", ids, {"batch", "length"}}});
  // [end]
  const onnx::Model model = onnx::read_model(folder + "/tagger.onnx");
  EXPECT_EQ(model.graph.initializers[0].name, "0.weight");
  EXPECT_EQ(model.graph.nodes[0].op_type, "Gather");

  attention::BahdanauDecoder decoder(
      {.word_width = 3, .annotation_width = 6, .state_width = 4, .hidden = 3, .readout = 2});
  const Tensor words = randn({2, 3, 3}), source = randn({2, 7, 6}), lengths = tensor({4, 7});
  const std::string path = folder + "/decoder.onnx";
  // [docs: onnx_function]
  const auto forward = [&](const std::vector<Tensor>& x) {
    const auto mask = attention::Mask::lengths(x[2].to_vector<Index>(), x[1].size(1));
    return std::vector<Tensor>{decoder(x[0], x[1], mask).output};
  };
  onnx::write(path, decoder,
              {{"words", words},  // as many as here; its batch, the first axis, has a name
               {"source", source, {"batch", "length"}},
               {"lengths", lengths, {"batch"}}},
              forward);
  // [end]
  EXPECT_EQ(onnx::read_model(path).graph.inputs.size(), 3u);
}

TEST(InteropGuide, ShowsCodeThatRuns) {
  expect_shown("tests/pretrained/recipes_test.cpp", "docs/interop.md", 18);
}

}  // namespace
}  // namespace heed::pretrained
