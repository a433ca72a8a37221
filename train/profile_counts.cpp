#include "profile_counts.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace heed::train {
namespace {

// Of which session this thread has a number, and which.
thread_local std::uint64_t t_session = 0;
thread_local std::uint32_t t_thread = 0;

std::atomic<std::uint64_t> g_sessions{0};
// Calls count on from profiler to profiler, so that none takes another's for its own.
std::atomic<std::uint32_t> g_calls{1};
constexpr std::uint32_t kMostNotes = 1u << 22;

std::uint32_t index(std::size_t i) { return static_cast<std::uint32_t>(i); }

}  // namespace

double ProfileCounts::now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

ProfileCounts::ProfileCounts(const ProfilerOptions& options)
    : options_(options), session_(++g_sessions), first_call_(g_calls) {
  if (first_call_ > UINT32_MAX / 2) g_calls = first_call_ = 1;
  places_.push_back({});
}

ProfileCounts::~ProfileCounts() { g_calls = first_call_ + index(notes_.size()); }

std::string ProfileCounts::shown(const Place& place) const {
  if (&place == &places_[kNowhere]) return Profiler::kOutside;
  std::string only;
  bool several = false;
  for (const Place& other : places_) {
    if (other.root.empty()) continue;
    several = several || (!only.empty() && other.root != only);
    only = other.root;
  }
  if (place.path.empty()) return place.root;
  return several && !place.root.empty() ? place.root + "." + place.path : place.path;
}

ProfileCounts::Thread& ProfileCounts::here() {
  if (t_session == session_) return threads_[t_thread];
  t_session = session_;
  t_thread = index(threads_.size());
  Thread& thread = threads_.emplace_back();
  thread.number = t_thread + 1;
  thread.last = now();
  std::vector<const Scope*> scopes;
  for (const Scope* scope = Scope::current(); scope; scope = scope->outer()) {
    scopes.push_back(scope);
  }
  for (std::size_t i = scopes.size(); i-- > 0;) {
    const std::uint32_t place = place_of(*scopes[i], thread.open);
    thread.open.push_back({place, thread.last, false});
  }
  return thread;
}

std::uint32_t ProfileCounts::place_of(Place place) {
  const auto [at, fresh] =
      place_index_.try_emplace({place.root, place.path}, index(places_.size()));
  if (fresh) places_.push_back(std::move(place));
  return at->second;
}

std::uint32_t ProfileCounts::place_of(const Scope& scope, const std::vector<Open>& open) {
  std::string path = scope.part().path();
  if (path.empty() && !open.empty()) return open.back().place;  // a part of no tree
  const std::string name = scope.part().class_name();
  std::string root = path.empty() ? name : open.empty() ? "" : places_[open.front().place].root;
  return place_of({std::move(root), std::move(path), name});
}

std::uint32_t ProfileCounts::here_in(const Thread& thread) const {
  return thread.open.empty() ? kNowhere : thread.open.back().place;
}

std::uint32_t ProfileCounts::row_of(std::uint32_t place, const char* op, bool backward) {
  const std::uint64_t key = std::uint64_t{place} << 1 | (backward ? 1 : 0);
  const auto [at, fresh] = row_index_.try_emplace({key, op}, index(rows_.size()));
  if (fresh) rows_.push_back({place, op, backward});
  return at->second;
}

// What passed since the last event belongs to no operator: to the walk over the tape where it runs.
void ProfileCounts::count_gap(Thread& thread, double until) {
  if (thread.running.empty()) {
    const std::uint32_t row =
        row_of(thread.in_pass ? kNowhere : here_in(thread),
               thread.in_pass ? Profiler::kEngine : Profiler::kBetween, thread.in_pass);
    rows_[row].seconds += std::max(0.0, until - thread.last);
  }
  thread.in_pass = false;
  thread.last = until;
}

void ProfileCounts::add_event(const Event& event) {
  if (static_cast<Index>(events_.size()) < options_.most_events) {
    events_.push_back(event);
  } else {
    ++dropped_;
  }
}

