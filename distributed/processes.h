// Processes: runs (train/run.h) that are shared out over a World.
//
//   heed::distributed::World world(argc, argv);
//   heed::distributed::Processes processes(world, {.pieces = 4});   // from here on
//
// Each batch is cut in `pieces`, each process works on its own, and all step alike: with the same
// pieces, 1, 2 and 4 processes end with the same bits. Processes other than the first write no
// files and print nothing while this lives.
#pragma once

#include <memory>

#include "../train/team.h"
#include "gradient_sum.h"
#include "world.h"

namespace heed::distributed {

struct SharingOptions {
  Index pieces = 4;         ///< of each batch; at least as many as processes
  Sums sums = Sums::exact;  ///< or plain: see bucket.h
};

class Processes : public train::Team {
 public:
  /// The world outlives it. One at a time. Throws ValueError for fewer pieces than processes.
  Processes(const World& world, const SharingOptions& options = {});
  ~Processes() override;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  Index rank() const override { return world_.rank(); }
  Index size() const override { return world_.size(); }
  Index pieces() const override { return options_.pieces; }
  std::string setting() const override;
  std::string from_first(const std::string& bytes) override { return world_.broadcast(bytes); }
  std::vector<std::string> gather(const std::string& bytes) override {
    return world_.gather(bytes);
  }
  Share begin(const std::vector<Tensor>& parameters, Index count) override;
  void add(const Tensor& loss, Index piece) override;
  void finish() override;

 private:
  const World& world_;
  SharingOptions options_;
  std::unique_ptr<GradientSum> sum_;
  GradientKinds kinds_;  // of the last step
  int output_ = -1;      // where stdout went before
};

}  // namespace heed::distributed
