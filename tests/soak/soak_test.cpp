// A small training that goes on and on: steps, validation, checkpoints, reports. Memory and the
// time of a step must be the same at the end as near the beginning. The suite looks at memory over
// a few thousand steps; HEED_SOAK_STEPS asks for as many steps as it says, and for times too
// (scripts/soak).
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "../../attention/mechanisms/pooling/pooling.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../core/allocator.h"
#include "../../core/generator.h"
#include "../../io/model_directory.h"
#include "../../io/saved_module.h"
#include "../../io/training_state.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../train/chart.h"
#include "../../train/report.h"
#include "../io/temporary_folder.h"

namespace heed {
namespace {

constexpr Index kWords = 101, kBatch = 4, kLength = 7, kClasses = 3;
constexpr Index kEpoch = 1000;      // steps between checkpoints
constexpr Index kValidation = 100;  // steps between validations
constexpr Index kReport = 10;       // epochs between reports

struct Reader : nn::Module {
  nn::Embedding& words = child<nn::Embedding>("words", kWords, 8);
  nn::Dropout& dropout = child<nn::Dropout>("dropout", 0.1);
  nn::GRU& gru =
      child<nn::GRU>("gru", nn::GRUOptions{.input = 8, .hidden = 5, .bidirectional = true});
  attention::AttentionPooling& pool = child<attention::AttentionPooling>("pool", 10);
  nn::Linear& out = child<nn::Linear>("out", 10, kClasses);
  Tensor operator()(const Tensor& ids, const std::vector<Index>& lengths) const {
    const Tensor h = gru(dropout(words(ids)), lengths).output;
    return out(pool(h, attention::Mask::lengths(lengths, ids.size(1))).context);
  }
};

class Training {
 public:
  explicit Training(const TemporaryFolder& folder) : folder_(folder) {}

  void step() {
    model_.train();
    const Batch batch = draw(words_);
    adam_.zero_grad();
    cross_entropy(model_(batch.ids, batch.lengths), batch.labels).backward();
    optim::clip_grad_norm(model_.parameters(), 1);
    adam_.step();
    ++steps_;
    if (steps_ % kValidation == 0) validate();
    if (steps_ % kEpoch == 0) end_epoch();
  }
  /// Of an embedding's rows as many are held as the last batch had words.
  void forget_gradients() { adam_.zero_grad(); }

 private:
  struct Batch {
    Tensor ids, labels;
    std::vector<Index> lengths;
  };

  // Texts of all lengths, whose class is that of their first word.
  static Batch draw(Generator& generator) {
    Batch out;
    for (Index i = 0; i < kBatch; ++i) out.lengths.push_back(1 + generator.below(kLength));
    const Index longest = *std::max_element(out.lengths.begin(), out.lengths.end());
    Array ids = Array::zeros({kBatch, longest}, DType::i64);
    Array labels = Array::zeros({kBatch}, DType::i64);
    for (Index i = 0; i < kBatch; ++i) {
      for (Index t = 0; t < out.lengths[static_cast<std::size_t>(i)]; ++t) {
        const Index word = generator.below(kWords);
        ids.mutable_data<std::int64_t>()[i * longest + t] = word;
        if (t == 0) labels.mutable_data<std::int64_t>()[i] = word % kClasses;
      }
    }
    out.ids = ids;
    out.labels = labels;
    return out;
  }

  void validate() {
    model_.eval();
    const NoGrad scope;
    Generator generator(7);
    loss_ = 0;
    for (int i = 0; i < 4; ++i) {
      const Batch batch = draw(generator);
      loss_ += cross_entropy(model_(batch.ids, batch.lengths), batch.labels).item() / 4;
    }
  }

