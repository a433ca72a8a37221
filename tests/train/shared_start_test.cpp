// What processes compare before a run that they share, in one process: the second says what the
// first says, but for one word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/version.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"
#include "lone_team.h"

namespace heed::train {
namespace {

// A second process that has `other` where the first has `word`.
class Pair : public LoneTeam {
 public:
  Pair(std::string word, std::string other)
      : LoneTeam(2), word_(std::move(word)), other_(std::move(other)) {}
  std::vector<std::string> gather(const std::string& bytes) override {
    const std::size_t at = bytes.find(word_);
    if (at == std::string::npos) return {bytes, bytes};
    return {bytes, bytes.substr(0, at) + other_ + bytes.substr(at + word_.size())};
  }

 private:
  std::string word_, other_;
};

void train(const RunOptions& options) {
  nn::Linear layer(3, 2);
  optim::SGD sgd(layer.parameters(), {.lr = 0.1});
  const std::vector<Index> set(7);
  data::Loader batches(set,
                       [](const std::vector<Index>& rows) {
                         return Tensor(Array::full({std::ssize(rows), 3}, 1, DType::f32));
                       },
                       {.size = 5});
  Run run(layer, sgd, options);
  run(batches, [&](const Tensor& x) { return mean(square(layer(x))); });
}

TEST(SharedStart, NamesOtherLibraries) {
  const RunOptions options{.epochs = 1, .quiet = true};
  const BuildInfo built = build_info();
  const std::string heed =
      fmt::format("heed {}, {}, {}, products {} ({})", built.version, built.compiler,
                  built.build_type, built.blas, built.blas_kernel);
  for (const std::string& part :
       {"heed " + built.version, built.compiler, built.blas, "(" + built.blas_kernel + ")"}) {
    const Pair team(part, "another");
    std::string other = heed;
    other.replace(heed.find(part), part.size(), "another");
    EXPECT_ERROR(ValueError, "run: process 1 has " + other + ", process 0 has " + heed,
                 train(options));
  }
}

TEST(SharedStart, NamesWhoHasNoFolder) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  RunOptions options{.epochs = 1, .quiet = true};
  {
    const Pair team("no folder", "a folder");
    EXPECT_ERROR_WITH(ValueError,
                      "its state, a folder, process 0 has to begin without its state, "
                      "no folder",
                      train(options));
  }
  options.out = folder / "m";
  const Pair team("a folder", "no folder");
  EXPECT_ERROR_WITH(ValueError,
                    "its state, no folder, process 0 has to begin without its state, "
                    "a folder",
                    train(options));
}

}  // namespace
}  // namespace heed::train
