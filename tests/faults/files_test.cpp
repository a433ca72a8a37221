// Memory runs out while files are read and written: a typed error (no FormatError: the file is
// well), the module as it was, the file the old one or the new one.
#include <gtest/gtest.h>

#include "../../core/generator.h"
#include "../../data/json_lines.h"
#include "../../data/tsv.h"
#include "../../data/vocabulary.h"
#include "../../io/config.h"
#include "../../io/file.h"
#include "../../io/model_directory.h"
#include "../../io/safetensors.h"
#include "../../io/saved_model.h"
#include "../../io/saved_module.h"
#include "../../io/training_state.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../train/chart.h"
#include "../../train/report.h"
#include "../io/temporary_folder.h"
#include "every_allocation.h"

namespace heed {
namespace {

class Files : public Faults, public testing::WithParamInterface<FailingAllocation::Then> {
 protected:
  std::int64_t fail_every(const Work& work) { return fail_every_allocation(work, GetParam()); }
  TemporaryFolder folder;
};

struct Small : nn::Module {
  nn::GRU& gru = child<nn::GRU>("gru", nn::GRUOptions{.input = 7, .hidden = 5});
  nn::Linear& out = child<nn::Linear>("out", 5, 3);
};

std::string weights(const nn::Module& model) { return io::encode_weights(model); }

TEST_P(Files, AreReadIntoAModuleWholeOrNotAtAll) {
  manual_seed(1);
  Small saved, loaded;
  io::save_directory(folder / "m", {{io::kWeightsFile, io::encode_weights(saved)}});
  EXPECT_GT(fail_every({.run = [&] { io::load_weights(folder / "m", loaded); },
                        .state = [&] { return weights(loaded); }}),
            20);
  EXPECT_EQ(weights(loaded), weights(saved));
}

TEST_P(Files, AreLoadedIn8BitsWholeOrNotAtAll) {
  struct Pair : nn::Module {
    nn::Linear& first = child<nn::Linear>("first", 7, 5);
    nn::Linear& second = child<nn::Linear>("second", 5, 3);
  } model;
  const std::string path = folder / "w";
  io::save(path, model);
  EXPECT_GT(fail_every({.run = [&] { io::load(path, model, io::Quantize::int8); },
                        .state =
                            [&] {  // which a layer in 8 bits refuses to give
                              try {
                                return weights(model);
                              } catch (const ValueError& error) {
                                return std::string(error.what());
                              }
                            }}),
            20);
  EXPECT_THROW(weights(model), ValueError);
}

TEST_P(Files, PutATrainingBackWholeOrNotAtAll) {
  manual_seed(2);
  Small saved, loaded;
  optim::Adam wrote(saved.parameters()), read(loaded.parameters());
  for (Tensor& parameter : saved.parameters()) parameter.set_grad(parameter.detach());
  wrote.step();
  io::TrainingState state(saved, wrote);
  state.put("steps", 17);
  state.put("note", std::string("first"));
  io::save_directory(folder / "m", {{io::kTrainingFile, state.encode()}});
  const auto all = [&] { return io::TrainingState(loaded, read).encode(); };
  EXPECT_GT(fail_every({.run =
                            [&] {
                              const auto from = io::TrainingState::read(folder / "m");
                              EXPECT_EQ(from.count("steps"), 17);
                              from.restore(loaded, read);
                            },
                        .state = all}),
            50);
  EXPECT_EQ(all(), io::TrainingState(saved, wrote).encode());
}

TEST_P(Files, OfTextAreRead) {
  TemporaryFolder::put(folder / "a.tsv", "text\tlabel\none two\tx\nthree\ty\n");
  TemporaryFolder::put(folder / "a.jsonl", R"({"t": ["one", "two"], "l": "x"})"
                                           "\n");
  TemporaryFolder::put(folder / "config.json", R"({"a": 1, "b": "two", "c": [1]})");
  const auto vocabulary = data::Vocabulary(std::vector<std::string>{"one", "two"}).serialize();
  EXPECT_GT(fail_every({.run =
                            [&] {
                              data::LabelledText entry;
                              data::TsvReader tsv(folder / "a.tsv", "label", "text");
                              while (tsv.next(entry)) {
                              }
                              data::JsonLinesReader lines(folder / "a.jsonl", "l", "t");
                              while (lines.next(entry)) {
                              }
                              data::Vocabulary::parse(vocabulary, "v");
                            }}),
            20);
}

TEST_P(Files, AreReplacedWholeOrNotAtAll) {
  manual_seed(3);
  const Small model;
  const std::string path = folder / "model.safetensors";
  TemporaryFolder::put(path, "old");
  const std::string fresh = io::encode_weights(model);
  const std::size_t entries = folder.entries();
  bool replaced = false;
  EXPECT_GT(fail_every({.run = [&] { io::write_file_atomically(path, io::encode_weights(model)); },
                        .reset =
                            [&] {
                              EXPECT_EQ(folder.entries(), entries);
                              const std::string now = TemporaryFolder::get(path);
                              EXPECT_TRUE(now == "old" || now == fresh);
                              replaced = replaced || now == fresh;
                            }}),
            20);
  EXPECT_EQ(TemporaryFolder::get(path), fresh);
}

TEST_P(Files, OfAModelAreReplacedTogetherOrNot) {
  const std::string place = folder / "m";
  const auto put = [&](const std::string& state, const std::string& weights) {
    io::DirectoryFiles files = {{io::kTrainingFile, state}}, kept = {{io::kConfigFile, "{}"}};
    if (weights.empty()) return io::save_directory(place, files, kept);
    files.insert(files.end(), {{io::kWeightsFile, weights}, kept[0]});
    io::save_directory(place, files);
  };
  const auto found = [&] {
    std::string out;
    for (const char* name : {io::kTrainingFile, io::kWeightsFile, io::kConfigFile, "users"}) {
      out += TemporaryFolder::get(place + "/" + name) + " ";
    }
    return out;
  };
  const auto areas = [&] {
    std::size_t out = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      out += entry.path().filename().string().starts_with(".heed-save-");
    }
    return out;
  };
  const auto check = [&](const std::string& before, const std::string& after) {
    return [&, before, after] {
      // Nothing stands beside it; but where only the old one had still to be cleared away, that
      // waits for the next save.
      const std::size_t left = areas();
      EXPECT_EQ(folder.entries(), 1 + left);
      EXPECT_LE(left, found() == after ? 1u : 0u);
      EXPECT_TRUE(found() == before || found() == after) << found();
    };
  };
  put("s1", "w1");
  TemporaryFolder::put(place + "/users", "own");
  EXPECT_GT(
      fail_every({.run = [&] { put("s2", ""); }, .reset = check("s1 w1 {} own ", "s2 w1 {} own ")}),
      20);
  EXPECT_EQ(found(), "s2 w1 {} own ");
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_GT(fail_every({.run = [&] { put("s3", "w3"); },
                        .reset = check("s2 w1 {} own ", "s3 w3 {} own ")}),
            20);
  EXPECT_EQ(found(), "s3 w3 {} own ");
  EXPECT_EQ(folder.entries(), 1);
}

TEST_P(Files, HoldAReport) {
  const std::string path = folder / "report.html";
  TemporaryFolder::put(path, "old");
  const auto write = [&] {
    train::Report report("A training");
    report.add_fact("accuracy", "0.96");
    report.add_chart(train::line_chart({{"loss", {0, 1, 2}, {3, 2, 1}}}, {}));
    train::Confusion confusion(2);
    confusion.add(0, 1);
    confusion.add(1, 1);
    report.add_confusion(confusion, {"bad", "good"});
    report.add_document({.truth = "good",
                         .prediction = "bad",
                         .probability = 0.7,
                         .text = {{.weight = 1, .words = {{"fine", 0.3}, {"film", 0.7}}}}});
    report.save(path);
  };
  EXPECT_GT(fail_every({.run = write,
                        .reset =
                            [&] {
                              const std::string now = TemporaryFolder::get(path);
                              EXPECT_TRUE(now == "old" || now.ends_with("</html>\n"));
                              EXPECT_EQ(folder.entries(), 1);
                            }}),
            50);
  EXPECT_TRUE(TemporaryFolder::get(path).starts_with("<!DOCTYPE html>"));
}

INSTANTIATE_TEST_SUITE_P(Memory, Files,
                         testing::Values(FailingAllocation::Then::recover,
                                         FailingAllocation::Then::stay_out));

}  // namespace
}  // namespace heed
