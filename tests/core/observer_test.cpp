// What an observer hears, and when.
#include "../../core/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "../../core/error.h"
#include "../../core/scope.h"
#include "../support/named_part.h"
#include "../support/throws.h"

namespace heed {
namespace {

struct Notes final : Observer {
  std::vector<std::string> heard;
  bool throws = false;
  void entered(const Scope& scope) override {
    if (throws) throw std::runtime_error("entered");
    heard.push_back("in " + scope.part().path() + " of [" + Scope::path() + "]");
  }
  void left(const Scope& scope) override {
    if (throws) throw std::runtime_error("left");
    heard.push_back("out " + scope.part().path() + " of [" + Scope::path() + "]");
  }
};

TEST(Observer, HearsOfScopesWhileInstalled) {
  const NamedPart outer("a"), inner("a.b");
  Notes notes;
  {
    const Scope before(outer);
    EXPECT_FALSE(observed());
    const Observer::Installed installed(notes);
    EXPECT_TRUE(observed());
    { const Scope scope(inner); }
  }
  EXPECT_FALSE(observed());
  { const Scope after(outer); }
  EXPECT_THAT(notes.heard, testing::ElementsAre("in a.b of [a]", "out a.b of [a.b]"));
}

TEST(Observer, IsAlone) {
  Notes first, second;
  const Observer::Installed installed(first);
  EXPECT_ERROR(ValueError, "observer: another profiler or summary is at work",
               const Observer::Installed other(second));
  EXPECT_TRUE(observed());
}

TEST(Observer, LeavesNoScopeOpenWhenItThrows) {
  const NamedPart part("a");
  Notes notes;
  const Observer::Installed installed(notes);
  {
    const Scope scope(part);
    notes.throws = true;
  }  // what left() throws is dropped
  EXPECT_EQ(Scope::current(), nullptr);
  EXPECT_THROW(Scope again(part), std::runtime_error);
  EXPECT_EQ(Scope::current(), nullptr);
}

TEST(Observer, MayGoWhileOthersTell) {
  const NamedPart part("a");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) const Scope scope(part);
  });
  for (int i = 0; i < 200; ++i) {
    Notes notes;
    const Observer::Installed installed(notes);
    std::this_thread::yield();
  }
  stop = true;
  other.join();
}

TEST(Scope, PutsItsPathBeforeErrorsOfAnyType) {
  const NamedPart part("a.b");
  const Scope scope(part);
  EXPECT_STREQ(ShapeError("add: no").what(), "a.b: add: no");
  EXPECT_STREQ(OutOfMemory("no").what(), "a.b: no");
  EXPECT_STREQ(FormatError("f.txt", 3, "bad").what(), "a.b: f.txt: at byte 3: bad");
  EXPECT_STREQ(FormatError("f.txt", 3, "bad").message(), "f.txt: at byte 3: bad");
  const Error copy = ValueError("no");
  EXPECT_EQ(copy.where(), "a.b");
}

TEST(Scope, PassesOverPartsWithoutAPath) {
  const NamedPart outer("a"), none("");
  const Scope first(outer), second(none);
  EXPECT_EQ(Scope::path(), "a");
  EXPECT_EQ(second.outer(), &first);
}

TEST(Scope, KeepsAForeignNameOnOneLine) {
  const NamedPart part("a\nb");
  const Scope scope(part);
  EXPECT_STREQ(ValueError("no").what(), "a\\nb: no");
  EXPECT_STREQ(ValueError("no").message(), "no");
}

}  // namespace
}  // namespace heed
