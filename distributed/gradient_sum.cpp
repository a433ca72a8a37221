#include "gradient_sum.h"

#include <algorithm>
#include <cstring>

#include "../autograd/accumulate.h"
#include "../autograd/grad_mode.h"
#include "../core/kernels/elementwise/elementwise.h"
#include "handles-inl.h"

namespace heed::distributed {
namespace {

constexpr Index kBucket = Index{1} << 20;  // elements that travel at once

Array dense(const Tensor& gradient) { return gradient.array().contiguous(); }

// -0 becomes 0, as it does where something that is 0 was added.
Tensor without_signed_zeros(Tensor sum) {
  if (sum.is_sparse()) {
    SparseRows rows = sum.sparse_rows();
    rows.values =
        kernels::binary(kernels::Binary::add, rows.values, Array::zeros({}, rows.dtype()));
    return Tensor(std::move(rows));
  }
  return Tensor(kernels::binary(kernels::Binary::add, sum.array(), Array::zeros({}, sum.dtype())));
}

std::string bytes_of(const Array& numbers) {
  const Array whole = numbers.contiguous();
  return {reinterpret_cast<const char*>(whole.raw()),
          static_cast<std::size_t>(whole.numel()) * size_of(whole.dtype())};
}

Array array_of(const char* from, const Shape& shape, DType dtype) {
  Array out = Array::empty(shape, dtype);
  std::memcpy(out.mutable_raw(), from, static_cast<std::size_t>(out.numel()) * size_of(dtype));
  return out;
}

Shape with_rows(const Shape& whole, Index rows) {
  std::vector<Index> sizes{rows};
  for (Index axis = 1; axis < whole.rank(); ++axis) sizes.push_back(whole[axis]);
  return Shape(sizes);
}

// A part of a bucket that one process sums up.
struct Part {
  Index begin, size;
};
Part part_of(Index count, Index rank, Index size) {
  const auto [begin, end] = block_of(count, rank, size);
  return {begin, end - begin};
}

}  // namespace

void GradientSum::Add::operator()(Tensor& left, Tensor&& right) const {
  const NoGrad scope;
  accumulate(left, std::move(right));
}

GradientSum::GradientSum(const World& world, const std::vector<Tensor>& parameters, Index count)
    : world_(world),
      parameters_(parameters),
      count_(count),
      block_(block_of(count, world.rank(), world.size())),
      trees_(parameters.size(), Tree(Add{})) {
  if (count < world.size()) {
    throw ValueError(
        fmt::format("distributed: {} pieces a step are fewer than the {} processes: ask for more",
                    count, world.size()));
  }
  next_ = block_.first;
}

void GradientSum::skip_to(Index piece) {
  for (; next_ < piece; ++next_) {
    for (Tree& tree : trees_) tree.push({next_, 1}, {});
  }
}

void GradientSum::take(Index piece) {
  if (piece < next_ || piece >= block_.second) {
    throw ValueError(
        fmt::format("distributed: piece {} is not this process's next: it has {} to {}", piece,
                    next_, block_.second - 1));
  }
  skip_to(piece);
  ++next_;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    Tensor gradient = parameters_[p].grad();
    parameters_[p].zero_grad();
    trees_[p].push({piece, 1},
                   gradient.defined() ? std::optional<Tensor>(std::move(gradient)) : std::nullopt);
  }
}

void GradientSum::finish() {
  skip_to(block_.second);
  // What there is anywhere: nothing, rows, or numbers throughout.
  std::string kinds(parameters_.size(), ' ');
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    for (const auto& node : trees_[p].nodes()) {
      if (node.value) kinds[p] = std::max(kinds[p], node.value->is_sparse() ? 'r' : 's');
    }
  }
  for (const std::string& each : world_.gather(kinds)) {
    for (std::size_t p = 0; p < kinds.size(); ++p) kinds[p] = std::max(kinds[p], each[p]);
  }
  std::vector<std::size_t> bucket;
  Index held = 0;
  const auto send = [&] {
    if (!bucket.empty()) sum_dense(bucket, parameters_[bucket[0]].dtype());
    bucket.clear();
    held = 0;
  };
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (kinds[p] == 'r') sum_rows(p);
    if (kinds[p] != 's') continue;
    if (!bucket.empty() && (held + parameters_[p].numel() > kBucket ||
                            parameters_[p].dtype() != parameters_[bucket[0]].dtype())) {
      send();
    }
    bucket.push_back(p);
    held += parameters_[p].numel();
  }
  send();
}