  void end_epoch() {
    curve_.x.push_back(static_cast<double>(steps_));
    curve_.y.push_back(loss_);
    io::TrainingState state(model_, adam_);
    state.put("steps", static_cast<std::int64_t>(steps_));
    io::save_directory(folder_ / "model", {{io::kWeightsFile, io::encode_weights(model_)},
                                           {io::kTrainingFile, state.encode()}});
    io::TrainingState::read(folder_ / "model").restore(model_, adam_);
    if (steps_ / kEpoch % kReport != 0) return;
    train::Report report("Soak");
    report.add_fact("steps", std::to_string(steps_));
    report.add_chart(train::line_chart({curve_}, {}));
    report.save(folder_ / "report.html");
  }

  const TemporaryFolder& folder_;
  Reader model_;
  optim::Adam adam_{model_.parameters()};
  Generator words_{3};
  Index steps_ = 0;
  double loss_ = 0;
  train::Series curve_{.name = "loss", .x = {}, .y = {}};
};

// Kilobytes in memory now.
long resident() {
  long size = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> size >> pages;
  return pages * (::sysconf(_SC_PAGESIZE) / 1024);
}

double user_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// What each of `windows` equal parts of the steps ended with.
struct Soaked {
  std::vector<long> kilobytes;
  std::vector<double> seconds;  // of user time, a step
  MemoryStats early, late;      // after the first window and at the end
};

Soaked soak(Index steps, Index windows) {
  manual_seed(1);
  const TemporaryFolder folder;
  Training training(folder);
  Soaked out;
  const Index each = steps / windows;
  for (Index window = 0; window < windows; ++window) {
    const double begin = user_seconds();
    for (Index i = 0; i < each; ++i) training.step();
    out.seconds.push_back((user_seconds() - begin) / static_cast<double>(each));
    out.kilobytes.push_back(resident());
    std::fprintf(stderr, "%lld steps: %ld kB, %.1f us\n",
                 static_cast<long long>((window + 1) * each), out.kilobytes.back(),
                 1e6 * out.seconds.back());
    training.forget_gradients();
    if (window == 0) out.early = memory_stats();
  }
  out.late = memory_stats();
  return out;
}

TEST(Soak, MemoryIsFlatOverSomeThousandSteps) {
  const Soaked soaked = soak(8 * kEpoch, 4);
  EXPECT_EQ(soaked.late.live_bytes, soaked.early.live_bytes);
  EXPECT_EQ(soaked.late.live_tensors, soaked.early.live_tensors);
  EXPECT_EQ(soaked.late.live_nodes, soaked.early.live_nodes);
  EXPECT_EQ(soaked.late.system_allocations, soaked.early.system_allocations);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(soaked.kilobytes[3], soaked.kilobytes[1] * 101 / 100);
#endif
}

TEST(Soak, MemoryAndTimeAreFlat) {
  const char* asked = std::getenv("HEED_SOAK_STEPS");
  if (asked == nullptr) GTEST_SKIP() << "HEED_SOAK_STEPS does not say how many steps";
  const Index steps = std::max<Index>(std::atoll(asked), 40 * kEpoch);
  const Soaked soaked = soak(steps, 40);
  // The first windows warm caches up; a report comes every ten epochs.
  const std::vector<double> early(soaked.seconds.begin() + 2, soaked.seconds.begin() + 12);
  const std::vector<double> late(soaked.seconds.end() - 10, soaked.seconds.end());
  const long begin = soaked.kilobytes[2], end = soaked.kilobytes.back();
  const double memory = 100.0 * static_cast<double>(end - begin) / static_cast<double>(begin);
  const double time = 100 * (median(late) / median(early) - 1);
  std::printf(
      "%lld steps: %.1f MB after a twentieth, %.1f MB at the end (%+.2f %%); "
      "%.1f us a step at first, %.1f us in the end (%+.2f %%)\n",
      static_cast<long long>(steps), static_cast<double>(begin) / 1024,
      static_cast<double>(end) / 1024, memory, 1e6 * median(early), 1e6 * median(late), time);
  EXPECT_LE(memory, 1);
  EXPECT_LE(time, 5);
}

}  // namespace
}  // namespace heed
