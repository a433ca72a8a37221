#include "../../train/profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "../../autograd/backward.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/function.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../../nn/sequential.h"
#include "../io/temporary_folder.h"

namespace heed::train {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Net : nn::Module {
  nn::Linear& first = child<nn::Linear>("first", 5, 7);
  nn::Linear& second = child<nn::Linear>("second", 7, 3);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(second(tanh(first(x))));
  }
};

ProfilerRow find(const Profiler& profiler, const std::string& module, const std::string& op,
                 bool backward) {
  for (const ProfilerRow& row : profiler.rows()) {
    if (row.module == module && row.op == op && row.backward == backward) return row;
  }
  return {};
}

ProfilerModule find(const Profiler& profiler, const std::string& module) {
  for (const ProfilerModule& part : profiler.modules()) {
    if (part.module == module) return part;
  }
  return {};
}

TEST(Profiler, CountsByOperatorAndModuleBothWays) {
  const Net net;
  const Tensor x = ones({2, 5});
  Profiler profiler;
  for (int i = 0; i < 3; ++i) sum(net(x)).backward();
  profiler.stop();
  sum(net(x)).backward();  // is not counted

  const ProfilerRow first = find(profiler, "first", "linear", false);
  EXPECT_EQ(first.calls, 3);
  EXPECT_EQ(first.flops, 3 * (2 * 2 * 5 * 7 + 2 * 7));
  EXPECT_GT(first.seconds, 0);
  const ProfilerRow back = find(profiler, "second", "linear", true);
  EXPECT_EQ(back.calls, 3);
  EXPECT_EQ(back.flops, 3 * (2 * (2 * 2 * 7 * 3) + 2 * 3));
  // x wants no gradient
  EXPECT_EQ(find(profiler, "first", "linear", true).flops, 3 * (2 * 2 * 5 * 7 + 2 * 7));
  EXPECT_EQ(find(profiler, "Net", "tanh", false).calls, 3);
  EXPECT_EQ(find(profiler, "Net", "tanh", true).calls, 3);
  EXPECT_EQ(find(profiler, Profiler::kOutside, "sum", false).calls, 3);
  EXPECT_EQ(find(profiler, Profiler::kOutside, "sum", true).calls, 3);
  // What a derivative calls is a part of it.
  EXPECT_EQ(find(profiler, "second", "matmul", false).calls, 0);

  EXPECT_EQ(find(profiler, "Net").calls, 3);
  EXPECT_EQ(find(profiler, "Net").class_name, "Net");
  EXPECT_EQ(find(profiler, "first").calls, 3);
  const ProfilerModule net_row = find(profiler, "Net");
  EXPECT_GE(net_row.forward, find(profiler, "first").forward + find(profiler, "second").forward);
  EXPECT_GE(net_row.forward + net_row.backward, net_row.self);
}

TEST(Profiler, SplitsAllTheTime) {
  const Net net;
  Profiler profiler;
  for (int i = 0; i < 50; ++i) sum(net(ones({2, 5}))).backward();
  profiler.stop();
  double all = 0;
  for (const ProfilerRow& row : profiler.rows()) {
    EXPECT_GE(row.seconds, 0) << row.op;
    all += row.seconds;
  }
  EXPECT_GT(all, 0);
  EXPECT_LE(all, profiler.seconds());
}

TEST(Profiler, CountsASecondRunOfACheckpoint) {
  const Net net;
  const Tensor x = ones({2, 5}).set_requires_grad();
  Profiler profiler;
  sum(checkpoint([&](const Tensor& in) { return net(in); }, x)).backward();
  profiler.stop();
  EXPECT_EQ(find(profiler, "first", "linear", false).calls, 2);
  EXPECT_EQ(find(profiler, "first", "linear", true).calls, 1);
  EXPECT_EQ(find(profiler, Profiler::kOutside, "checkpoint", true).calls, 1);
}

TEST(Profiler, CountsRecordedDerivativesForTheirModule) {
  const Net net;
  const Tensor x = ones({2, 5}).set_requires_grad();
  Profiler profiler;
  const Tensor g = grad({sum(net(x))}, {x}, {}, {.create_graph = true})[0];
  sum(g * g).backward();
  profiler.stop();
  EXPECT_GE(find(profiler, "second", "matmul", true).calls, 1);
}

TEST(Profiler, TellsModelsApartByTheirClasses) {
  const Net net;
  const nn::Sequential other(nn::layer<nn::Linear>(3, 2));
  Profiler profiler;
  other(net(ones({2, 5})));
  profiler.stop();
  EXPECT_EQ(find(profiler, "Net.first", "linear", false).calls, 1);
  EXPECT_EQ(find(profiler, "Sequential.0", "linear", false).calls, 1);
  EXPECT_EQ(find(profiler, "Sequential").calls, 1);
  EXPECT_GE(find(profiler, "Sequential").forward, find(profiler, "Sequential.0").forward);
}

