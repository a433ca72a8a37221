// A Team of one process, which has all pieces to itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../train/team.h"

namespace heed::train {

class LoneTeam : public Team {
 public:
  explicit LoneTeam(Index pieces, std::string setting = "as ever")
      : pieces_(pieces), setting_(std::move(setting)) {
    set_team(this);
  }
  ~LoneTeam() override { set_team(nullptr); }
  LoneTeam(const LoneTeam&) = delete;
  LoneTeam& operator=(const LoneTeam&) = delete;

  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  Index pieces() const override { return pieces_; }
  std::string setting() const override { return setting_; }
  std::string from_first(const std::string& bytes) override { return bytes; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  Share begin(const std::vector<Tensor>& parameters, Index count) override {
    for (Tensor parameter : parameters) parameter.zero_grad();
    return {0, count};
  }
  void add(const Tensor& loss, Index) override { loss.backward(); }
  void finish() override {}

 private:
  Index pieces_;
  std::string setting_;
};

}  // namespace heed::train
