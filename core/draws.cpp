#include "draws.h"

#include "error.h"

namespace heed {
namespace {

constinit thread_local DrawScope* t_innermost = nullptr;

}  // namespace

DrawScope::DrawScope() : outer_(std::exchange(t_innermost, this)) {}
DrawScope::~DrawScope() { t_innermost = outer_; }
DrawScope* DrawScope::innermost() { return t_innermost; }

Generator::State DrawScope::outside(Generator& generator, std::uint64_t blocks) const {
  if (outer_) return outer_->take(generator, blocks);
  return {generator.seed_, generator.offset_.fetch_add(blocks)};
}

Generator::State NoteDraws::take(Generator& generator, std::uint64_t blocks) {
  const Generator::State at = outside(generator, blocks);
  if (blocks == 0) return at;
  if (!draws_.empty()) {
    Draw& last = draws_.back();
    if (last.at.seed == at.seed && last.at.offset + last.blocks == at.offset) {
      last.blocks += blocks;
      return at;
    }
  }
  draws_.push_back({at, blocks});
  return at;
}

Generator::State RepeatDraws::take(Generator&, std::uint64_t blocks) {
  if (blocks == 0) return {};  // nobody reads there
  if (entry_ < draws_.size() && given_ == draws_[entry_].blocks) {
    ++entry_;
    given_ = 0;
  }
  if (entry_ == draws_.size() || draws_[entry_].blocks - given_ < blocks) {
    throw ValueError("draws: the second run asks for other random numbers than the first did");
  }
  const Generator::State at = {draws_[entry_].at.seed, draws_[entry_].at.offset + given_};
  given_ += blocks;
  return at;
}

}  // namespace heed
