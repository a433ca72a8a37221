// Profiler: where the time of a training step goes, by operator and by module, forward and
// backward apart, with calls, bytes and floating-point operations (flops.h says how these are
// counted).
//
//   train::Profiler profiler;
//   for (int i = 0; i < 3; ++i) step();
//   profiler.stop();                      // or its end; nothing is counted from then on
//   fmt::print("{}", profiler.table());
//   profiler.save_trace("trace.json");    // for ui.perfetto.dev or chrome://tracing
//
// Time of an operator runs from the look at its operands until its result is there. What lies
// between operators (shapes, views, an optimizer's step, the loading of data) is a row of its own.
// A derivative counts for the module that ran forward. Modules are named by their paths where they
// open a Scope, as all of ours do; Region names any other part of a program. All threads are
// counted; their times add up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../core/scope.h"

namespace heed::train {

struct ProfilerOptions {
  /// Of these the trace consists; of what comes later the tables know.
  Index most_events = 1'000'000;
  /// Shapes of operands and results in the trace.
  bool shapes = true;
};

/// What was counted for one operator in one module.
struct ProfilerRow {
  std::string module;  ///< its path; see Profiler::rows()
  std::string op;      ///< "matmul"; Profiler::kBetween and kEngine for what is none
  bool backward = false;
  Index calls = 0;
  double seconds = 0, flops = 0, bytes = 0;
};

/// What was counted for one module.
struct ProfilerModule {
  std::string module, class_name;
  Index calls = 0;
  double self = 0;                   ///< seconds in its own operators, both ways
  double forward = 0, backward = 0;  ///< seconds with all modules in it
  double flops = 0;                  ///< the same
};

class Profiler {
 public:
  static constexpr const char* kBetween = "(between operators)";
  static constexpr const char* kEngine = "(backward pass)";
  static constexpr const char* kOutside = "(no module)";

  /// Begins. Throws ValueError while another profiler or a summary is at work.
  explicit Profiler(const ProfilerOptions& options = {});
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  void stop();
  /// From the beginning to the stop, or to now.
  double seconds() const;

  /// Largest time first. A root module has its class for a path ("Transformer"); where there are
  /// several roots, all paths begin with theirs. What no module did is kOutside's.
  std::vector<ProfilerRow> rows() const;
  std::vector<ProfilerModule> modules() const;
  /// Two tables, operators and modules, each with its `most` rows of the largest time.
  std::string table(std::size_t most = 30) const;

  /// The trace as JSON, in the format of Chrome's about:tracing.
  std::string trace() const;
  /// The same into a file, atomically. Throws IoError.
  void save_trace(const std::string& path) const;

 private:
  std::unique_ptr<class ProfileCounts> counts_;
  std::unique_ptr<Observer::Installed> installed_;
  double begun_, ended_ = -1;
};

/// Names a part of a program that is no module, for profiles and for errors.
///
///   const train::Region region("augmentation");
class Region final : public heed::Part {  // train has a Part of its own
 public:
  explicit Region(const std::string& name) : path_(placed(name)), scope_(*this) {}
  std::string path() const override { return path_; }
  std::string class_name() const override { return "Region"; }

 private:
  static std::string placed(const std::string& name) {
    const std::string above = Scope::path();
    return above.empty() ? name : above + "." + name;
  }

  std::string path_;
  Scope scope_;
};

}  // namespace heed::train
