#include "../../io/training_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../io/model_directory.h"
#include "../../io/saved_module.h"
#include "../../nn/linear.h"
#include "../../optim/adadelta.h"
#include "../../optim/adam.h"
#include "../../optim/ema.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

struct Row {
  double loss = 0, seconds = 0, bleu = 0;
};
static_assert(Figures<Row> && Figures<double>);
struct Counts {
  std::int64_t steps, words;
};
static_assert(!Figures<Counts> && !Figures<std::int64_t> && !Figures<Generator> &&
              !Figures<std::string> && !Figures<nn::Linear>);

// A module that learns from random inputs.
struct Learner {
  explicit Learner(Index in) : model(in, 5), adam(model.parameters(), {.lr = 0.03}) {}
  void step() {
    const Array inputs = default_generator().normal({3, model.weight.size(1)}, 0, 1);
    adam.zero_grad();
    const Tensor y = model(Tensor(inputs));
    sum(y * y).backward();
    adam.step();
  }
  // Every bit of it, the random numbers to come included.
  std::string bits() const { return TrainingState(model, adam).encode(); }
  nn::Linear model;
  optim::Adam adam;
};

void save(const TemporaryFolder& folder, const TrainingState& state) {
  save_directory(folder / "m", {{kTrainingFile, state.encode()}});
}

// What throws the FormatError of the file, with this text.
template <class Body>
void expect_refused(const TemporaryFolder& folder, const Body& body, const std::string& text) {
  EXPECT_THAT(message_of<FormatError>(body),
              AllOf(StartsWith(folder / "m/training.safetensors"), HasSubstr(text)));
}

TEST(TrainingState, ARunGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  Learner whole(7), parts(7);
  manual_seed(11);
  for (int i = 0; i < 2; ++i) whole.step();
  save(folder, TrainingState(whole.model, whole.adam));
  for (int i = 0; i < 3; ++i) whole.step();
  const std::string expected = whole.bits();
  manual_seed(13);
  ASSERT_NE(parts.bits(), expected);
  TrainingState::read(folder / "m").restore(parts.model, parts.adam);
  for (int i = 0; i < 3; ++i) parts.step();
  EXPECT_EQ(parts.bits(), expected);
}

TEST(TrainingState, GivesBackWhatWasPut) {
  const TemporaryFolder folder;
  const Learner run(3);
  const std::vector<Row> figures = {{1, -0.5, NAN}, {INFINITY, 3, 1e-300}};
  Generator order(std::uint64_t{0} - 5);
  order.next();
  TrainingState state(run.model, run.adam);
  state.put("steps", 17);
  state.put("setting", "2 pairs, \"a\" and ü");
  state.put("figures", figures);
  state.put("none", std::vector<Row>());
  state.put("epoch", figures[1]);
  state.put("baselines", std::vector<double>{2, 3});
  state.put("order", order);
  save(folder, state);

  const TrainingState read = TrainingState::read(folder / "m");
  EXPECT_EQ(read.count("steps"), 17);
  EXPECT_EQ(read.text("setting"), "2 pairs, \"a\" and ü");
  std::vector<Row> rows, none(2);
  read.get("figures", rows);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].seconds, -0.5);
  EXPECT_TRUE(std::isnan(rows[0].bleu));
  EXPECT_EQ(rows[1].loss, INFINITY);
  read.get("none", none);
  EXPECT_THAT(none, SizeIs(0));
  Row row;
  read.get("epoch", row);
  EXPECT_EQ(row.bleu, 1e-300);
  std::vector<double> baselines;
  read.get("baselines", baselines);
  EXPECT_THAT(baselines, ElementsAre(2, 3));
  Generator found;
  read.get("order", found);
  EXPECT_EQ(found.state(), order.state());
}