void GradientSum::sum_rows(std::size_t p) {
  Tensor& parameter = parameters_[p];
  const DType dtype = parameter.dtype();
  const Shape& whole = parameter.shape();
  if (world_.size() > 1) {
    // For each span: how many rows, which, and their numbers.
    std::string mine;
    for (const auto& node : trees_[p].nodes()) {
      const std::int64_t count = node.value ? node.value->sparse_rows().rows.numel() : -1;
      mine.append(reinterpret_cast<const char*>(&count), sizeof(count));
      if (!node.value) continue;
      mine += bytes_of(node.value->sparse_rows().rows);
      mine += bytes_of(node.value->sparse_rows().values);
    }
    Tree all{Add{}};
    const std::vector<std::string> said = world_.gather(mine);
    for (Index rank = 0; rank < world_.size(); ++rank) {
      const auto [first, last] = block_of(count_, rank, world_.size());
      const char* at = said[static_cast<std::size_t>(rank)].data();
      for (const Span& span : spans_of(first, last)) {
        std::int64_t count = 0;
        std::memcpy(&count, at, sizeof(count));
        at += sizeof(count);
        if (count < 0) {
          all.push(span, {});
          continue;
        }
        SparseRows rows{array_of(at, {count}, DType::i64), Array(), whole};
        at += static_cast<std::size_t>(count) * sizeof(std::int64_t);
        rows.values = array_of(at, with_rows(whole, count), dtype);
        at += static_cast<std::size_t>(rows.values.numel()) * size_of(dtype);
        all.push(span, Tensor(std::move(rows)));
      }
    }
    trees_[p] = std::move(all);
  }
  parameter.set_grad(without_signed_zeros(*trees_[p].total()));
}

void GradientSum::sum_dense(const std::vector<std::size_t>& which, DType dtype) {
  const std::size_t width = size_of(dtype);
  const Index size = world_.size();
  if (size == 1) {
    for (const std::size_t p : which) {
      Tensor sum = *trees_[p].total();
      parameters_[p].set_grad(
          without_signed_zeros(sum.is_sparse() ? Tensor(dense(sum)) : std::move(sum)));
    }
    return;
  }
  Index count = 0;
  for (const std::size_t p : which) count += parameters_[p].numel();
  const std::vector<Span> spans = spans_of(block_.first, block_.second);
  const Part own = part_of(count, world_.rank(), size);
  std::vector<int> sent, sent_at, got, got_at;
  Index out_size = 0, in_size = 0;
  for (Index r = 0; r < size; ++r) {
    const auto [first, last] = block_of(count_, r, size);
    sent_at.push_back(count_of("distributed", out_size));
    sent.push_back(
        count_of("distributed", part_of(count, r, size).size * static_cast<Index>(spans.size())));
    out_size += sent.back();
    got_at.push_back(count_of("distributed", in_size));
    got.push_back(
        count_of("distributed", own.size * static_cast<Index>(spans_of(first, last).size())));
    in_size += got.back();
  }
  // Behind each other: for process 0 its part of each span, for process 1, ...
  Array out = Array::zeros({out_size}, dtype), in = Array::empty({in_size}, dtype);
  for (std::size_t k = 0; k < spans.size(); ++k) {
    Index begin = 0;  // of the parameter in the bucket
    for (const std::size_t p : which) {
      const auto& value = trees_[p].nodes()[k].value;
      const Index end = begin + parameters_[p].numel();
      if (value) {
        const Array numbers = dense(*value);
        for (Index r = 0; r < size; ++r) {
          const Part part = part_of(count, r, size);
          const Index from = std::max(begin, part.begin),
                      to = std::min(end, part.begin + part.size);
          if (from >= to) continue;
          const Index place = sent_at[static_cast<std::size_t>(r)] +
                              static_cast<Index>(k) * part.size + from - part.begin;
          std::memcpy(out.mutable_raw() + static_cast<std::size_t>(place) * width,
                      numbers.raw() + static_cast<std::size_t>(from - begin) * width,
                      static_cast<std::size_t>(to - from) * width);
        }
      }
      begin = end;
    }
  }
  const MPI_Datatype type = type_of(dtype);
  check("MPI_Alltoallv",
        MPI_Alltoallv(out.raw(), sent.data(), sent_at.data(), type, in.mutable_raw(), got.data(),
                      got_at.data(), type, world_.handles().numbers));
  Tree all{Add{}};
  Index at = 0;
  for (Index r = 0; r < size; ++r) {
    const auto [first, last] = block_of(count_, r, size);
    for (const Span& span : spans_of(first, last)) {
      all.push(span, Tensor(in.slice(0, at, at + own.size)));
      at += own.size;
    }
  }
  const Array sum = without_signed_zeros(*all.total()).array().contiguous();
  std::vector<int> sizes, begins;
  for (Index r = 0; r < size; ++r) {
    const Part part = part_of(count, r, size);
    sizes.push_back(static_cast<int>(part.size));
    begins.push_back(static_cast<int>(part.begin));
  }
  Array whole = Array::empty({count}, dtype);
  check("MPI_Allgatherv",
        MPI_Allgatherv(sum.raw(), static_cast<int>(own.size), type, whole.mutable_raw(),
                       sizes.data(), begins.data(), type, world_.handles().numbers));
  Index begin = 0;
  for (const std::size_t p : which) {
    const Index end = begin + parameters_[p].numel();
    parameters_[p].set_grad(
        Tensor(whole.slice(0, begin, end).reshape(parameters_[p].shape()).clone()));
    begin = end;
  }
}

}  // namespace heed::distributed
