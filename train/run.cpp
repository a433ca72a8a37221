#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "curves.h"
#include "interrupt.h"
#include "progress.h"
#include "report.h"
#include "run_state.h"
#include "team.h"

namespace heed::train {
namespace {

constexpr const char* kNone = "a pass over the batches gave none";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What decides on bits besides the setting: how batches are cut, and the pieces' sums made.
constexpr const char* kSharing = "sharing";
std::string sharing_of(const Team* team) {
  return team ? team->setting() : "batches in one piece, not shared out";
}

void check_goes_on(const std::string& before, const std::string& now) {
  if (before == now) return;
  throw ValueError(fmt::format("resume: the run had {}: it goes on with the same only, not with {}",
                               before, now));
}

}  // namespace

Run::Run(nn::Module& model, optim::Optimizer& optimizer, RunOptions options)
    : model_(model),
      optimizer_(optimizer),
      options_(checked(std::move(options))),
      team_(team()),
      state_(std::make_unique<State>()) {
  if (team_ && !team_->first()) options_.quiet = true;
  for (std::size_t g = 0; g < optimizer.group_count(); ++g) {
    state_->first_rates.push_back(optimizer.lr(g));
  }
  if (options_.average > 1) {
    state_->mean = std::make_unique<optim::MeanOfLast>(model.parameters(), options_.average);
  }
  if (options_.ema > 0) {
    state_->ema = std::make_unique<optim::EMA>(model.parameters(), options_.ema);
  }
}

Run::~Run() = default;

Run& Run::schedule(optim::Rate rate, Per per) {
  rate_ = [rate = std::move(rate), per](const Moment& moment, double first) {
    return rate(first, per == Per::step ? moment.step : moment.epoch);
  };
  return *this;
}

Run& Run::schedule(std::function<double(const Moment&)> rate) {
  rate_ = [rate = std::move(rate)](const Moment& moment, double) { return rate(moment); };
  return *this;
}

Run& Run::files(std::function<io::DirectoryFiles()> files) {
  files_ = std::move(files);
  return *this;
}

Run& Run::each_round(std::function<void(const Training&)> call) {
  each_round_ = std::move(call);
  return *this;
}

Run& Run::log(std::shared_ptr<Log> log) {
  check(log != nullptr, "the log is none");
  logs_.push_back(std::move(log));
  return *this;
}

bool Run::stopped() const {
  return (team_ ? state_->stop : interrupted()) ||
         (options_.stop_after > 0 && state_->steps >= options_.stop_after);
}

bool Run::finished() const {
  const auto& rounds = state_->training.rounds;
  if (options_.patience > 0 && !rounds.empty()) {
    const Index since = static_cast<Index>(rounds.size()) - 1 - state_->training.best(wanted());
    if (since >= options_.patience) return true;
  }
  return options_.steps > 0 ? state_->steps >= options_.steps : state_->epochs >= options_.epochs;
}

std::vector<Wanted> Run::wanted() const {
  if (!options_.keep.empty()) return options_.keep;
  const Figures& figures = state_->training.rounds.front().figures;
  const auto trainings_own = [&](const Figure& figure) {
    const auto same = [&](const Figure& other) { return other.name == figure.name; };
    return &figure == figures.data() || std::any_of(state_->also.begin(), state_->also.end(), same);
  };
  const auto validated = std::find_if_not(figures.begin(), figures.end(), trainings_own);
  return {lowest(validate_ && validated != figures.end() ? validated->name : figures[0].name)};
}

// To the next look; false when it was stopped before.
bool Run::round(Batches& batches) {
  State& s = *state_;
  model_.train();
  const bool by_pass = options_.every == 0;
  const Index begin = s.steps;
  Index end = by_pass ? 0 : (begin / options_.every + 1) * options_.every;
  if (options_.steps > 0) end = std::min(end, options_.steps);
  Index total = end - begin;
  if (by_pass) {
    const Index left = std::max<Index>(batches.count() - batches.index(), 0);
    total = (left + options_.accumulate - 1) / options_.accumulate;
  }
  std::optional<Progress> progress;
  if (total > 0 && !options_.quiet) {
    progress.emplace(by_pass ? fmt::format("epoch {}/{}", s.epochs + 1, options_.epochs)
                     : options_.steps > 0 ? fmt::format("steps to {}/{}", end, options_.steps)
                                          : fmt::format("steps to {}", end),
                     total);
  }
  Index passes_of_nothing = 0;
  double before = now();
  for (;;) {
    if (stopped()) return false;
    bool end_of_pass = false;
    const Index steps = s.steps;
    step(batches, end_of_pass);
    passes_of_nothing = s.steps > steps ? 0 : passes_of_nothing + 1;
    check(passes_of_nothing < 2, kNone);
    const double after = now();
    s.sums.seconds += after - before;
    before = after;
    if (progress && s.steps > steps) progress->update(s.steps - begin, s.sums.loss / s.sums.weight);
    const bool through = options_.epochs > 0 && s.epochs >= options_.epochs;
    if (by_pass ? end_of_pass : through || s.steps == end) return true;
    if (options_.save_every > 0 && s.steps > steps && s.steps % options_.save_every == 0) {
      keep(s.training.rounds.empty(), files_());
      before = now();
    }
  }
}

// At the validation data, with the average of the weights; keeps them if they are the best.
void Run::look() {
  State& s = *state_;
  Round made{s.steps, s.epochs, s.sums.seconds, {{"train loss", s.sums.loss / s.sums.weight}}};
  for (Figure figure : s.also) {
    figure.value /= s.sums.weight;
    made.figures.push_back(std::move(figure));
  }
  if (s.mean) s.mean->take();
  s.swap();
  io::DirectoryFiles judged;
  bool best = false;
  try {
    const NoGrad scope;
    model_.eval();
    if (validate_) {
      const Figures found = team_ ? shared_look() : validate_();
      for (const Figure& each : found) made.figures.push_back({each.name, each.value, each.digits});
    }
    check_figures(made.figures);
    s.training.rounds.push_back(std::move(made));
    best = s.training.best(wanted()) + 1 == static_cast<Index>(s.training.rounds.size()) ||
           options_.last;
    if (!options_.out.empty()) judged = files_();
    if (best && options_.out.empty()) {
      s.best = model_.state_dict();
      for (auto& [name, tensor] : s.best) tensor = Tensor(tensor.array().clone());
    }
  } catch (...) {
    s.swap();
    throw;
  }
  s.swap();  // the folder gets what was judged, the state goes on with what was trained
  if (!options_.quiet) {
    const bool by_epoch = options_.every == 0;
    fmt::print("{}\n", to_line(s.training.rounds.back(), by_epoch ? "epoch" : "step"));
    std::fflush(stdout);
  }
  s.sums = {};
  for (Figure& figure : s.also) figure.value = 0;
  log_round();  // first: a round that counts as done has been logged
  keep(best, std::move(judged));
  write_report(finished() ? 0 : 10);
  if (each_round_) each_round_(s.training);
}

void Run::log_round() {
  for (const auto& log : logs_) {
    for (const Figure& figure : state_->training.rounds.back().figures) {
      log->scalar(state_->steps, figure.name, figure.value);
    }
  }
}

void Run::write_report(int refresh) {
  const Training& training = state_->training;
  if (options_.report.empty() || training.rounds.empty()) return;
  Report report("Training");
  report.refresh(refresh);
  add_curves(report, training, options_.every == 0 ? "epoch" : "step");
  report.save(options_.report);
}

// Going on from a state, logs keep what they hold of its steps: that must be all.
void Run::keep(bool best, io::DirectoryFiles files) {
  for (const auto& log : logs_) log->flush();
  if (!options_.out.empty()) io::save_training(options_.out, encode(), std::move(files), best);
}

std::string Run::encode() const {
  const State& s = *state_;
  io::TrainingState state(model_, optimizer_);
  state.put("setting", options_.setting);
  state.put(kSharing, sharing_of(team_));
  state.put("steps", s.steps);
  state.put("epochs", s.epochs);
  state.put("batches", team_ ? shared_place() : s.place());
  state.put("sums", s.sums);
  put_figures(state, "also", s.also);
  s.training.put(state);
  put_carried(state);
  return state.encode();
}

void Run::put_carried(io::TrainingState& state) const {
  const State& s = *state_;
  if (s.mean) state.put("average", s.mean->state_dict());
  if (s.ema) state.put("average", s.ema->state_dict());
  for (const Carried& each : carried_) each.put(state);
}

void Run::restore(Batches& batches) {
  State& s = *state_;
  const auto state =
      team_
          ? io::TrainingState::decode(
                team_->from_first(
                    team_->first() ? io::read_from_directory(options_.out, io::kTrainingFile) : ""),
                options_.out + "/" + io::kTrainingFile)
          : io::TrainingState::read(options_.out);
  check_goes_on(state.text("setting"), options_.setting);
  // States of earlier versions say nothing of it.
  if (state.has_text(kSharing)) check_goes_on(state.text(kSharing), sharing_of(team_));
  const Index steps = state.count("steps"), epochs = state.count("epochs");
  if (options_.steps > 0 && steps > options_.steps) {
    throw ValueError(
        fmt::format("resume: the run has {} steps already, more than {}", steps, options_.steps));
  }
  Training training;
  training.get(state);
  Sums sums;
  state.get("sums", sums);
  Figures also = figures_of(state, "also");
  const auto read = [&](const io::TrainingState& from) {
    if (s.mean) s.mean->load_state_dict(from.arrays("average"));
    if (s.ema) s.ema->load_state_dict(from.arrays("average"));
    for (const Carried& each : carried_) each.get(from);
    batches.restore(from.arrays("batches"));
  };
  io::TrainingState there;
  there.put("batches", s.place());
  put_carried(there);
  const auto before = io::TrainingState::decode(there.encode(), "what there was");
  try {
    io::blaming(state.path(), [&] { read(state); });
    state.restore(model_, optimizer_);
  } catch (...) {
    read(before);
    throw;
  }
  s.steps = steps;
  s.epochs = epochs;
  s.sums = sums;
  s.training = std::move(training);
  s.also = std::move(also);
  s.also_known = steps > 0;
}

// The weights that were kept, wherever they are.
void Run::end() {
  if (!state_->training.rounds.empty()) {
    if (!options_.out.empty()) {
      if (!team_ || team_->first()) io::load_weights(options_.out, model_);
      if (team_) share_weights();
    } else if (!state_->best.empty()) {
      model_.load_state_dict(state_->best);
    }
  }
  model_.eval();
}

Training Run::go(Batches& batches) {
  check(!batches.endless || options_.steps > 0, "batches without end want `steps`, not epochs");
  if (!files_) {
    files_ = [this] { return io::DirectoryFiles{{io::kWeightsFile, io::encode_weights(model_)}}; };
  }
  state_->place = batches.state;
  if (team_) meet(batches);
  if (options_.resume) {
    restore(batches);
    for (const auto& log : logs_) log->resume(state_->steps);
  }
  const InterruptGuard guard;
  const Index begun = state_->steps;
  while (!finished()) {
    if (round(batches)) {
      const auto& rounds = state_->training.rounds;
      const bool any = state_->steps > (rounds.empty() ? 0 : rounds.back().step);
      check(any || options_.every > 0, kNone);
      if (any) look();
    } else {
      state_->training.interrupted = true;
      // Before the first look the folder gets the model as it is: one that it has of another run
      // may be of other settings, to which the state would not fit.
      if (state_->steps > begun) {
        keep(state_->training.rounds.empty(),
             options_.out.empty() ? io::DirectoryFiles{} : files_());
      }
      write_report(0);
      break;
    }
  }
  // Also where a signal came as the last round was looked at or saved.
  if (team_ ? state_->stop : interrupted()) state_->training.interrupted = true;
  end();
  return state_->training;
}

}  // namespace heed::train