TEST(TrainingState, HoldsWhateverHasAStateDict) {
  const TemporaryFolder folder;
  const Learner run(3);
  nn::Linear critic(2, 7), loaded(2, 7);
  optim::EMA average(run.model.parameters(), 0.5), again(run.model.parameters(), 0.5);
  average.update();
  TrainingState state(run.model, run.adam);
  state.put("critic", critic.state_dict());
  state.put("average", average.state_dict());
  save(folder, state);
  const TrainingState read = TrainingState::read(folder / "m");
  loaded.load_state_dict(read.tensors("critic"));
  EXPECT_EQ(encode_weights(loaded), encode_weights(critic));
  again.load_state_dict(read.arrays("average"));
  EXPECT_EQ(again.state_dict()[0].second.item(), 1);
  EXPECT_THAT(read.arrays("critics"), SizeIs(0));
  EXPECT_THAT(read.tensors("criti"), SizeIs(0));
}

TEST(TrainingState, GivesArraysBackInTheirDtypes) {
  struct Noted : nn::Module {
    nn::Linear& linear = child<nn::Linear>("linear", 3, 2);
    Tensor& table = buffer("table", Tensor(Array::full({5}, 1.5, DType::bf16)));
  } run, again;
  optim::Adam adam(run.parameters()), other(again.parameters());
  again.table.copy_from(zeros({5}, DType::bf16));
  const TemporaryFolder folder;
  TrainingState state(run, adam);
  nn::NamedTensors put;
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i64, DType::boolean}) {
    put.emplace_back(name(dtype), Tensor(Array::full({7}, 1, dtype)));
  }
  state.put("kept", put);
  save(folder, state);
  const TrainingState read = TrainingState::read(folder / "m");
  const nn::NamedTensors kept = read.tensors("kept");
  ASSERT_THAT(kept, SizeIs(5));
  for (const auto& [dtype, tensor] : kept) EXPECT_EQ(describe(tensor), dtype + "[7]");
  read.restore(again, other);
  EXPECT_EQ(encode_weights(again), encode_weights(run));
}

TEST(TrainingState, RefusesEntriesOfAnotherKind) {
  const TemporaryFolder folder;
  const Learner run(3);
  TrainingState state(run.model, run.adam);
  state.put("steps", 17);
  state.put("below", -1);
  state.put("huge", std::int64_t{1} << 31);
  state.put("row", std::vector<Row>(2));
  state.put("long", std::string(1001, 'a'));
  state.put("lines", "a\nb");
  state.put("delete", "a\x7F");
  state.put("a thousand", std::string(1000, '~'));
  state.put("most", 2147483647);
  state.put("none", 0);
  save(folder, state);
  const TrainingState read = TrainingState::read(folder / "m");
  const auto refused = [&](const auto& body, const std::string& text) {
    expect_refused(folder, body, text);
  };
  refused([&] { read.count("epochs"); }, "\"epochs\" is missing");
  refused([&] { read.count("row"); }, "\"row\" is f64[2, 3], not i64[]");
  refused([&] { read.count("random"); }, "\"random\" is i64[2], not i64[]");
  refused([&] { read.count("below"); }, "\"below\" must be in [0, 2147483647], not -1");
  refused([&] { read.count("huge"); }, "not 2147483648");
  refused([&] { read.count("steps", 2, 16); }, "\"steps\" must be in [2, 16], not 17");
  EXPECT_EQ(read.count("below", -1), -1);
  refused([&] { read.text("steps"); }, "the text \"steps\" is missing");
  refused([&] { read.text("long"); }, "the text \"long\" is more than a line");
  refused([&] { read.text("lines"); }, "the text \"lines\" is more than a line");
  refused([&] { read.text("delete"); }, "the text \"delete\" is more than a line");
  EXPECT_EQ(read.text("a thousand"), std::string(1000, '~'));
  EXPECT_EQ(read.count("most"), 2147483647);
  EXPECT_EQ(read.count("none"), 0);
  EXPECT_EQ(read.count("steps", 17, 17), 17);
  EXPECT_EQ(read.path(), folder / "m/training.safetensors");
  Generator generator(5);
  refused([&] { read.get("steps", generator); }, "\"steps\" is i64[], not i64[2]");
  EXPECT_EQ(generator.state(), Generator(5).state());
  std::vector<double> numbers = {3};
  refused([&] { read.get("row", numbers); }, "\"row\" is f64[2, 3], not f64[-1, 1]");
  refused([&] { read.get("random", numbers); }, "\"random\" is i64[2], not f64[-1, 1]");
  EXPECT_THAT(numbers, ElementsAre(3));
  Row row{7, 7, 7};
  refused([&] { read.get("row", row); }, "\"row\" has 2 rows, not 1");
  EXPECT_EQ(row.loss, 7);
  refused([&] { read.refuse("the moon is full"); }, "the moon is full");
}

