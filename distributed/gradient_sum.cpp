#include "gradient_sum.h"

#include <algorithm>
#include <cstring>

#include "../autograd/backward.h"
#include "../autograd/factories.h"
#include "handles-inl.h"

namespace heed::distributed {
namespace {

constexpr Index kBucket = Index{1} << 20;  // elements that travel at once

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

}  // namespace

GradientSum::GradientSum(const World& world, const std::vector<Tensor>& parameters, Index count,
                         const GradientKinds& expected, Sums sums)
    : world_(world),
      parameters_(parameters),
      count_(count),
      block_(block_of(count, world.rank(), world.size())),
      sums_(sums),
      trees_(parameters.size(), GradientTree(AddGradients{})),
      arrived_(parameters.size()),
      expected_(world, world.size() > 1 && expected.size() == parameters.size()
                           ? buckets_of(expected)
                           : std::vector<Bucket>()) {
  if (count < world.size()) {
    throw ValueError(
        fmt::format("distributed: {} pieces a step are fewer than the {} processes: ask for more",
                    count, world.size()));
  }
  if (world.handles().left) {
    throw Error(
        "distributed: an error ended a step while its gradients were on their way: no more "
        "steps with these processes");
  }
  next_ = block_.first;
  for (std::size_t p = 0; p < parameters_.size(); ++p) places_[parameters_[p].impl()] = p;
}

GradientSum::~GradientSum() {
  if (on_their_way_) world_.handles().left = true;
}

void GradientSum::skip_to(Index piece) {
  for (; next_ < piece; ++next_) {
    for (GradientTree& tree : trees_) tree.push({next_, 1}, {});
  }
}

void GradientSum::check_next(Index piece) const {
  if (piece >= next_ && piece < block_.second) return;
  throw ValueError(fmt::format("distributed: piece {} is not this process's next: it has {} to {}",
                               piece, next_, block_.second - 1));
}

// What else went into a gradient would count once a piece, or once a process.
void GradientSum::check_no_gradients() const {
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (!parameters_[p].grad().defined()) continue;
    throw ValueError(fmt::format(
        "distributed: parameter {}, {}, has a gradient before its piece's loss is walked: add a "
        "penalty to the loss, without a backward() of its own, and zero_grad() before a step",
        p, describe(parameters_[p])));
  }
}

void GradientSum::add(const Tensor& loss, Index piece) {
  check_next(piece);
  check_no_gradients();
  if (piece + 1 < block_.second || !expected_.next()) {
    loss.backward();
  } else {
    skip_to(piece);
    backward_and_tell({loss}, [this](const Tensor& parameter, const Tensor& gradient) {
      arrive(parameter, gradient);
    });
  }
  take(piece);
}

void GradientSum::arrive(const Tensor& parameter, const Tensor& gradient) {
  const auto place = places_.find(parameter.impl());
  if (place == places_.end() || arrived_[place->second]) return;
  trees_[place->second].push({next_, 1}, gradient);
  arrived_[place->second] = true;
  start_buckets(false);
}

// In their order; those that are not complete, too, where `all` are to be.
void GradientSum::start_buckets(bool all) {
  while (const Bucket* next = expected_.next()) {
    const auto here = [&](std::size_t p) { return all || arrived_[p]; };
    if (!std::all_of(next->parameters().begin(), next->parameters().end(), here)) break;
    on_their_way_ = true;
    expected_.start(trees_);
  }
}

void GradientSum::take(Index piece) {
  check_next(piece);
  skip_to(piece);
  ++next_;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    Tensor gradient = parameters_[p].grad();
    parameters_[p].zero_grad();
    if (arrived_[p]) continue;
    trees_[p].push({piece, 1},
                   gradient.defined() ? std::optional<Tensor>(std::move(gradient)) : std::nullopt);
  }
}

// The last parameters first: their gradients are done with first.
std::vector<Bucket> GradientSum::buckets_of(const std::string& kinds) const {
  std::vector<Bucket> out;
  std::vector<std::size_t> which;
  Index held = 0;
  const auto close = [&] {
    if (!which.empty()) out.emplace_back(world_, parameters_, std::move(which), count_, sums_);
    which.clear();
    held = 0;
  };
  for (std::size_t p = parameters_.size(); p-- > 0;) {
    if (kinds[p] != 's' || parameters_[p].numel() == 0) continue;
    if (!which.empty() && (held + parameters_[p].numel() > kBucket ||
                           parameters_[p].dtype() != parameters_[which[0]].dtype())) {
      close();
    }
    which.push_back(p);
    held += parameters_[p].numel();
  }
  close();
  return out;
}

GradientKinds GradientSum::finish() {
  skip_to(block_.second);
  if (world_.size() > 1) start_buckets(true);
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
  std::string left = kinds;  // what nobody sent yet
  for (const Bucket& bucket : expected_.buckets()) {
    for (const std::size_t p : bucket.parameters()) {
      if (left[p] == 's') left[p] = ' ';
    }
  }
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (kinds[p] == 'r') sum_rows(p);
    if (left[p] != 's' || (world_.size() > 1 && parameters_[p].numel() > 0)) continue;
    const auto sum = trees_[p].total();
    parameters_[p].set_grad(sum ? without_signed_zeros(Tensor(sum->array()))
                                : zeros(parameters_[p].shape(), parameters_[p].dtype()));
  }
  if (world_.size() == 1) return kinds;
  expected_.finish();
  for (Bucket& bucket : expected_.buckets()) set_sums(bucket, kinds);
  for (Bucket& bucket : buckets_of(left)) {
    on_their_way_ = true;
    bucket.start(trees_);
    bucket.tell();
    set_sums(bucket, kinds);
  }
  on_their_way_ = false;
  return kinds;
}

void GradientSum::set_sums(Bucket& bucket, const std::string& kinds) {
  const Array whole = bucket.finish();
  Index begin = 0;
  for (const std::size_t p : bucket.parameters()) {
    const Index end = begin + parameters_[p].numel();
    if (kinds[p] == 's') {
      parameters_[p].set_grad(
          Tensor(whole.slice(0, begin, end).reshape(parameters_[p].shape()).clone()));
    }
    begin = end;
  }
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
    GradientTree all{AddGradients{}};
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

}  // namespace heed::distributed
