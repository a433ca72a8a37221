// What a run looks at between its rounds.
#include <fmt/format.h>

#include "../core/error.h"
#include "run.h"
#include "run_state.h"
#include "team.h"

namespace heed::train {
namespace {

constexpr const char* kMessage = "what another process saw";

struct Weight {
  double value;
};

// Sums of parts, in their order.
class Means {
 public:
  void add(const Figures& figures, double weight) {
    check(weight > 0, fmt::format("a part of the validation weighs {}, not more than 0", weight));
    if (weight_ == 0) {
      sums_ = figures;
      for (Figure& each : sums_) each.value = 0;
    }
    check(same_names(figures, sums_), "each part of the validation must give the same figures");
    for (std::size_t i = 0; i < figures.size(); ++i) {
      sums_[i].value += figures[i].value * weight;
      sums_[i].digits = figures[i].digits;
    }
    weight_ += weight;
  }
  Figures of_all() {
    for (Figure& each : sums_) each.value /= weight_;
    return std::move(sums_);
  }

 private:
  Figures sums_;
  double weight_ = 0;
};

}  // namespace

Run& Run::validate(std::function<Figures()> look) {
  validate_ = std::move(look);
  look_at_ = nullptr;
  return *this;
}

Run& Run::validate(Index count, std::function<Part(Index)> look) {
  check(count > 0, fmt::format("{} parts to validate must be positive", count));
  part_count_ = count;
  look_at_ = std::move(look);
  validate_ = [this] {
    Means means;
    for (Index i = 0; i < part_count_; ++i) {
      const Part part = look_at_(i);
      means.add(part.figures, part.weight);
    }
    return means.of_all();
  };
  return *this;
}

// Part i is looked at by process i modulo their number.
Figures Run::shared_parts() {
  const Index size = team_->size();
  io::TrainingState mine;
  for (Index i = team_->rank(); i < part_count_; i += size) {
    const Part part = look_at_(i);
    put_figures(mine, std::to_string(i), part.figures);
    mine.put("weight" + std::to_string(i), Weight{part.weight});
  }
  std::vector<io::TrainingState> all;
  for (const std::string& each : team_->gather(mine.encode())) {
    all.push_back(io::TrainingState::decode(each, kMessage));
  }
  Means means;
  for (Index i = 0; i < part_count_; ++i) {
    const io::TrainingState& who = all[static_cast<std::size_t>(i % size)];
    Weight weight{};
    who.get("weight" + std::to_string(i), weight);
    means.add(figures_of(who, std::to_string(i)), weight.value);
  }
  return means.of_all();
}

}  // namespace heed::train
