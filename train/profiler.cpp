#include "profiler.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profile_counts.h"

namespace heed::train {

Profiler::Profiler(const ProfilerOptions& options)
    : counts_(std::make_unique<ProfileCounts>(options)),
      installed_(std::make_unique<Observer::Installed>(*counts_)),
      begun_(ProfileCounts::now()) {}

Profiler::~Profiler() = default;

void Profiler::stop() {
  if (!installed_) return;
  ended_ = ProfileCounts::now();
  installed_.reset();
}

double Profiler::seconds() const { return (installed_ ? ProfileCounts::now() : ended_) - begun_; }

std::vector<ProfilerRow> Profiler::rows() const {
  // One model may have been called by itself and as a part of another: one path, two places.
  std::map<std::tuple<std::string, std::string, bool>, ProfilerRow> merged;
  for (const ProfileCounts::Row& row : counts_->all_rows()) {
    const std::string module = counts_->shown(counts_->places()[row.place]);
    ProfilerRow& to = merged[{module, row.op, row.backward}];
    to.module = module;
    to.op = row.op;
    to.backward = row.backward;
    to.calls += row.calls;
    to.seconds += row.seconds;
    to.flops += row.cost.flops;
    to.bytes += row.cost.bytes;
  }
  std::vector<ProfilerRow> out;
  out.reserve(merged.size());
  for (auto& entry : merged) out.push_back(std::move(entry.second));
  std::stable_sort(out.begin(), out.end(), [](const ProfilerRow& a, const ProfilerRow& b) {
    return a.seconds > b.seconds;
  });
  return out;
}

std::vector<ProfilerModule> Profiler::modules() const {
  std::map<std::string, ProfilerModule> found;
  for (const ProfileCounts::Place& place : counts_->places()) {
    const std::string name = counts_->shown(place);
    ProfilerModule& at = found[name];
    at.module = name;
    at.class_name = place.class_name;
    at.calls += place.calls;
  }
  for (const ProfileCounts::Row& row : counts_->all_rows()) {
    const ProfileCounts::Place& place = counts_->places()[row.place];
    const auto count = [&](const std::string& name) {
      const auto at = found.find(name);
      if (at == found.end()) return;
      (row.backward ? at->second.backward : at->second.forward) += row.seconds;
      at->second.flops += row.cost.flops;
    };
    found[counts_->shown(place)].self += row.seconds;
    count(counts_->shown(place));
    // And all that it is in: "a.b", "a" and the root for "a.b.c".
    ProfileCounts::Place above{place.root, place.path, ""};
    for (std::size_t dot; (dot = above.path.rfind('.')) != std::string::npos;) {
      above.path.resize(dot);
      count(counts_->shown(above));
    }
    if (!place.root.empty() && !place.path.empty()) count(counts_->shown({place.root, "", ""}));
  }
  std::vector<ProfilerModule> out;
  out.reserve(found.size());
  for (auto& entry : found) out.push_back(std::move(entry.second));
  std::stable_sort(out.begin(), out.end(), [](const ProfilerModule& a, const ProfilerModule& b) {
    return a.self > b.self;
  });
  return out;
}

}  // namespace heed::train