TEST(Profiler, CountsRegionsAndThreads) {
  const Net net;
  Profiler profiler;
  std::thread([&] {
    const Region region("other");
    ones({3}) + 1;
  }).join();
  {
    const Region region("preparing");
    EXPECT_STREQ(ValueError("bad").what(), "preparing: bad");
    const Region inside("noise");
    ones({3}) + 1;
  }
  profiler.stop();
  EXPECT_EQ(find(profiler, "other", "add", false).calls, 1);
  EXPECT_EQ(find(profiler, "preparing.noise", "add", false).calls, 1);
  EXPECT_EQ(find(profiler, "preparing").calls, 1);
}

TEST(Profiler, BeginsInTheMidstOfAModule) {
  const Net net;
  const Scope scope(net);
  Profiler profiler;
  tanh(net.first(ones({2, 5})));
  profiler.stop();
  EXPECT_EQ(find(profiler, "first", "linear", false).calls, 1);
  EXPECT_EQ(find(profiler, "Net", "tanh", false).calls, 1);
}

TEST(Profiler, KnowsNothingOfWhatRanBefore) {
  const Net net;
  const Tensor early = sum(net(ones({2, 5})));
  {
    Profiler other;
    sum(net(ones({2, 5})));
  }
  Profiler profiler;
  early.backward();
  profiler.stop();
  EXPECT_EQ(find(profiler, Profiler::kOutside, "linear", true).calls, 2);
}

TEST(Profiler, PrintsTables) {
  const Net net;
  Profiler profiler;
  sum(net(ones({2, 5}))).backward();
  profiler.stop();
  const std::string table = profiler.table();
  EXPECT_THAT(table, HasSubstr("operator                 pass       calls         ms"));
  EXPECT_THAT(table, testing::ContainsRegex("\nlinear +forward +2 "));
  EXPECT_THAT(table, testing::ContainsRegex("\nlinear +backward +2 "));
  EXPECT_THAT(table, testing::ContainsRegex("\nall +forward +4 "));
  EXPECT_THAT(table, testing::ContainsRegex("\nfirst +Linear +1 "));
  EXPECT_THAT(profiler.table(1), HasSubstr("... and "));
}

TEST(Profiler, WritesATrace) {
  const Net net;
  const TemporaryFolder folder;
  Profiler profiler;
  sum(net(ones({2, 5}))).backward();
  profiler.stop();
  profiler.save_trace(folder / "trace.json");
  const json trace = json::parse(TemporaryFolder::get(folder / "trace.json"));
  std::map<std::string, int> kinds;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    ++kinds[event.at("cat")];
    EXPECT_GE(event.at("dur").get<double>(), 0);
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_EQ(event.at("tid"), 1);
    if (event.at("name") == "linear" && event.at("cat") == "forward" &&
        event.at("args").at("module") == "first") {
      EXPECT_EQ(event["args"]["shapes"], "f32[2, 5], f32[7, 5], f32[7] -> f32[2, 7]");
      EXPECT_EQ(event["args"]["flop"], 2 * 2 * 5 * 7 + 2 * 7);
    }
  }
  EXPECT_EQ(kinds["forward"], 4);
  EXPECT_EQ(kinds["backward"], 4);
  EXPECT_EQ(kinds["module"], 3);
  EXPECT_EQ(trace.at("otherData").at("droppedEvents"), 0);
  EXPECT_THROW(profiler.save_trace(folder / "none/trace.json"), IoError);
}

TEST(Profiler, KeepsOnlySoManyEvents) {
  const Tensor x = ones({3});
  Profiler profiler({.most_events = 5, .shapes = false});
  for (int i = 0; i < 11; ++i) x + x;
  profiler.stop();
  const json trace = json::parse(profiler.trace());
  EXPECT_EQ(trace.at("traceEvents").size(), 6U);
  EXPECT_EQ(trace.at("otherData").at("droppedEvents"), 6);
  EXPECT_EQ(find(profiler, Profiler::kOutside, "add", false).calls, 11);
}

TEST(Profiler, IsAloneAtWork) {
  const Profiler profiler;
  EXPECT_THROW(Profiler second, ValueError);
}

TEST(Profiler, ChangesNoNumbers) {
  const Net net;
  const Tensor x = ones({2, 5});
  const double before = sum(net(x)).item();
  const Profiler profiler;
  EXPECT_EQ(sum(net(x)).item(), before);
}

}  // namespace
}  // namespace heed::train
