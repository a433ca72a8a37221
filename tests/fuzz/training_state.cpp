#include "../../io/training_state.h"

#include "checks.h"
#include "learner.h"
#include "targets.h"

namespace heed::fuzz {

void training_state(std::string_view input) {
  static const std::string kPath = "f";
  const MemoryBound bound = {.fixed = 1 << 16, .factor = 200};
  Learner model;
  optim::Adam adam({model.weight, model.bias});
  const auto bits = [&] { return io::TrainingState(model, adam).encode(); };
  const std::string before = bits();
  std::string text;
  std::vector<double> figures;
  const bool accepted = accepts({kPath}, input.size(), bound, [&] {
    const auto state = io::TrainingState::decode(input, kPath);
    require(state.encode() == io::TrainingState::decode(state.encode(), "g").encode(),
            "a state reads back equal");
    require(state.count("steps", 3, 7) >= 3 && state.count("steps", 3, 7) <= 7, "ranges hold");
    text = state.text("kind");
    state.get("figures", figures);
    state.restore(model, adam);
  });
  if (!accepted) {
    require(bits() == before, "what is refused changes nothing");
    return;
  }
  require(text.size() <= 1000, "a text is a line");
  const std::string after = bits();
  io::TrainingState::decode(after, "g").restore(model, adam);
  require(bits() == after, "a training goes on from where it was");
}

}  // namespace heed::fuzz
