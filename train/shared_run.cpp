// What a run that is shared with other processes does in its own way: see team.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../autograd/ops/elementwise/elementwise.h"
#include "../core/error.h"
#include "../data/dealt.h"
#include "../io/saved_module.h"
#include "interrupt.h"
#include "piece_state.h"
#include "run.h"
#include "run_state.h"
#include "team.h"

namespace heed::train {
namespace {

// A piece's loss as the others hear of it.
struct Piece {
  double index, shown, weight;
};

// Of `cuts` pieces of batch number `taken` of the step, this process's.
data::Cutting cutting_of(const Team::Share& share, Index taken, Index cuts) {
  data::Cutting out{cuts, std::clamp(share.first - taken * cuts, Index{0}, cuts),
                    std::clamp(share.last - taken * cuts, Index{0}, cuts)};
  const bool of_one = share.first < share.last && share.first / cuts == (share.last - 1) / cuts;
  out.from = of_one ? share.first % cuts : 0;
  out.to = of_one ? (share.last - 1) % cuts + 1 : cuts;
  return out;
}

constexpr const char* kMessage = "what another process said";

}  // namespace

bool Run::shared_step(Batches& batches, const Moment& at, bool& end_of_pass) {
  const PrecisionScope scope(options_.precision);
  State& s = *state_;
  const Index cuts = team_->pieces(), count = cuts * options_.accumulate;
  const Team::Share share = team_->begin(parameters(), count);
  PieceState found(model_, carried_);
  io::TrainingState said;
  std::vector<Piece> mine;
  std::vector<Figures> also;
  Index taken = 0;
  std::vector<Index> rows;  // of the last batch
  for (; taken < options_.accumulate; ++taken) {
    const data::Cutting cutting = cutting_of(share, taken, cuts);
    rows.clear();
    if (!batches.next_pieces(cutting, rows)) {
      end_of_pass = true;
      break;
    }
    if (taken == 0) begin_step(at);
    for (Index k = cutting.first; k < cutting.last; ++k) {
      if (rows[static_cast<std::size_t>(k)] == 0) continue;
      const Index m = taken * cuts + k;
      found.begin(m);
      const Loss loss = batches.piece_loss(at, k);
      if (!loss.tensor.defined()) {
        throw ValueError(
            "run: a function that steps by itself cannot be shared out among processes");
      }
      const auto size = static_cast<double>(rows[static_cast<std::size_t>(k)]);
      const double weight = loss.weight.value_or(size);
      check_weight(weight);
      team_->add(loss.tensor * weight, m);
      mine.push_back({static_cast<double>(m),
                      std::isnan(loss.shown) ? loss.tensor.item() : loss.shown, weight});
      check_figures(loss.also);
      also.push_back(loss.also);
    }
  }
  said.put("stop", std::int64_t{interrupted()});
  said.put("rows", std::accumulate(rows.begin(), rows.end(), Index{0}));
  said.put("pieces", mine);
  for (std::size_t i = 0; i < also.size(); ++i)
    put_figures(said, fmt::format("also{}", i), also[i]);
  // Everybody's, in the order of the pieces.
  std::vector<std::pair<Piece, Figures>> everybodys;
  Index last_rows = 0;
  s.stop = false;
  for (const std::string& each : team_->gather(said.encode())) {
    const auto state = io::TrainingState::decode(each, kMessage);
    s.stop = s.stop || state.count("stop") > 0;
    last_rows += state.count("rows");
    std::vector<Piece> pieces;
    state.get("pieces", pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      everybodys.emplace_back(pieces[i], figures_of(state, fmt::format("also{}", i)));
  }
  // First, also where an error follows: gradients are on their way to the others.
  if (!everybodys.empty()) team_->finish();
  Sums sums;
  for (const auto& [piece, figures] : everybodys) {
    if (piece.weight > 0) sums.loss += piece.shown * piece.weight;
    sums.weight += piece.weight;
    add_also(figures, piece.weight);
  }
  std::string last;  // of what pieces left
  for (const std::string& each : team_->gather(mine.empty() ? "" : found.left())) {
    if (!each.empty()) last = each;
  }
  found.end(last);
  if (!end_of_pass && last_rows == 0) {  // of data in parts nobody alone knows the end
    end_of_pass = true;
    batches.end_pass();
  }
  if (everybodys.empty()) return false;
  if (!(sums.weight > 0)) {
    throw ValueError(
        fmt::format("run: the pieces of a step weigh {} together, not more than 0", sums.weight));
  }
  s.step_loss = sums.loss / sums.weight;
  s.sums.loss += sums.loss;
  s.sums.weight += sums.weight;
  scale_gradients(parameters(), 1 / sums.weight);
  return true;
}

// Where the batches stand, as all know it.
optim::NamedArrays Run::shared_place() const {
  io::TrainingState mine;
  mine.put("batches", state_->place());
  const std::vector<std::string> all = team_->gather(mine.encode());
  if (std::count(all.begin(), all.end(), all[0]) == std::ssize(all)) return state_->place();
  std::vector<optim::NamedArrays> places;
  places.reserve(all.size());
  for (const std::string& each : all) {
    places.push_back(io::TrainingState::decode(each, kMessage).arrays("batches"));
  }
  return data::joined_places(places);
}

// What was seen at the validation data, by all in parts or by the first, and what of it stays:
// figures, and where the generators and what is carried stand.
Figures Run::shared_look() {
  std::string found;
  Figures figures;
  if (look_at_) figures = shared_parts();
  if (team_->first()) {
    if (validate_ && !look_at_) figures = validate_();
    io::TrainingState state;
    put_figures(state, "figures", figures);
    state.put("random", default_generator());
    for (const Carried& each : carried_) each.put(state);
    found = state.encode();
  }
  const auto state = io::TrainingState::decode(team_->from_first(found), kMessage);
  state.get("random", default_generator());
  for (const Carried& each : carried_) each.get(state);
  return figures_of(state, "figures");
}

// The first's weights, everywhere.
void Run::share_weights() {
  const std::string weights = team_->from_first(team_->first() ? io::encode_weights(model_) : "");
  if (team_->first()) return;
  nn::NamedTensors entries;
  for (const auto& [name, array] :
       io::decode_safetensors(weights, kMessage, io::ReadBf16::as_it_is).arrays)
    entries.emplace_back(name, array);
  model_.load_state_dict(entries);
}

}  // namespace heed::train