std::uint32_t ProfileCounts::shapes_of(const Call& call) {
  if (!options_.shapes || static_cast<Index>(events_.size()) >= options_.most_events) return 0;
  std::string text;
  for (const Array& input : call.inputs) {
    if (input.defined()) text += (text.empty() ? "" : ", ") + describe(input);
  }
  text += " -> ";
  for (const Array& result : call.results) {
    text += (&result == call.results.data() ? "" : ", ") + describe(result);
  }
  const auto [at, fresh] = text_index_.try_emplace(text, index(texts_.size()));
  if (fresh) texts_.push_back(std::move(text));
  return at->second;
}

void ProfileCounts::begins() {
  Thread& thread = here();
  if (thread.begun < 0) thread.begun = now();
}

void ProfileCounts::wrapped() {
  Thread& thread = here();
  const double at = now();
  if (thread.running.empty()) count_gap(thread, at);
  thread.begun = -1;
}

std::uint32_t ProfileCounts::called(const Call& call) {
  const double end = now();
  Thread& thread = here();
  const std::uint32_t place =
      call.in_derivative && !thread.running.empty() ? thread.running.back().place : here_in(thread);
  Note note{place, cost_of(call)};
  if (!call.in_derivative) {
    if (thread.begun >= 0) count_gap(thread, std::max(thread.last, thread.begun));
    Row& row = rows_[row_of(place, call.op, false)];
    const double took = end - thread.last;
    ++row.calls;
    row.seconds += took;
    row.cost.flops += note.cost.forward.flops;
    row.cost.bytes += note.cost.forward.bytes;
    if (!thread.running.empty()) thread.running.back().others += took;
    add_event({Event::Kind::forward, index(static_cast<std::size_t>(&row - rows_.data())),
               thread.number, shapes_of(call), thread.last, took, note.cost.forward.flops});
    thread.in_pass = false;
    thread.last = now();
  }
  thread.begun = -1;
  if (notes_.size() >= kMostNotes) return 0;
  notes_.push_back(std::move(note));
  return first_call_ + index(notes_.size()) - 1;
}

void ProfileCounts::derivative_begins(const Derivative& derivative) {
  Thread& thread = here();
  const double begin = now();
  count_gap(thread, begin);
  thread.begun = -1;
  Running running{0, kNowhere, begin, 0, {}};
  if (derivative.call >= first_call_ && derivative.call - first_call_ < notes_.size()) {
    const Note& note = notes_[derivative.call - first_call_];
    running.place = note.place;
    running.cost = note.cost.shared;
    for (std::size_t i = 0; i < note.cost.inputs.size() && i < derivative.wanted.size(); ++i) {
      if (!derivative.wanted[i]) continue;
      running.cost.flops += note.cost.inputs[i].flops;
      running.cost.bytes += note.cost.inputs[i].bytes;
    }
  }
  running.row = row_of(running.place, derivative.op, true);
  thread.running.push_back(running);
}

void ProfileCounts::derivative_ends() {
  const double end = now();
  Thread& thread = here();
  thread.begun = -1;
  if (thread.running.empty()) return;  // it began before the profiler
  const Running running = thread.running.back();
  thread.running.pop_back();
  Row& row = rows_[running.row];
  const double took = end - running.begin;
  ++row.calls;
  row.seconds += std::max(0.0, took - running.others);
  row.cost.flops += running.cost.flops;
  row.cost.bytes += running.cost.bytes;
  if (!thread.running.empty()) thread.running.back().others += took;
  add_event({Event::Kind::backward, running.row, thread.number, 0, running.begin, took,
             running.cost.flops});
  thread.in_pass = true;
  thread.last = now();
}

void ProfileCounts::entered(const Scope& scope) {
  Thread& thread = here();
  count_gap(thread, now());
  thread.begun = -1;
  const std::uint32_t place = place_of(scope, thread.open);
  const bool counts = !scope.outer() || &scope.outer()->part() != &scope.part();
  if (counts) ++places_[place].calls;
  thread.last = now();
  thread.open.push_back({place, thread.last, counts});
}

void ProfileCounts::left(const Scope&) {
  Thread& thread = here();
  const double end = now();
  count_gap(thread, end);
  thread.begun = -1;
  if (thread.open.empty()) return;
  const Open open = thread.open.back();
  thread.open.pop_back();
  if (open.counts) {
    add_event({Event::Kind::module, open.place, thread.number, 0, open.begin, end - open.begin, 0});
  }
  thread.last = now();
}

}  // namespace heed::train
