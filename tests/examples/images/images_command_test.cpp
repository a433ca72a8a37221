// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../../../train/picture.h"
#include "../../support/zstd.h"
#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::io::read_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ImagesCommand : public Command {
 protected:
  ImagesCommand() : Command(HEED_IMAGES) {}

  static double accuracy_of(const std::string& output) {
    return number_after("  test accuracy ", output);
  }
  // A folder of MNIST's files: `count` black digits a part, labels in turn.
  void put_digits(int count) const {
    fs::create_directories(path("digits"));
    for (const std::string part : {"train", "t10k"}) {
      const std::string size{0, 0, 0, static_cast<char>(count)};
      const std::string side{0, 0, 0, 28};
      write("digits/" + part + "-images-idx3-ubyte",
            std::string("\0\0\x08\3", 4) + size + side + side +
                std::string(static_cast<std::size_t>(count) * 784, '\0'));
      std::string labels;
      for (int i = 0; i < count; ++i) labels += static_cast<char>(i % 10);
      write("digits/" + part + "-labels-idx1-ubyte", std::string("\0\0\x08\1", 4) + size + labels);
    }
  }
  // A folder of easy-VQA's files: images of 16 x 16 dots, each asked for its shape.
  void put_shapes(int count) const {
    fs::create_directories(path("shapes"));
    const char n = static_cast<char>(count);
    const std::string header{0, 0, 8, 4, 0, 0, 0, n, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 3};
    std::string questions;
    for (int i = 0; i < count; ++i) {
      questions += "what shape is present?\t" + std::string(i % 3 == 0 ? "circle" : "triangle") +
                   "\t" + std::to_string(i) + "\n";
    }
    for (const std::string part : {"train", "test"}) {
      write("shapes/" + part + "-images-idx4-ubyte",
            header + std::string(static_cast<std::size_t>(count) * 768, 'x'));
      write("shapes/" + part + "-questions.tsv", questions);
    }
    write("shapes/answers.txt", "circle\ntriangle\n");
  }
};

const std::string kSmall =
    " --train 40 --test 12 --hidden 8 --layers 1 --heads 2 --batch 8 --show 2 --threads 1 ";

TEST_F(ImagesCommand, AQuickTrainingLearnsMoreThanChance) {
  const std::string trained = expect_success("train --quick --threads 1 --save " + path("m"));
  EXPECT_GT(accuracy_of(trained), 50);
  EXPECT_THAT(trained, HasSubstr("cnn: 900 pictures to learn from, 100 to validate, 200 to test;"));
  EXPECT_THAT(read_file(path("m/report.html")), HasSubstr("test accuracy"));
  EXPECT_THAT(read_file(path("m/looks.png")), StartsWith("\x89PNG"));
  const std::string tested =
      expect_success("evaluate --train 1000 --test 200 --model " + path("m") + " --report " +
                     path("r.html") + " --picture " + path("p.png"));
  EXPECT_EQ(accuracy_of(tested), accuracy_of(trained));
  EXPECT_EQ(read_file(path("p.png")), read_file(path("m/looks.png")));
  EXPECT_TRUE(fs::exists(path("r.html")));
}

TEST_F(ImagesCommand, EveryModelIsTrainedKeptAndLooks) {
  std::string models;
  for (const std::string model : {"cnn", "se", "cbam", "vit", "swin", "transformer"}) {
    const std::string trained = expect_success("train --epochs 1 --model " + model + kSmall +
                                               "--size 32 --clutter 1 --save " + path(model));
    EXPECT_EQ(accuracy_of(expect_success(
                  "evaluate --train 40 --test 12 --size 32 --clutter 1 --model " + path(model))),
              accuracy_of(trained));
    models += " " + path(model);
  }
  const std::string look = "look --test 12 --size 32 --clutter 1 --show 2 --number ";
  const std::string told =
      expect_success(look + "3 --model" + models + " --picture " + path("a.png"));
  for (const std::string model : {"cnn ", "vit ", "transformer "}) {
    EXPECT_THAT(told, HasSubstr(model));
  }
  EXPECT_THAT(read_file(path("a.png")), StartsWith("\x89PNG"));
  heed::train::write_png(path("own.png"), heed::train::Picture(90, 70, {200, 30, 30}));
  EXPECT_THAT(expect_success("look --image " + path("own.png") + " --model" + models),
              HasSubstr(" %\ncbam "));
  expect_refused("look --image " + path("own.gif") + " --model" + models, "own.gif: cannot open");
  expect_refused("look --image " + write("b.png", "\x89PN") + " --model" + models,
                 "b.png: at byte");
  expect_refused(look + "11 --model" + models, "picture 12: there are 12 to test");
}

