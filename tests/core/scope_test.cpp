#include "../../core/scope.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace heed {
namespace {

class Named final : public Part {
 public:
  explicit Named(std::string path) : path_(std::move(path)) {}
  std::string path() const override { return path_; }
  std::string class_name() const override { return "Named"; }

 private:
  std::string path_;
};

TEST(Scope, IsTheInnermostUntilItEnds) {
  const Named outer("encoder"), inner("encoder.norm");
  EXPECT_EQ(Scope::current(), nullptr);
  EXPECT_EQ(Scope::path(), "");
  {
    const Scope one(outer);
    EXPECT_EQ(Scope::current(), &one);
    EXPECT_EQ(one.outer(), nullptr);
    {
      const Scope two(inner);
      EXPECT_EQ(Scope::path(), "encoder.norm");
      EXPECT_EQ(two.outer(), &one);
      EXPECT_EQ(&two.part(), &inner);
    }
    EXPECT_EQ(Scope::current(), &one);
    EXPECT_EQ(Scope::path(), "encoder");
  }
  EXPECT_EQ(Scope::current(), nullptr);
}

TEST(Scope, EndsWithAnException) {
  const Named part("a");
  EXPECT_THROW(
      {
        const Scope scope(part);
        throw std::runtime_error("b");
      },
      std::runtime_error);
  EXPECT_EQ(Scope::path(), "");
}

TEST(Scope, OfAPartWithoutAPathIsItsOuterOnes) {
  const Named whole(""), part("a");
  const Scope one(part), two(whole);
  EXPECT_EQ(Scope::path(), "a");
}

TEST(Scope, IsOfItsOwnThread) {
  const Named part("a");
  const Scope scope(part);
  std::string elsewhere = "none";
  std::thread([&] { elsewhere = Scope::path(); }).join();
  EXPECT_EQ(elsewhere, "");
}

}  // namespace
}  // namespace heed
