// What --distributed does to trainings whose batches are drawn whole, in one process: each batch is
// cut in three.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "../../examples/algorithms/solver.h"
#include "../../examples/babi/trials.h"
#include "../../examples/captioning/trainer.h"
#include "../../examples/language_model/evaluation.h"
#include "../../examples/language_model/trainer.h"
#include "../../train/team.h"
#include "../io/temporary_folder.h"

namespace heed {
namespace {

// A process that has all pieces to itself.
class Alone : public train::Team {
 public:
  Alone() { train::set_team(this); }
  ~Alone() override { train::set_team(nullptr); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  Index pieces() const override { return 3; }
  std::string setting() const override { return "3 pieces"; }
  std::string from_first(const std::string& bytes) override { return bytes; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  Share begin(const std::vector<Tensor>& parameters, Index count) override {
    callers.insert(std::this_thread::get_id());
    for (Tensor parameter : parameters) parameter.zero_grad();
    return {0, count};
  }
  void add(const Tensor& loss, Index) override {
    loss.backward();
    ++added;
  }
  void finish() override {}

  std::set<std::thread::id> callers;
  Index added = 0;
};

TEST(SharedTrainings, ScenesToDescribe) {
  const TemporaryFolder folder;
  for (const char* look : {"soft", "hard"}) {
    captioning::Describer describer{captioning::vocabulary_of("shapes"), nullptr};
    captioning::ModelOptions options;
    options.vocabulary = describer.vocabulary.size();
    options.attention = look;
    options.channels = 2;
    options.width = 5;
    options.hidden = 7;
    describer.model = std::make_unique<captioning::Captioner>(options);
    captioning::TrainerOptions how;
    how.out = folder / look;
    how.steps = 4;
    how.warm_up = 1;
    how.batch = 5;
    how.soft = 0;
    Alone team;
    const auto corpus = captioning::load_corpus({.scenes = 23, .validation = 7, .test = 1});
    EXPECT_FALSE(captioning::train_describer(describer, corpus, how).rounds.empty()) << look;
    EXPECT_EQ(team.added, 4 * 3) << look;
  }
}

TEST(SharedTrainings, AlgorithmsDrawEachPieceByItself) {
  const TemporaryFolder folder;
  for (const char* task : {"copy", "parity", "pointer_sort", "tables"}) {
    algorithms::ModelOptions options;
    options.task = task;
    options.hidden = 7;
    options.longest = options.shortest = 3;
    options.bits = 2;
    options.slots = 5;
    const auto solver = algorithms::make_solver(options);
    Alone team;
    const auto found =
        algorithms::train_solver(*solver, {.out = folder / task, .epochs = 1, .batch = 5});
    EXPECT_FALSE(found.rounds.empty()) << task;
    EXPECT_EQ(team.added, algorithms::kEpoch * 3) << task;
  }
}

// The gradient is that of the whole batch, whatever the lengths of a piece's lines.
TEST(SharedTrainings, PackedLinesComeToTheSame) {
  const TemporaryFolder folder;
  const data::TextLevel level = data::TextLevel::characters;
  std::string text = "\n";
  for (int i = 0; i < 41; ++i) text += (i % 3 ? "abcab" : "c") + std::string(i % 2 ? "ba\n" : "\n");
  const auto loss_of = [&](const std::string& name) {
    manual_seed(5);
    language_model::Language language{level, data::vocabulary_of(text, level), nullptr};
    const std::vector<Index> tokens = data::encode(text, level, language.vocabulary);
    language.model = std::make_unique<language_model::LanguageModel>(
        language_model::ModelOptions{.vocabulary = language.vocabulary.size(),
                                     .layers = 1,
                                     .width = 12,
                                     .heads = 3,
                                     .context = 11});
    language_model::TrainerOptions how;
    how.out = folder / name;
    how.steps = 7;
    how.warm_up = 1;
    how.batch = 5;
    how.packed = true;
    language_model::train_language(language, tokens, tokens, how);
    return language_model::evaluate(language, tokens, 13, true);
  };
  const double whole = loss_of("whole");
  const Alone team;
  EXPECT_NEAR(loss_of("shared"), whole, 1e-4);
  EXPECT_EQ(team.added, 7 * 3);
}

// The gradient is that of the sum over the batch, the last and shorter one of a pass too.
TEST(SharedTrainings, StoriesComeToTheSame) {
  babi::CorpusOptions corpus;
  corpus.stories = 7;
  const babi::Task task = babi::load_task(corpus, 1);
  const data::Vocabulary vocabulary = babi::vocabulary_of({task});
  babi::ModelOptions options;
  options.vocabulary = vocabulary.size();
  options.width = 5;
  options.noise = 0;
  babi::TrainerOptions how;
  how.epochs = 1;  // a second pass is drawn by a generator that stands elsewhere
  how.linear_epochs = 0;
  how.batch = 11;
  how.lr = 0.05;
  how.clip = 1e9;
  const auto examples = babi::encode(task.train, vocabulary, options.slots);
  const auto loss_of = [&] { return babi::train_model(options, examples, how, 5).train_loss; };
  const double whole = loss_of();
  const Alone team;
  EXPECT_NEAR(loss_of(), whole, 1e-5);
  EXPECT_EQ(team.added, 3 * 3);
}

// All processes meet in each step: not from several threads, in whatever order these come.
TEST(SharedTrainings, TrialsOfStoriesComeOneAfterTheOther) {
  const TemporaryFolder folder;
  const int before = num_threads();
  set_num_threads(2);
  babi::TrialOptions options;
  options.model.width = 5;
  options.trainer.epochs = 1;
  options.trainer.linear_epochs = 0;
  options.seeds = 5;
  babi::CorpusOptions corpus;
  corpus.stories = 7;
  {
    Alone team;
    const auto found =
        babi::run_trials({{"task 1", {babi::load_task(corpus, 1)}, folder / "m"}}, options);
    EXPECT_EQ(found.results.size(), 1U);
    EXPECT_TRUE(found.saved);
    EXPECT_GT(team.added, 0);
    EXPECT_EQ(team.callers, std::set<std::thread::id>{std::this_thread::get_id()});
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace heed
