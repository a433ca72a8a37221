// What a Profiler hears, counted: time by operator and module, and a list of events for the trace.
// On each thread time is cut into pieces, each of which belongs to one operator, one derivative, or
// the gap between two. Internal to train.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../core/scope.h"
#include "flops.h"
#include "profiler.h"

namespace heed::train {

class ProfileCounts final : public Observer {
 public:
  explicit ProfileCounts(const ProfilerOptions& options);
  ~ProfileCounts();

  /// Seconds of the steady clock.
  static double now();

  struct Place {
    std::string root;  // the class of the model; empty for what was called by itself
    std::string path, class_name;
    Index calls = 0;
  };
  struct Row {
    std::uint32_t place;
    std::string op;
    bool backward;
    Index calls = 0;
    double seconds = 0;
    Cost cost = {};
  };
  struct Event {
    enum class Kind : std::uint8_t { forward, backward, module } kind;
    std::uint32_t of;      // a row, or a place
    std::uint32_t thread;  // from 1 on
    std::uint32_t shapes;  // a text; 0 is none
    double begin, seconds;
    double flops;
  };
  static constexpr std::uint32_t kNowhere = 0;  // the place outside of all modules

  const std::vector<Place>& places() const { return places_; }
  const std::vector<Row>& all_rows() const { return rows_; }
  const std::vector<Event>& events() const { return events_; }
  const std::string& text(std::uint32_t i) const { return texts_[i]; }
  Index dropped() const { return dropped_; }
  /// Under which name a place is shown.
  std::string shown(const Place& place) const;

  void begins() override;
  void wrapped() override;
  std::uint32_t called(const Call& call) override;
  void derivative_begins(const Derivative& derivative) override;
  void derivative_ends() override;
  void entered(const Scope& scope) override;
  void left(const Scope& scope) override;

 private:
  struct Open {  // a module that runs
    std::uint32_t place;
    double begin;
    bool counts;  // not one more function of the same module
  };
  struct Running {  // a derivative
    std::uint32_t row, place;
    double begin, others;  // seconds of what ran in it and is counted on its own
    Cost cost;
  };
  struct Thread {
    std::uint32_t number;
    double last;        // until when everything is counted
    double begun = -1;  // since when an operator looks at its operands
    bool in_pass = false;
    std::vector<Open> open;
    std::vector<Running> running;
  };
  struct Note {
    std::uint32_t place;
    CallCost cost;
  };

  Thread& here();
  std::uint32_t place_of(const Scope& scope, const std::vector<Open>& open);
  std::uint32_t place_of(Place place);
  std::uint32_t here_in(const Thread& thread) const;
  std::uint32_t row_of(std::uint32_t place, const char* op, bool backward);
  void count_gap(Thread& thread, double until);
  void add_event(const Event& event);
  std::uint32_t shapes_of(const Call& call);

  ProfilerOptions options_;
  std::uint64_t session_;
  std::uint32_t first_call_;
  std::vector<Place> places_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> place_index_;
  std::vector<Row> rows_;
  std::map<std::pair<std::uint64_t, const char*>, std::uint32_t> row_index_;
  std::deque<Note> notes_;
  std::deque<Thread> threads_;
  std::vector<Event> events_;
  std::vector<std::string> texts_{""};
  std::unordered_map<std::string, std::uint32_t> text_index_;
  Index dropped_ = 0;
};

}  // namespace heed::train
