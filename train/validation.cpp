// What a run looks at between its rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "run.h"
#include "run_state.h"
#include "team.h"

namespace heed::train {
namespace {

constexpr const char* kMessage = "what another process saw";

struct Weight {
  double value = 1;
};

// Sums of parts, in their order. A mean of nothing is 0.
class Means {
 public:
  void add(const Part& part) {
    check(part.weight > 0 && std::isfinite(part.weight),
          fmt::format("a part of the validation weighs {}, not more than 0", part.weight));
    if (!std::exchange(begun_, true)) {
      for (const Figure& each : part.figures) sums_.push_back({each.name, 0, each.digits, 0});
    }
    check(same_names(part.figures, sums_),
          "each part of the validation must give the same figures");
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Figure& each = part.figures[i];
      check(each.weight >= 0 && std::isfinite(each.weight),
            fmt::format("the figure {} of a part of the validation weighs {}", in_quotes(each.name),
                        each.weight));
      if (each.weight == 0) continue;
      sums_[i].value += each.value * (part.weight * each.weight);
      sums_[i].weight += part.weight * each.weight;
      sums_[i].digits = each.digits;
    }
  }
  Figures of_all(const std::function<Figures(const Figures&)>& finish) {
    for (Figure& each : sums_) {
      if (each.weight > 0) each.value /= each.weight;
    }
    return finish ? finish(sums_) : std::move(sums_);
  }

 private:
  Figures sums_;
  bool begun_ = false;
};

}  // namespace

Run& Run::validate(std::function<Figures()> look) {
  validate_ = std::move(look);
  look_at_ = nullptr;
  return *this;
}

Index Run::parts_of(Index examples, Index size) {
  check(size > 0, fmt::format("parts of {} examples to validate must be positive", size));
  return examples / size + (examples % size != 0 ? 1 : 0);
}

Run& Run::validate(Index count, std::function<Part(Index)> look,
                   std::function<Figures(const Figures&)> finish) {
  check(count > 0, fmt::format("{} parts to validate must be positive", count));
  part_count_ = count;
  look_at_ = std::move(look);
  finish_ = std::move(finish);
  validate_ = [this] {
    Means means;
    for (Index i = 0; i < part_count_; ++i) means.add(look_at_(i));
    return means.of_all(finish_);
  };
  return *this;
}

Run& Run::validate(Index examples, Index size, std::function<Part(const std::vector<Index>&)> look,
                   std::function<Figures(const Figures&)> finish) {
  return validate(
      parts_of(examples, size),
      [=, look = std::move(look)](Index i) {
        std::vector<Index> numbers(static_cast<std::size_t>(std::min(size, examples - i * size)));
        std::iota(numbers.begin(), numbers.end(), i * size);
        return look(numbers);
      },
      std::move(finish));
}

// Part i is looked at by process i modulo their number.
Figures Run::shared_parts() {
  const Index size = team_->size();
  io::TrainingState mine;
  for (Index i = team_->rank(); i < part_count_; i += size) {
    const Part part = look_at_(i);
    std::vector<Weight> weights{{part.weight}};
    for (const Figure& each : part.figures) weights.push_back({each.weight});
    put_figures(mine, std::to_string(i), part.figures);
    mine.put("weights" + std::to_string(i), weights);
  }
  std::vector<io::TrainingState> all;
  for (const std::string& each : team_->gather(mine.encode())) {
    all.push_back(io::TrainingState::decode(each, kMessage));
  }
  Means means;
  for (Index i = 0; i < part_count_; ++i) {
    const io::TrainingState& who = all[static_cast<std::size_t>(i % size)];
    Part part{figures_of(who, std::to_string(i))};
    std::vector<Weight> weights;  // the part's own first
    who.get("weights" + std::to_string(i), weights);
    part.weight = weights.at(0).value;
    for (std::size_t k = 0; k < part.figures.size(); ++k) {
      part.figures[k].weight = weights.at(k + 1).value;
    }
    means.add(part);
  }
  return means.of_all(team_->first() ? finish_ : nullptr);
}

}  // namespace heed::train