TEST(TrainingState, RestoresAllOrNothing) {
  const TemporaryFolder folder;
  Learner run(7), other(3);
  for (Learner* each : {&run, &other}) each->step();
  const std::string before = run.bits();
  const auto refused = [&](const TrainingState& state, const std::string& text) {
    save(folder, state);
    manual_seed(11);
    const Generator random = default_generator();
    const std::string bits = run.bits();
    expect_refused(
        folder, [&] { TrainingState::read(folder / "m").restore(run.model, run.adam); }, text);
    EXPECT_EQ(run.bits(), bits);
    EXPECT_EQ(default_generator().state(), random.state());
  };
  for (Learner* each : {&run, &other}) each->step();
  refused(TrainingState(other.model, other.adam), "\"weight\" is f32[5, 3], not f32[5, 7]");
  refused(TrainingState(other.model, run.adam), "\"weight\" is f32[5, 3], not f32[5, 7]");
  // The model fits, which comes first, and has other weights; the optimizer does not.
  Learner twin(7);
  twin.step();
  ASSERT_NE(twin.bits(), run.bits());
  refused(TrainingState(twin.model, other.adam), "Adam: the entries do not fit");
  ASSERT_NE(run.bits(), before);
}

// One line however many parameters there are.
TEST(TrainingState, SaysInShortWhatAnotherOptimizerLacks) {
  const TemporaryFolder folder;
  Learner run(3);
  run.step();
  save(folder, TrainingState(run.model, run.adam));
  optim::Adadelta adadelta(run.model.parameters());
  expect_refused(
      folder, [&] { TrainingState::read(folder / "m").restore(run.model, adadelta); },
      "Adadelta: the entries do not fit: \"parameters.0.square_avg\" is missing; "
      "\"parameters.0.acc_delta\" is missing; \"parameters.1.square_avg\" is missing; and 5 more");
}

TEST(TrainingState, RefusesDamage) {
  const TemporaryFolder folder;
  const Learner run(3);
  const std::string bytes = run.bits();
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, bytes.size() - 1}) {
    save_directory(folder / "m", {{kTrainingFile, bytes.substr(0, size)}});
    expect_refused(
        folder, [&] { TrainingState::read(folder / "m"); }, "");
  }
  EXPECT_ERROR_WITH(IoError, "/no: no model directory", TrainingState::read(folder / "no"));
}

TEST(TrainingState, OfNoFileIsNamedAsTheFile) {
  TrainingState state;
  EXPECT_EQ(state.path(), "training.safetensors");
  state.put("steps", 3);
  EXPECT_EQ(state.count("steps"), 3);
  EXPECT_EQ(TrainingState::decode(state.encode(), "x").path(), "x");
  EXPECT_ERROR(FormatError, "training.safetensors: at byte 0: \"epochs\" is missing",
               state.count("epochs"));
}

TEST(TrainingState, RefusesANamePutTwice) {
  const Learner run(3);
  TrainingState state(run.model, run.adam);
  state.put("setting", "a");
  EXPECT_ERROR(ValueError, "training state: the text \"setting\" is put twice",
               state.put("setting", "b"));
  state.put("random", 3);
  EXPECT_ERROR_WITH(ValueError, "random", state.encode());
}

// The weights beside the state are the best so far, and whatever was deleted is written.
TEST(TrainingState, IsSavedBesideTheBestWeights) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  const auto save = [&](const std::string& epoch, bool best) {
    save_training(path, "state " + epoch, {{"weights", "of " + epoch}}, best);
    return read_from_directory(path, kTrainingFile) + ", weights " +
           read_from_directory(path, "weights");
  };
  EXPECT_EQ(save("1", false), "state 1, weights of 1");
  EXPECT_EQ(save("2", true), "state 2, weights of 2");
  EXPECT_EQ(save("3", false), "state 3, weights of 2");
  std::filesystem::remove(path + "/weights");
  EXPECT_EQ(save("4", false), "state 4, weights of 4");
}

}  // namespace
}  // namespace heed::io
