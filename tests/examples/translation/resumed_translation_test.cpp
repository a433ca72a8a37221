// Trainings that are stopped, killed or interrupted, and go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "translation_command.h"

namespace translation {
namespace {

namespace fs = std::filesystem;
using heed::Outcome;
using heed::Running;
using heed::io::read_file;
using testing::HasSubstr;
using testing::Not;

class ResumedTranslation : public TranslationCommand {
 protected:
  // Twice more output than the pipe of a Running holds: it cannot end before it is killed.
  static std::string flags() { return std::string(kSmall) + "--epochs 90 --dropout 0.2 "; }
  std::string state() const { return path("parts/training.safetensors"); }
  // Starts the training, or goes on, and ends it with this signal once it has saved its state.
  Outcome cut_short(const std::string& more, int signal) const {
    std::error_code ignored;
    const fs::file_time_type old = fs::last_write_time(state(), ignored);
    Running training(line("train --save-steps 1 --save " + path("parts") + flags() + more));
    training.wait_until([&] {
      std::error_code error;
      const fs::file_time_type found = fs::last_write_time(state(), error);
      return !error && found != old;
    });
    return training.end(signal);
  }
};

TEST_F(ResumedTranslation, AKillChangesNoBit) {
  for (const std::string more :
       {"--model bahdanau --optimizer adadelta --lr 1 --own-words 0.5 --average 3 --fall none",
        "--model transformer --tied --warm-up 9 --weight-decay 0.01 --patience 90"}) {
    expect_success("train --save " + path("whole") + flags() + more);
    for (int kills = 0; kills < 2; ++kills) {
      EXPECT_EQ(cut_short(more + (kills > 0 ? " --resume" : ""), SIGKILL).code, 128 + SIGKILL);
      EXPECT_EQ(lines_in(expect_success("translate --model " + path("parts"), "a dog\n")), 1U);
      ASSERT_NE(state_of(path("whole")), state_of(path("parts")));
    }
    expect_success("train --resume --save " + path("parts") + flags() + more);
    expect_same_training(path("whole"), path("parts"),
                         {"rounds", "steps", "random", "sums", "model.tables.target_words.weight",
                          "optimizer.parameters.0.step"});
    fs::remove_all(path("parts"));
  }
}

TEST_F(ResumedTranslation, AStopAnywhereChangesNoBit) {
  const std::string flags =
      std::string(kSmall) + "--epochs 5 --model luong --input-feeding --average 3 --own-words 0.4";
  // Before the first look, within epochs, at the end of one: an epoch has six steps.
  expect_resuming_changes_no_bit(flags, {2, 6, 19, 27}, {"average.2.1", "rounds"});
}

TEST_F(ResumedTranslation, AStopBeforeTheFirstLookLeavesAModel) {
  expect_success("train --stop-after 2 --save " + path("m") + kSmall);
  expect_success("evaluate --model " + path("m") + kFew);
}

// A learning rate of 0 makes nothing better.
TEST_F(ResumedTranslation, PatienceOutlastsAStop) {
  const std::string all = std::string(kSmall) + "--epochs 9 --lr 0 --patience 2 --save ";
  const std::string whole = expect_success("train" + all + path("whole"));
  EXPECT_THAT(whole, HasSubstr("\nepoch 3  "));
  EXPECT_THAT(whole, Not(HasSubstr("\nepoch 4  ")));
  expect_success("train --stop-after 14" + all + path("parts"));
  const std::string rest = expect_success("train --resume" + all + path("parts"));
  EXPECT_THAT(rest, HasSubstr("\nepoch 3  "));
  EXPECT_THAT(rest, Not(HasSubstr("\nepoch 4  ")));
  expect_same_training(path("whole"), path("parts"), {"rounds"});
}

TEST_F(ResumedTranslation, AnInterruptLeavesTheBestModel) {
  const Outcome stopped = cut_short("", SIGINT);
  EXPECT_EQ(stopped.code, 0) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("\ninterrupted; the best model so far is in "));
  EXPECT_EQ(lines_in(expect_success("translate --model " + path("parts"), "a dog\n")), 1U);
  EXPECT_THAT(expect_success("evaluate --model " + path("parts") + kFew), HasSubstr("BLEU"));
}

TEST_F(ResumedTranslation, RefusesADamagedState) {
  const std::string model = trained();
  const std::string content = read_file(model + "/training.safetensors");
  const std::string again = "train --resume --epochs 2 --save " + model + kSmall;
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, content.size() - 3}) {
    write("m/training.safetensors", content.substr(0, size));
    expect_refused(again, "training.safetensors");
  }
  // The file with another entry of this name.
  const auto put = [&](const std::string& name, const heed::Array& array) {
    write("m/training.safetensors", content);
    auto file = heed::io::read_safetensors(model + "/training.safetensors");
    for (auto& entry : file.arrays) {
      if (entry.first == name) entry.second = array;
    }
    heed::io::write_safetensors(model + "/training.safetensors", file.arrays, file.metadata);
  };
  put("model.tables.target_words.weight", heed::Array::zeros({5, 7}, heed::DType::f32));
  expect_refused(again, "training.safetensors: at byte 0: load_state_dict");
  put("epochs", heed::Array::full({}, -1, heed::DType::i64));
  expect_refused(again, "\"epochs\" must be in [0, 2147483647], not -1");
  put("sums", heed::Array::zeros({5, 7}, heed::DType::f64));
  expect_refused(again, "\"sums\" is f64[5, 7], not f64[-1, 3]");
  write("m/training.safetensors", content);
  expect_refused(again + "--optimizer adadelta", "--optimizer adam: it goes on with the same only");
  expect_refused(changed(again, "--sentences 30", "--sentences 40"),
                 "resume: the run had 30 pairs to train on, 3 to validate");
  expect_refused(changed(again, "--batch 100", "--batch 99"),
                 "--batch 100, --seed 1, --optimizer adam: it goes on with the same only");
  expect_refused(again + "--seed 2", "resume: the run had");
  expect_refused(again + "--model luong",
                 "--resume: the model in the folder has --model bahdanau, not luong");
  expect_refused(changed(again, "--min-count 1", "--min-count 3"),
                 "--resume: the model in the folder has --min-count 1, not 3");
  expect_refused(again + "--max-vocabulary 5", "has --max-vocabulary 0, not 5");
  expect_refused(again + "--subwords 90", "has --subwords 0, not 90");
  fs::remove(model + "/training.safetensors");
  expect_refused(again, "training.safetensors: missing");
  expect_success("evaluate --model " + model + kFew);
}

}  // namespace
}  // namespace translation
