// What a thread draws, so that it can be drawn once more: for what runs twice, as checkpoint()'s
// function does. Draws that follow each other in one stream are one entry.
#pragma once

#include <vector>

#include "generator.h"

namespace heed {

struct Draw {
  Generator::State at;
  std::uint64_t blocks;
};
using Draws = std::vector<Draw>;

/// Stands between generators and this thread while it lives. Scopes lie inside each other.
class DrawScope {
 public:
  DrawScope(const DrawScope&) = delete;
  DrawScope& operator=(const DrawScope&) = delete;
  /// Null where there is none.
  static DrawScope* innermost();
  /// Where the next `blocks` blocks for `generator` lie.
  virtual Generator::State take(Generator& generator, std::uint64_t blocks) = 0;

 protected:
  DrawScope();
  ~DrawScope();
  /// What take() would give without this scope.
  Generator::State outside(Generator& generator, std::uint64_t blocks) const;

 private:
  DrawScope* outer_;
};

/// Adds what is drawn, from any generator, to `draws`.
class NoteDraws final : public DrawScope {
 public:
  explicit NoteDraws(Draws& draws) : draws_(draws) {}
  Generator::State take(Generator& generator, std::uint64_t blocks) override;

 private:
  Draws& draws_;
};

/// Gives out `draws` again, in their order, and leaves the generators alone. Throws ValueError
/// where more, or other pieces, are asked for.
class RepeatDraws final : public DrawScope {
 public:
  explicit RepeatDraws(const Draws& draws) : draws_(draws) {}
  Generator::State take(Generator& generator, std::uint64_t blocks) override;

 private:
  const Draws& draws_;
  std::size_t entry_ = 0;
  std::uint64_t given_ = 0;  // of that entry
};

}  // namespace heed
