#include "../../nn/module_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../nn/dropout.h"
#include "../../nn/linear.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const nn::Module& module) {
  std::vector<std::string> out;
  for (const auto& entry : module.state_dict()) out.push_back(entry.first);
  return out;
}

TEST(ModuleList, NamesItsModulesByPlace) {
  nn::ModuleListOf<nn::Linear> towers;
  for (Index width = 1; width <= 3; ++width) towers.add(width, 2, false);
  EXPECT_THAT(names(towers), ElementsAre("0.weight", "1.weight", "2.weight"));
  Index width = 0;
  for (const nn::Linear& tower : towers) EXPECT_EQ(tower.weight.size(1), ++width);
  EXPECT_EQ(towers.size(), 3U);
  EXPECT_EQ(&towers[2], towers.children()[2].second);
  EXPECT_ERROR(IndexError, "ModuleList: place 3 is out of range [0, 3)", towers[3]);
}

TEST(ModuleList, TakesSeveralClassesUnderACommonBase) {
  nn::ModuleListOf<nn::Module> parts;
  const nn::Linear& linear = parts.add<nn::Linear>(3, 2);
  parts.add<nn::Dropout>(0.5);
  EXPECT_EQ(&parts[0], &linear);
  EXPECT_EQ(parts.size(), 2U);
}

TEST(ModuleList, TakesLayersAsTheyAreWritten) {
  struct Net : nn::Module {
    nn::ModuleList& layers = child<nn::ModuleList>("layers");
    Net() {
      layers.append(nn::Linear(3, 2));
      layers.push_back(nn::Dropout(0.5));
    }
  } net;
  EXPECT_THAT(names(net), ElementsAre("layers.0.weight", "layers.0.bias"));
  EXPECT_EQ(net.layers.at<nn::Linear>(0)(zeros({5, 3})).shape(), (Shape{5, 2}));
  EXPECT_EQ(net.layers[1].path(), "layers.1");
  EXPECT_ERROR(ValueError, "ModuleList: the module at 1 is of another class",
               net.layers.at<nn::Linear>(1));
  EXPECT_ERROR(IndexError, "ModuleList: place 2 is out of range [0, 2)",
               net.layers.at<nn::Linear>(2));

  nn::ModuleListOf<nn::Linear> towers;
  const nn::Linear& first = towers.append(nn::Linear(3, 5));
  EXPECT_EQ(&towers[0], &first);
}

}  // namespace
}  // namespace heed