TEST_F(ImagesCommand, ReadsFilesAndRefusesBadOnes) {
  put_digits(20);
  const std::string flags = "train --epochs 1" + kSmall + "--save " + path("m") + " --data ";
  EXPECT_THAT(expect_success(flags + path("digits")),
              AllOf(HasSubstr("18 pictures to learn from, 2 to validate, 12 to test"),
                    HasSubstr("test pictures 12 ")));
  put_shapes(15);
  const std::string shapes = path("shapes");
  const std::string of_shapes =
      "train --epochs 1 --save " + path("s") + kSmall + "--data " + shapes;
  EXPECT_THAT(expect_success(of_shapes),
              HasSubstr("14 pictures to learn from, 1 to validate, 12 to test"));
  for (const std::string part : {"train", "test"}) {
    const std::string name = "shapes/" + part + "-images-idx4-ubyte";
    write(name + ".zst", heed::zstd(read_file(path(name))));
    fs::remove(path(name));
  }
  EXPECT_THAT(expect_success(of_shapes), HasSubstr("14 pictures to learn from"));
  expect_refused(
      "evaluate --model " + path("m") + " --data " + shapes,
      "shapes: 3 classes of pictures of 3 x 16 x 16, but the model knows 10 of 1 x 28 x 28");
  expect_refused(flags + shapes + " --clutter 3",
                 "shapes: --size and --clutter are of digits, not of shapes");
  expect_refused(flags + path("absent"), "absent");
  put_digits(5);
  expect_refused(flags + path("digits"), "digits: at byte 0: too few pictures to hold out any");
  write("digits/t10k-labels-idx1-ubyte", "short");
  expect_refused(flags + path("digits"), "t10k-labels-idx1-ubyte: at byte");
}

TEST_F(ImagesCommand, RefusesBadFlagsAndModels) {
  expect_refused("", "subcommand");
  expect_refused("train --model most", "model");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --size 27", "size");
  expect_refused("train --model vit --hidden 8 --heads 5 --train 20 --test 5 --save " + path("m"),
                 "heads 5 does not divide width 16");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m/model.safetensors")));

  expect_success("train --epochs 1" + kSmall + "--save " + path("m"));
  expect_config_refused("look", "\"cnn\"", "\"se\"", "model.safetensors");
  expect_config_refused("look", "\"hidden\": 8", "\"hidden\": 9", "model.safetensors");
  expect_config_refused("look", "\"channels\": 1", "\"channels\": 2", "grey or colours");
  expect_config_refused("look", "\"height\": 28", "\"height\": 4800000", "height");
  expect_refused("train --resume --epochs 3 --train 50 --batch 8 --save " + path("m"),
                 "resume: the run had 36 pictures, --batch 8, --seed 1");
  write("m/classes.txt", "0\n");
  expect_refused("look --model " + path("m"), "classes.txt");
}

TEST_F(ImagesCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  // Within an epoch, at its end.
  expect_resuming_changes_no_bit(
      kSmall + "--epochs 3 --dropout 0.3", {2, 5, 7},
      {"rounds", "batches.loader", "sums", "model.head.weight", "optimizer.parameters.0.step"});
}

}  // namespace
