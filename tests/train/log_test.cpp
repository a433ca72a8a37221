// CsvLog and JsonLog, and what every Log refuses.
#include "../../train/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "../../core/error.h"
#include "../../io/read_only.h"
#include "../../train/csv_log.h"
#include "../../train/json_log.h"
#include "../../train/spread.h"
#include "../../train/tensorboard.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(CsvLog, HasARowAStepAndAColumnAName) {
  const TemporaryFolder folder;
  const std::string path = folder / "deep/er/log.csv";
  CsvLog log(path);
  log.scalar(100, "loss", 0.6931);
  log.scalar(200, "loss", 0.1);
  EXPECT_EQ(TemporaryFolder::get(path), "step,loss\n100,0.6931\n");
  log.scalar(200, "accuracy", 0.83);
  log.scalar(200, "loss", 0.25);  // the later one stands
  log.text(200, "sample", "dropped");
  log.histogram(200, "weights", tensor({1, 2}, {2}));
  log.image(200, "picture", Picture(2, 3));
  log.scalar(300, "accuracy", kNan);
  log.scalar(300, "loss, \"all\"", -kInf);
  log.flush();
  EXPECT_EQ(TemporaryFolder::get(path),
            "step,loss,accuracy,\"loss, \"\"all\"\"\"\n"
            "100,0.6931,,\n"
            "200,0.25,0.83,\n"
            "300,,nan,-inf\n");
}

TEST(CsvLog, GoesOnAfterTheStep) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  {
    CsvLog log(path);
    for (int step = 0; step < 5; ++step) log.scalar(step, "a, b", step / 4.0);
  }  // writes the last row
  {
    CsvLog log(path);
    log.resume(2);
    log.scalar(3, "a, b", 7);
    log.scalar(3, "more", 8);
  }
  EXPECT_EQ(TemporaryFolder::get(path), "step,\"a, b\",more\n0,0,\n1,0.25,\n2,0.5,\n3,7,8\n");
  {
    TemporaryFolder::put(path, TemporaryFolder::get(path) + "4,1");  // cut short by a crash
    CsvLog log(path);
    log.resume(11);
    log.scalar(12, "more", 1);
  }
  EXPECT_EQ(TemporaryFolder::get(path),
            "step,\"a, b\",more\n0,0,\n1,0.25,\n2,0.5,\n3,7,8\n12,,1\n");
  {
    CsvLog log(path);  // of another run
    log.scalar(1, "x", 1);
  }
  EXPECT_EQ(TemporaryFolder::get(path), "step,x\n1,1\n");
}

// Flushed as its step goes on, or taken up again.
TEST(CsvLog, AStepIsOneRow) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  {
    CsvLog log(path);
    log.scalar(1, "loss", 0.5);
    log.scalar(2, "loss", 0.25);
    log.flush();
    log.scalar(2, "loss", 0.125);
    log.flush();
    EXPECT_EQ(TemporaryFolder::get(path), "step,loss\n1,0.5\n2,0.125\n");
    log.scalar(2, "more", 7);
  }
  EXPECT_EQ(TemporaryFolder::get(path), "step,loss,more\n1,0.5,\n2,0.125,7\n");
  CsvLog log(path);
  log.resume(2);
  log.scalar(2, "more", 8);
  log.scalar(3, "more", 9);
  log.flush();
  EXPECT_EQ(TemporaryFolder::get(path), "step,loss,more\n1,0.5,\n2,0.125,8\n3,,9\n");
}

TEST(CsvLog, NanHasNoSign) {
  const TemporaryFolder folder;
  CsvLog log(folder / "log.csv");
  log.scalar(1, "loss", -kNan);
  log.scalar(1, "other", std::copysign(kNan, -1.0));
  log.flush();
  EXPECT_EQ(TemporaryFolder::get(folder / "log.csv"), "step,loss,other\n1,nan,nan\n");
}

TEST(CsvLog, AColumnThatCouldNotBeWrittenComesWithTheNextRow) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv", aside = folder / "aside.csv";
  CsvLog log(path);
  log.scalar(1, "loss", 2);
  log.flush();
  std::filesystem::rename(path, aside);
  std::filesystem::create_directory(path);
  log.scalar(2, "accuracy", 0.5);
  EXPECT_THROW(log.flush(), IoError);
  std::filesystem::remove(path);
  std::filesystem::rename(aside, path);
  log.flush();
  EXPECT_EQ(TemporaryFolder::get(path), "step,loss,accuracy\n1,2,\n2,,0.5\n");
}

