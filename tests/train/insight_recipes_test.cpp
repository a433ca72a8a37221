// The code of docs/insight.md, run; the last test compares.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "../../heed.h"
#include "../../train/train.h"
#include "../io/temporary_folder.h"
#include "../structure/shown_code.h"

namespace {

using testing::HasSubstr;

// [docs: tagger]
using namespace heed;

class Tagger : public nn::Module {
 public:
  nn::Embedding& words =
      child<nn::Embedding>("words", nn::EmbeddingOptions{.count = 50, .width = 8});
  nn::GRU& encoder = child<nn::GRU>("encoder", nn::GRUOptions{.input = 8, .hidden = 6});
  nn::Linear& out = child<nn::Linear>("out", 6, 5);

  Tensor operator()(const Tensor& ids) const {
    const Scope scope(*this);                           // this is the work of this module
    return forwarded(out(encoder(words(ids)).output));  // [B, T] -> [B, T, 5]
  }
};
// [end]

Tensor some_ids() { return Array::full({3, 7}, 4, DType::i64); }

TEST(InsightRecipes, Profile) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  Tagger model;
  optim::Adam adam(model.parameters(), {.lr = 1e-3});
  const Tensor ids = some_ids(), tags = Array::full({21}, 2, DType::i64);
  const auto step = [&] {
    adam.zero_grad();
    cross_entropy(flatten(model(ids), 0, 1), tags).backward();
    // [docs: region]
    const train::Region region("optimizer");
    adam.step();
    // [end]
  };
  // [docs: profile]
  train::Profiler profiler;
  for (int i = 0; i < 3; ++i) step();
  profiler.stop();
  fmt::print("{}", profiler.table());
  profiler.save_trace(out + "/trace.json");  // open it in ui.perfetto.dev or chrome://tracing
  // [end]
  // [docs: rows]
  for (const train::ProfilerRow& row : profiler.rows()) {
    if (row.module == "encoder" && row.backward) fmt::print("{}: {} s\n", row.op, row.seconds);
  }
  // [end]
  EXPECT_THAT(profiler.table(), HasSubstr("\noptimizer "));
}

TEST(InsightRecipes, Summary) {
  Tagger model;
  const Tensor ids = some_ids();
  // [docs: summary]
  fmt::print("{}", train::summary(model, [&] { model(ids); }).text());
  // [end]
  EXPECT_THAT(train::summary(model, [&] { model(ids); }).text(), HasSubstr("f32[3, 7, 5]"));
}

TEST(InsightRecipes, Graph) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  Tagger model;
  const Tensor loss = sum(model(some_ids()));
  // [docs: graph]
  const train::Graph tape = train::graph(loss, {.names = model.named_parameters()});
  io::write_file_atomically(out + "/tape.svg", tape.svg());
  io::write_file_atomically(out + "/tape.dot", tape.dot());  // dot -Tpdf tape.dot
  // [end]
  EXPECT_THAT(tape.svg(), HasSubstr("encoder.weight_hh_l0"));
}

TEST(InsightRecipes, Logs) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  Tagger model;
  const std::int64_t step = 100;
  const bool resumed = true;
  const double loss = 0.5;
  // [docs: logs]
  train::TensorBoard board(out + "/board");  // tensorboard --logdir OUT/board
  train::CsvLog table(out + "/log.csv");     // a row a step, a column a name
  train::JsonLog lines(out + "/log.jsonl");  // an object a step
  for (train::Log* log : std::vector<train::Log*>{&board, &table, &lines}) {
    if (resumed) log->resume(step);  // what was logged for later steps is dropped
    log->scalar(step + 1, "loss/train", loss);
    log->histogram(step + 1, "out.weight", model.out.weight);
    log->text(step + 1, "sample", "the *tagged* sentence");
    log->image(step + 1, "weights", train::Picture::from(model.out.weight.array()).scaled(8));
    log->flush();
  }
  // [end]
  EXPECT_EQ(TemporaryFolder::get(out + "/log.csv"), "step,loss/train\n101,0.5\n");
}

TEST(InsightRecipes, Report) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  train::Series losses{"training", {}, {}};
  const int epochs = 3;
  // [docs: report]
  train::Report report("tagger");
  report.refresh(10);  // the page loads itself again every 10 seconds
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    losses.x.push_back(epoch);
    losses.y.push_back(1.0 / epoch);
    report.set_fact("epoch", fmt::format("{} of {}", epoch, epochs));
    report.set_chart("loss", train::line_chart({losses}, {.title = "Loss"}));
    if (epoch == epochs) report.refresh(0);
    report.save(out + "/report.html");
  }
  // [end]
  EXPECT_THAT(TemporaryFolder::get(out + "/report.html"), HasSubstr("3 of 3"));
}

TEST(InsightRecipes, Errors) {
  const Tagger model;
  const Tensor wrong = ones({3, 7, 4});
  std::string said;
  // [docs: error]
  try {
    model.encoder(wrong);
  } catch (const ShapeError& error) {
    fmt::print("{}\n", error.what());     // encoder: gru: ...
    fmt::print("{}\n", error.where());    // encoder
    fmt::print("{}\n", error.message());  // gru: ...
    // [end]
    said = error.what();
  }
  EXPECT_THAT(said, testing::StartsWith("encoder: gru: "));
}

TEST(InsightRecipes, Printing) {
  std::ostringstream cout;
  // [docs: print]
  const Tensor x = tensor({1, 2.25, -3, 0.5}, {2, 2}, DType::f64);
  cout << x << '\n';
  cout << to_string(x.array(), {.precision = 1}) << '\n';
  // [end]
  EXPECT_EQ(cout.str(),
            "tensor([[ 1.  ,  2.25],\n"
            "        [-3.  ,  0.5 ]], dtype=f64)\n"
            "array([[ 1. ,  2.2],\n"
            "       [-3. ,  0.5]], dtype=f64)\n");
}

TEST(InsightRecipes, StandInTheGuide) {
  expect_shown("tests/train/insight_recipes_test.cpp", "docs/insight.md", 50);
}

}  // namespace
