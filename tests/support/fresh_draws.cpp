// Linked into every program of tests: each test begins with the default generator as a process does,
// so that none depends on what others before it have drawn.
#include <gtest/gtest.h>

#include "../../core/generator.h"

namespace heed {
namespace {

class FreshDraws : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { manual_seed(0); }
};

[[maybe_unused]] const bool listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new FreshDraws);  // which owns it
  return true;
}();

}  // namespace
}  // namespace heed