TEST(CsvLog, RefusesAFileThatIsNoLog) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "a.csv", "name,b\n1,2\n");
  TemporaryFolder::put(folder / "b.csv", "step,b\n1,2\nx,3\n");
  EXPECT_ERROR_WITH(FormatError, "a.csv:1: the first column is no step",
                    CsvLog(folder / "a.csv").resume(1));
  EXPECT_ERROR_WITH(FormatError, "b.csv:3: no row of this log", CsvLog(folder / "b.csv").resume(1));
  EXPECT_EQ(TemporaryFolder::get(folder / "b.csv"), "step,b\n1,2\nx,3\n");
  TemporaryFolder::put(folder / "d.csv", "step,b,b\n1,2,3\n");
  EXPECT_ERROR_WITH(FormatError, "d.csv:1: a column is there twice",
                    CsvLog(folder / "d.csv").resume(1));
  EXPECT_THROW(CsvLog(folder / "c.csv").scalar(1, "step", 2), ValueError);
}

TEST(JsonLog, HasAnObjectAStep) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  {
    JsonLog log(path);
    log.scalar(100, "loss", 0.5);
    log.text(100, "a \"sample\"", "line\none");
    log.scalar(200, "loss", kNan);
    log.scalar(200, "rate", kInf);
    log.histogram(200, "w", tensor({1, kNan, 5}, {3}));
    log.image(200, "picture", Picture(2, 3));
  }
  EXPECT_EQ(TemporaryFolder::get(path),
            "{\"step\":100,\"loss\":0.5,\"a \\\"sample\\\"\":\"line\\none\"}\n"
            "{\"step\":200,\"loss\":null,\"rate\":null,\"w\":{\"count\":2,\"mean\":3,"
            "\"std\":2,\"min\":1,\"max\":5}}\n");
  {
    TemporaryFolder::put(path, TemporaryFolder::get(path) + "{\"step\":3");
    JsonLog log(path);
    log.resume(100);
    log.scalar(101, "loss", 0.25);
  }
  EXPECT_EQ(TemporaryFolder::get(path),
            "{\"step\":100,\"loss\":0.5,\"a \\\"sample\\\"\":\"line\\none\"}\n"
            "{\"step\":101,\"loss\":0.25}\n");
  TemporaryFolder::put(path, "{\"step\":1}\n[]\n");
  EXPECT_ERROR_WITH(FormatError, "log.jsonl:2: no line of this log", JsonLog(path).resume(1));
  EXPECT_THROW(JsonLog(path).scalar(1, "step", 2), ValueError);
}

// Objects of an object as JsonLog writes them, and nothing deeper: what is kept is written anew.
TEST(JsonLog, RefusesLinesThatItNeverWrote) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const std::string& line :
       {R"({"step":1,"x":)" + deep + "}", std::string(R"({"step":1,"x":{"y":{}}})"),
        std::string(R"({"step":1,"x":[2]})"), std::string(R"({"step":1,"a":2,"a":3})"),
        std::string(R"({"step":1.5})"), std::string(R"({"step":"1"})"), std::string(R"({"a":1})"),
        std::string("{\"step\":1,\"\xff\":2}"), std::string(R"({"step":99999999999999999999})")}) {
    TemporaryFolder::put(path, "{\"step\":0}\n" + line + "\n");
    EXPECT_ERROR_WITH(FormatError, "log.jsonl:2: no line of this log", JsonLog(path).resume(1))
        << line.substr(0, 40);
  }
}

TEST(JsonLog, WritesAStepAnewAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  const std::string row =
      R"({"step":7,"a":null,"b":1e+300,"c":3,"d":0.1,"e":"x\u0000\"","f":true,"g":{},)"
      R"("w":{"count":2,"mean":-0.5}})";
  TemporaryFolder::put(path, "{\"step\":5,\"a\":1}\n" + row + "\n");
  {
    JsonLog log(path);
    log.resume(7);
    log.scalar(7, "more", -0.0);
  }
  EXPECT_EQ(TemporaryFolder::get(path),
            "{\"step\":5,\"a\":1}\n" + row.substr(0, row.size() - 1) + ",\"more\":0}\n");
}

TEST(JsonLog, AStepIsOneObject) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  {
    JsonLog log(path);
    log.scalar(1, "loss", 0.5);
    log.scalar(2, "loss", 0.25);
    log.flush();
    log.text(2, "a sample", "x\ty");
    log.flush();
  }
  const std::string both =
      "{\"step\":1,\"loss\":0.5}\n{\"step\":2,\"loss\":0.25,\"a sample\":\"x\\ty\"";
  EXPECT_EQ(TemporaryFolder::get(path), both + "}\n");
  JsonLog log(path);
  log.resume(2);
  log.scalar(2, "validation", 3);
  log.flush();
  EXPECT_EQ(TemporaryFolder::get(path), both + ",\"validation\":3}\n");
}

