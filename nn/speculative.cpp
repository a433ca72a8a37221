#include "speculative.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"

namespace heed::nn {
namespace {

using Chances = std::vector<double>;

double chance(const Chances& p, Index token) { return p[static_cast<std::size_t>(token)]; }

Index drawn(const Chances& p, Generator& generator) {
  double left = generator.uniform(), total = 0;
  for (const double each : p) total += each;
  left *= total;
  Index last = 0;
  for (Index i = 0; i < static_cast<Index>(p.size()); ++i) {
    if (chance(p, i) == 0) continue;
    last = i;
    left -= chance(p, i);
    if (left < 0) break;
  }
  return last;
}

// What the target has more than the draft; where that is nothing, which rounding alone can do, the
// target's.
Chances rest_of(const Chances& p, const Chances& q) {
  Chances out;
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    out.push_back(std::max(0.0, p[i] - q[i]));
    total += out.back();
  }
  return total > 0 ? out : p;
}

void check(const std::vector<Index>& prompt, const SpeculativeOptions& options) {
  if (prompt.empty()) throw ValueError("write_speculatively: the prompt has no token");
  if (options.length <= 0 || options.lookahead <= 0) {
    throw ValueError(fmt::format("write_speculatively: length {} and lookahead {} must be positive",
                                 options.length, options.lookahead));
  }
}

// A model as it is asked here: what it gives are rows that fit.
class Reader {
 public:
  Reader(TokenModel& model, const char* name) : model_(model), name_(name) {}

  std::vector<std::vector<double>> read(const std::vector<Index>& tokens) {
    auto rows = model_.read(tokens);
    if (rows.size() != tokens.size()) {
      throw ShapeError(
          fmt::format("write_speculatively: the {} gives {} rows of scores for {} tokens", name_,
                      rows.size(), tokens.size()));
    }
    if (scores_ == 0) scores_ = rows.front().size();
    for (const auto& row : rows) {
      if (row.size() == scores_) continue;
      throw ShapeError(fmt::format("write_speculatively: the {} gives rows of {} scores and of {}",
                                   name_, scores_, row.size()));
    }
    return rows;
  }
  void rewind(Index length) { model_.rewind(length); }

 private:
  TokenModel& model_;
  const char* name_;
  std::size_t scores_ = 0;  // of a row; 0: not known yet
};

}  // namespace

SpeculativeText write_speculatively(TokenModel& target, TokenModel& draft,
                                    const std::vector<Index>& prompt,
                                    const SpeculativeOptions& options, Generator& generator) {
  check(prompt, options);
  const auto chances = [&](std::vector<double> scores) {
    return probabilities(std::move(scores), options.choice);
  };
  Reader large(target, "target"), small(draft, "draft");
  SpeculativeText out;
  const Chances p = chances(large.read(prompt).back());  // of the token that comes next
  Chances q = chances(small.read(prompt).back());
  if (p.size() != q.size()) {
    throw ShapeError(fmt::format("write_speculatively: the target has {} tokens, the draft {}",
                                 p.size(), q.size()));
  }
  const auto before = static_cast<Index>(prompt.size());
  const auto written = [&] { return static_cast<Index>(out.tokens.size()); };
  const auto ended = [&] {
    return written() == options.length ||
           (!out.tokens.empty() && options.end >= 0 && out.tokens.back() == options.end);
  };
  Index other = -1;  // in the place of the first that did not stay: nobody has read it yet
  while (!ended()) {
    const Index first = written();
    if (other >= 0) q = chances(small.read({other}).back());
    std::vector<Index> ahead;
    std::vector<Chances> of_draft;
    const Index count = std::min(options.lookahead, options.length - first);
    while (static_cast<Index>(ahead.size()) < count) {
      of_draft.push_back(q);
      ahead.push_back(drawn(q, generator));
      q = chances(small.read({ahead.back()}).back());
      if (ahead.back() == options.end) break;
    }
    // One look for the token of the last round and all that is drafted.
    std::vector<Index> unread = ahead;
    if (other >= 0) unread.insert(unread.begin(), other);
    std::vector<Chances> of_target;
    if (other < 0) of_target.push_back(p);
    for (auto& scores : large.read(unread)) of_target.push_back(chances(std::move(scores)));
    other = -1;
    ++out.looks;
    out.drafted += static_cast<Index>(ahead.size());

    std::size_t kept = 0;
    while (kept < ahead.size()) {
      const Chances &own = of_target[kept], &theirs = of_draft[kept];
      const Index token = ahead[kept];
      if (generator.uniform() * chance(theirs, token) >= chance(own, token)) {
        other = drawn(rest_of(own, theirs), generator);
        break;
      }
      out.tokens.push_back(token);
      ++kept;
    }
    out.kept += static_cast<Index>(kept);
    if (ended()) break;
    if (other < 0) other = drawn(of_target.back(), generator);
    out.tokens.push_back(other);
    if (ended()) break;
    // Both forget what did not stay; what came instead they read in the next round.
    const Index length = before + first + static_cast<Index>(kept);
    large.rewind(length);
    small.rewind(length);
  }
  return out;
}

}  // namespace heed::nn
