// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "../../../data/wav.h"
#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::data::encode_wav;
using heed::data::Sound;
using heed::io::read_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class SpeechCommand : public Command {
 protected:
  SpeechCommand() : Command(HEED_SPEECH) {}
  void SetUp() override {
    if (!heed::data::has_sound()) GTEST_SKIP() << "built without libsndfile and KissFFT";
  }

  static double error_of(const std::string& output) {
    return number_after("  digit error ", output);
  }
  static std::string tone(heed::Index samples, double hertz, heed::Index rate = 8000) {
    Sound sound{rate, {}};
    for (heed::Index t = 0; t < samples; ++t) {
      const double turn = 2 * M_PI * static_cast<double>(t) / static_cast<double>(rate);
      sound.samples.push_back(static_cast<float>(0.3 * std::sin(turn * hertz)));
    }
    return encode_wav(sound);
  }
};

const std::string kSmall =
    " --recordings 60 --strings 6 --longest 3 --shortest 2 --long-digits 4 --batch 4 --hidden 5 "
    "--state 7 --threads 1 --show 1 ";

TEST_F(SpeechCommand, AQuickTrainingLearnsAndListens) {
  const std::string trained = expect_success("train --quick --threads 1 --save " + path("m"));
  EXPECT_LT(error_of(trained), 90);
  EXPECT_THAT(trained, AllOf(HasSubstr(" to validate, 300 to test; parameters"),
                             HasSubstr("\n10 digits, beam 1: digit error ")));
  EXPECT_THAT(read_file(path("m/report.html")), HasSubstr("digit error"));
  EXPECT_THAT(read_file(path("m/heard.png")), StartsWith("\x89PNG"));

  expect_success("speak 314 " + path("pi.wav"));
  const std::string heard = expect_success("listen " + path("pi.wav") + " --model " + path("m") +
                                           " --picture " + path("pi.png"));
  EXPECT_THAT(heard, AllOf(StartsWith("heard "), HasSubstr(" at ")));
  EXPECT_THAT(read_file(path("pi.png")), StartsWith("\x89PNG"));
}

TEST_F(SpeechCommand, EveryListenerIsTrainedKeptAndAsked) {
  write("tone.wav", tone(4000, 697));
  for (const std::string kind : {"location", "content", "mocha", "ctc"}) {
    const std::string model = path(kind);
    const std::string trained =
        expect_success("train --steps 3 --attention " + kind + kSmall + "--save " + model);
    const std::string tested =
        expect_success("evaluate --model " + model +
                       " --recordings 60 --strings 6 --longest 3 --shortest 2 --long-digits 4");
    EXPECT_EQ(error_of(tested), error_of(trained)) << kind;
    EXPECT_TRUE(fs::exists(model + "/heard.png")) << kind;
    expect_success("listen " + path("tone.wav") + " --model " + model + " --beam 2");
  }
}

TEST_F(SpeechCommand, ReadsRecordingsAndRefusesBadOnes) {
  for (const std::string part : {"train", "test"}) {
    fs::create_directories(path("d/" + part));
    for (const std::string digit : {"0", "1", "2"}) {
      write("d/" + part + "/" + digit + "_anna_0.wav", tone(2000, 500 + 300 * std::stod(digit)));
    }
  }
  const std::string flags =
      "train --steps 2 --every 1" + kSmall + "--save " + path("m") + " --data ";
  EXPECT_THAT(expect_success(flags + path("d")),
              HasSubstr("recordings: 3 to learn from, 3 to validate, 3 to test;"));
  fs::remove_all(path("m"));

  expect_refused(flags + path("none"), "none/train: open: No such file or directory");
  expect_refused(flags + path("d/train"), "d/train/train: open: No such file or directory");
  const auto refused = [&](const std::string& content, const std::string& text) {
    write("d/test/1_anna_1.wav", content);
    expect_refused(flags + path("d"), "1_anna_1.wav: at byte " + text);
  };
  const std::string good = tone(2000, 500);
  refused(tone(2000, 500, 16000), "24: wav: 16000 samples a second, not 8000");
  refused(good.substr(0, 2000), "2000: wav: the file ends after 1956 of 4000 bytes of samples");
  refused(changed(good, std::string("\x01\0\x01\0", 4), std::string("\x01\0\x02\0", 4)),
          "22: wav: 2 channels, not one");
  refused("", "0: wav: does not begin as a WAV file");
  fs::remove(path("d/test/1_anna_1.wav"));
  write("d/test/one.wav", good);
  expect_refused(flags + path("d"), "one.wav: at byte 0: not named DIGIT_SPEAKER_INDEX.wav");
  fs::remove_all(path("d/test"));
  fs::create_directories(path("d/test"));
  expect_refused(flags + path("d"), "d/test: at byte 0: no .wav file is in the folder");
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(SpeechCommand, RefusesBadFlagsFilesAndModels) {
  expect_refused("", "subcommand");
  expect_refused("train --attention most", "attention");
  expect_refused("train --steps 0", "steps");
  expect_refused("train --kernel 4 --save " + path("m"), "kernel 4 must be positive and odd");
  expect_refused("train --shortest 5 --longest 4 --save " + path("m"),
                 "5 to 4 digits are no range");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  for (const std::string digits : {"31x", "1e3", "3.5", "''"})
    expect_refused("speak " + digits + " " + path("a.wav"), "digits: ");
  EXPECT_FALSE(fs::exists(path("m")));
  EXPECT_FALSE(fs::exists(path("a.wav")));

  expect_success("train --steps 2" + kSmall + "--save " + path("m"));
  const std::string good = write("good.wav", tone(4000, 697));
  expect_config_refused("listen " + good, "\"hidden\": 5", "\"hidden\": 6", "model.safetensors");
  expect_config_refused("listen " + good, "\"hidden\": 5", "\"hidden\": 4096",
                        "config.json: at byte 0: asks for a model far larger than its model.");
  expect_config_refused("listen " + good, "\"location\"", "\"content\"", "model.safetensors");
  expect_config_refused("listen " + good, "\"location\"", "\"mostly\"", "\"mostly\" is none of");
  const std::string listen =
      "listen " + path("bad.wav") + " --model " + path("m") + " --picture " + path("p.png");
  expect_refused(listen, "bad.wav: open: No such file or directory");
  write("bad.wav", tone(4000, 697, 44100));
  expect_refused(listen, "bad.wav: at byte 24: wav: 44100 samples a second, not 8000");
  write("bad.wav", tone(700, 697));
  expect_refused(listen, "bad.wav: at byte 36: wav: 0.087 s; at least 0.1 are wanted");
  write("bad.wav", "RIFF");
  expect_refused(listen, "bad.wav: at byte 0: wav: does not begin as a WAV file");
  EXPECT_FALSE(fs::exists(path("p.png")));
  expect_refused("train --resume --steps 4 --save " + path("m") +
                     " --recordings 60 --shortest 2 --longest 3 --batch 5",
                 "resume: the run had ");
}

TEST_F(SpeechCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // Within a round, at its end.
  expect_resuming_changes_no_bit(
      kSmall + "--steps 9 --every 4 --dropout 0.3", {2, 4, 7},
      {"rounds", "batches.loader", "sums", "model.words.weight", "optimizer.parameters.0.step"});
}

}  // namespace