std::vector<std::unique_ptr<Log>> all_kinds(const TemporaryFolder& folder) {
  std::vector<std::unique_ptr<Log>> logs;
  logs.push_back(std::make_unique<CsvLog>(folder / "log.csv"));
  logs.push_back(std::make_unique<JsonLog>(folder / "log.jsonl"));
  logs.push_back(std::make_unique<TensorBoard>(folder / "board"));
  return logs;
}

TEST(Log, RefusesBadInput) {
  const TemporaryFolder folder;
  for (const auto& log : all_kinds(folder)) {
    EXPECT_ERROR(ValueError, "scalar \"loss\": step -1 is negative", log->scalar(-1, "loss", 1));
    for (const std::string name : {"", "a\nb", "a\x1b[31m", "\xff", "a\x7f", "\xc2\x85"}) {
      EXPECT_ERROR_WITH(ValueError, "is no name: it must be UTF-8", log->scalar(1, name, 1));
    }
    EXPECT_ERROR(ValueError, "text \"sample\": it is not UTF-8", log->text(1, "sample", "\xff"));
    EXPECT_THROW(log->image(1, "picture", Picture(0, 3)), ValueError);
    EXPECT_THROW(log->histogram(1, "none", Tensor()), GradError);
    EXPECT_THROW(log->resume(-1), ValueError);
    log->scalar(1, "größe/æ 1", 1);
    EXPECT_ERROR(ValueError, "resume: something was logged already", log->resume(1));
  }
}

TEST(Log, SaysWhatCannotBeWritten) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "file", "");
  EXPECT_THROW(CsvLog(folder / "file/log.csv"), IoError);
  EXPECT_THROW(JsonLog(folder / "file/log.jsonl"), IoError);
  EXPECT_THROW(TensorBoard(folder / "file"), IoError);
  EXPECT_THROW(TensorBoard(folder / "file/board"), IoError);
  EXPECT_THROW(CsvLog(folder.path().string()), IoError);
  EXPECT_THROW(TensorBoard("/proc/none"), IoError);
}

TEST(Log, ResumesWhatIsNotThere) {
  const TemporaryFolder folder;
  for (const auto& log : all_kinds(folder)) {
    log->resume(5);
    log->scalar(6, "loss", 1);
    log->flush();
  }
  EXPECT_EQ(TemporaryFolder::get(folder / "log.csv"), "step,loss\n6,1\n");
  EXPECT_EQ(TemporaryFolder::get(folder / "log.jsonl"), "{\"step\":6,\"loss\":1}\n");
}

// As those that share a training and see another disk than the one that writes.
TEST(Log, NothingIsReadOrMadeByOneThatMayNotWrite) {
  const TemporaryFolder folder;
  CsvLog open(folder / "open.csv");
  open.scalar(1, "loss", 1);
  open.flush();
  io::set_read_only(true);
  for (const auto& log : all_kinds(folder)) {
    std::filesystem::remove(folder / "open.csv");
    EXPECT_NO_THROW(log->resume(5));
    EXPECT_NO_THROW(log->scalar(6, "loss", 1));
    EXPECT_NO_THROW(log->flush());
    EXPECT_NO_THROW(open.scalar(7, "more", 1));  // a new column
    EXPECT_NO_THROW(open.flush());
  }
  io::set_read_only(false);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Spread, CountsIntoBins) {
  const Spread spread = spread_of(Array::from(std::vector<double>{0, 1, 2, 3, 4, kNan, kInf}), 2);
  EXPECT_EQ(spread.count, 5);
  EXPECT_EQ(spread.least, 0);
  EXPECT_EQ(spread.most, 4);
  EXPECT_EQ(spread.sum, 10);
  EXPECT_EQ(spread.sum_of_squares, 30);
  EXPECT_THAT(spread.limits, testing::ElementsAre(2, 4));
  EXPECT_THAT(spread.counts, testing::ElementsAre(2, 3));
  EXPECT_THAT(spread_of(Array::full({3}, 7, DType::i64)).counts, testing::ElementsAre(3));
  EXPECT_EQ(spread_of(Array::full({3}, kNan, DType::f32)).count, 0);
  EXPECT_EQ(spread_of(Array()).count, 0);
  const double huge = std::numeric_limits<double>::max();
  const Spread wide = spread_of(Array::from(std::vector<double>{-huge, 0, huge}), 3);
  EXPECT_THAT(wide.counts, testing::ElementsAre(1, 1, 1));
  EXPECT_EQ(wide.limits.back(), huge);
  EXPECT_THROW(spread_of(Array(), 0), ValueError);
}

}  // namespace
}  // namespace heed::train
