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

}  // namespace

SpeculativeText write_speculatively(TokenModel& target, TokenModel& draft,
                                    const std::vector<Index>& prompt,
                                    const SpeculativeOptions& options, Generator& generator) {
  check(prompt, options);
  const auto chances = [&](std::vector<double> scores) {
    return probabilities(std::move(scores), options.choice);
  };
  SpeculativeText out;
  Chances p = chances(target.read(prompt).back());  // of the token that comes next
  Chances q = chances(draft.read(prompt).back());
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
  while (!ended()) {
    const Index first = written();
    std::vector<Index> ahead;
    std::vector<Chances> of_draft;
    const Index count = std::min(options.lookahead, options.length - first);
    while (static_cast<Index>(ahead.size()) < count) {
      of_draft.push_back(q);
      ahead.push_back(drawn(q, generator));
      q = chances(draft.read({ahead.back()}).back());
      if (ahead.back() == options.end) break;
    }
    std::vector<Chances> of_target{p};
    for (auto& scores : target.read(ahead)) of_target.push_back(chances(std::move(scores)));
    ++out.looks;
    out.drafted += static_cast<Index>(ahead.size());

    std::size_t kept = 0;
    Index other = -1;  // in the place of the first that does not stay
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
    // Both forget what did not stay, and read what came instead.
    const Index length = before + first + static_cast<Index>(kept);
    target.rewind(length);
    draft.rewind(length);
    p = chances(target.read({other}).back());
    q = chances(draft.read({other}).back());
  }
  return out;
}

}  // namespace heed::nn
