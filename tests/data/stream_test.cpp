#include "../../data/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::UnorderedElementsAreArray;

using Words = std::vector<std::string>;

struct Lines {
  std::shared_ptr<std::ifstream> file;
  bool operator()(std::string& out) const { return static_cast<bool>(std::getline(*file, out)); }
};
Lines open(const std::string& path) { return {std::make_shared<std::ifstream>(path)}; }
Words same(Words lines) { return lines; }

class Stream : public testing::Test {
 protected:
  Stream() {
    for (int f = 0; f < 3; ++f) {
      std::string text;
      for (int i = 0; i < 5 + f; ++i) {
        words_.push_back(std::to_string(f) + "." + std::to_string(i));
        text += words_.back() + "\n";
      }
      files_.push_back(std::make_unique<TemporaryFile>(text));
      paths_.push_back(files_.back()->path());
    }
  }
  Words words_;
  std::vector<std::unique_ptr<TemporaryFile>> files_;
  std::vector<std::string> paths_;
};

Words pass(Loader<Words>& loader) {
  Words out;
  while (const auto batch = loader.next()) out.insert(out.end(), batch->begin(), batch->end());
  return out;
}

TEST_F(Stream, ReadsEachItemOnceAPass) {
  auto plain = streamed<std::string>(paths_, open, same, {.size = 4, .buffer = 1});
  EXPECT_EQ(pass(plain), words_);
  EXPECT_EQ(pass(plain), words_);
  auto loader = streamed<std::string>(paths_, open, same, {.size = 4, .buffer = 7});
  const Words first = pass(loader), second = pass(loader);
  EXPECT_THAT(first, UnorderedElementsAreArray(words_));
  EXPECT_THAT(second, UnorderedElementsAreArray(words_));
  EXPECT_NE(first, words_);
  EXPECT_NE(first, second);
}

TEST_F(Stream, GoesOnInTheMiddle) {
  for (const Index prefetch : {0, 2}) {
    const StreamOptions options{.size = 4, .buffer = 7, .prefetch = prefetch, .seed = 5};
    auto loader = streamed<std::string>(paths_, open, same, options);
    pass(loader);
    loader.next();
    loader.next();
    const auto state = loader.state_dict();
    const Words rest = pass(loader);
    auto resumed = streamed<std::string>(paths_, open, same, options);
    resumed.load_state_dict(state);
    EXPECT_EQ(pass(resumed), rest);
    EXPECT_EQ(pass(resumed), pass(loader));
  }
}

TEST_F(Stream, RefusesWhatMakesNoSense) {
  EXPECT_ERROR_WITH(ValueError, "there are no files", streamed<std::string>({}, open, same));
  EXPECT_ERROR_WITH(ValueError, "size 32 and buffer 0 must be positive",
                    streamed<std::string>(paths_, open, same, {.buffer = 0}));
}

}  // namespace
}  // namespace heed::data
