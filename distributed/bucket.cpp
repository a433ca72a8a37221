#include "bucket.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "../core/kernels/elementwise/elementwise.h"
#include "handles-inl.h"

namespace heed::distributed {
namespace {

// The part of a bucket that one process sums up.
struct Part {
  Index begin, size;
};
Part part_of(Index count, Index rank, Index size) {
  const auto [begin, end] = block_of(count, rank, size);
  return {begin, end - begin};
}

// How many elements go to each process, or come from it, and where they stand.
struct Counts {
  std::vector<int> counts, begins;
  Index all = 0;

  void add(Index count) {
    begins.push_back(count_of("distributed", all));
    counts.push_back(count_of("distributed", count));
    all += count;
  }
};

}  // namespace

struct Bucket::Way {
  Counts sent, got, parts;
  Array out, in, sum, whole;
  MPI_Request there = MPI_REQUEST_NULL, back = MPI_REQUEST_NULL;
  Way* before = nullptr;  // of those that were left

  static bool done(MPI_Request& which) {
    int out = 1;
    if (which != MPI_REQUEST_NULL) check("MPI_Test", MPI_Test(&which, &out, MPI_STATUS_IGNORE));
    return out != 0;
  }
};

Bucket::Bucket(const World& world, const std::vector<Tensor>& parameters,
               std::vector<std::size_t> which, Index pieces, Sums sums)
    : world_(&world),
      which_(std::move(which)),
      pieces_(pieces),
      count_(0),
      dtype_(parameters[which_[0]].dtype()),
      sums_(sums) {
  for (const std::size_t p : which_) {
    begins_.push_back(count_);
    count_ += parameters[p].numel();
  }
  begins_.push_back(count_);
}

Bucket::~Bucket() {
  if (!way_) return;
  for (MPI_Request* each : {&way_->there, &way_->back}) {
    int done = 0;
    if (*each != MPI_REQUEST_NULL) MPI_Test(each, &done, MPI_STATUS_IGNORE);
  }
  if (way_->there == MPI_REQUEST_NULL && way_->back == MPI_REQUEST_NULL) return;
  // An error ended the step here. The others may wait elsewhere for what this process has to say of
  // it, and MPI has its hands on the numbers: they stay.
  static Way* left = nullptr;
  way_->before = std::exchange(left, way_.get());
  static_cast<void>(way_.release());
}
Bucket::Bucket(Bucket&&) noexcept = default;

// Behind each other: for process 0 its part of each span, for process 1, ...
void Bucket::pack(const std::vector<GradientTree>& trees) {
  const Index size = world_->size();
  const std::size_t width = size_of(dtype_);
  const auto block = block_of(pieces_, world_->rank(), size);
  const std::vector<Span> spans = spans_of(block.first, block.second);
  const Part own = part_of(count_, world_->rank(), size);
  for (Index r = 0; r < size; ++r) {
    const auto [first, last] = block_of(pieces_, r, size);
    way_->sent.add(part_of(count_, r, size).size * static_cast<Index>(spans.size()));
    way_->got.add(own.size * static_cast<Index>(spans_of(first, last).size()));
  }
  way_->out = Array::zeros({way_->sent.all}, dtype_);
  way_->in = Array::empty({way_->got.all}, dtype_);
  for (std::size_t k = 0; k < spans.size(); ++k) {
    for (std::size_t i = 0; i < which_.size(); ++i) {
      const auto& value = trees[which_[i]].nodes()[k].value;
      if (!value) continue;
      const Array numbers = dense(*value);
      for (Index r = 0; r < size; ++r) {
        const Part part = part_of(count_, r, size);
        const Index from = std::max(begins_[i], part.begin);
        const Index to = std::min(begins_[i + 1], part.begin + part.size);
        if (from >= to) continue;
        const Index place = way_->sent.begins[static_cast<std::size_t>(r)] +
                            static_cast<Index>(k) * part.size + from - part.begin;
        std::memcpy(way_->out.mutable_raw() + static_cast<std::size_t>(place) * width,
                    numbers.raw() + static_cast<std::size_t>(from - begins_[i]) * width,
                    static_cast<std::size_t>(to - from) * width);
      }
    }
  }
}

void Bucket::start(const std::vector<GradientTree>& trees) {
  way_ = std::make_unique<Way>();
  const MPI_Datatype type = type_of(dtype_);
  if (sums_ == Sums::exact) {
    pack(trees);
    check("MPI_Ialltoallv",
          MPI_Ialltoallv(way_->out.raw(), way_->sent.counts.data(), way_->sent.begins.data(), type,
                         way_->in.mutable_raw(), way_->got.counts.data(), way_->got.begins.data(),
                         type, world_->handles().numbers, &way_->there));
    return;
  }
  way_->in = Array::zeros({count_}, dtype_);
  for (std::size_t i = 0; i < which_.size(); ++i) {
    GradientTree tree = trees[which_[i]];
    const auto total = tree.total();
    if (!total) continue;
    const Array numbers = dense(*total);  // the tree's keeps its rows
    std::memcpy(way_->in.mutable_raw() + static_cast<std::size_t>(begins_[i]) * size_of(dtype_),
                numbers.raw(), static_cast<std::size_t>(numbers.numel()) * size_of(dtype_));
  }
  check("MPI_Iallreduce",
        MPI_Iallreduce(MPI_IN_PLACE, way_->in.mutable_raw(), count_of("distributed", count_), type,
                       MPI_SUM, world_->handles().numbers, &way_->there));
}

bool Bucket::here() {
  const bool come = Way::done(way_->there);
  Way::done(way_->back);
  return come;
}

void Bucket::tell() {
  check("MPI_Wait", MPI_Wait(&way_->there, MPI_STATUS_IGNORE));
  if (sums_ == Sums::plain) return;
  const Index size = world_->size();
  const Index own = part_of(count_, world_->rank(), size).size;
  GradientTree all{AddGradients{}};
  Index at = 0;
  for (Index r = 0; r < size; ++r) {
    const auto [first, last] = block_of(pieces_, r, size);
    for (const Span& span : spans_of(first, last)) {
      all.push(span, Tensor(way_->in.slice(0, at, at + own)));
      at += own;
    }
    way_->parts.add(part_of(count_, r, size).size);
  }
  way_->out = Array();
  way_->sum = without_signed_zeros(*all.total()).array().contiguous();
  way_->in = Array();
  way_->whole = Array::empty({count_}, dtype_);
  const MPI_Datatype type = type_of(dtype_);
  check("MPI_Iallgatherv",
        MPI_Iallgatherv(way_->sum.raw(), static_cast<int>(own), type, way_->whole.mutable_raw(),
                        way_->parts.counts.data(), way_->parts.begins.data(), type,
                        world_->handles().sums, &way_->back));
}

Array Bucket::finish() {
  check("MPI_Wait", MPI_Wait(&way_->back, MPI_STATUS_IGNORE));
  way_->sum = Array();
  return std::exchange(sums_ == Sums::plain ? way_->in : way_->whole, Array());
}

}  // namespace heed::distributed
