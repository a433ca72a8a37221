#include "packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../../core/kernels/index/packed_sequences.h"
#include "../../check_defined.h"
#include "../../record.h"

namespace heed {
namespace {

// Blocks of rows matter to walks along sequences only.
constexpr Index kOneBlock = 1 << 20;

Index numbers(const Shape& shape, Index first) {
  Index count = 1;
  for (Index axis = first; axis < shape.rank(); ++axis) count *= shape[axis];
  return count;
}

// `leading` sizes, then those of `shape` from `first` on.
Shape with_tail(std::initializer_list<Index> leading, const Shape& shape, Index first) {
  Shape out(leading);
  for (Index axis = first; axis < shape.rank(); ++axis) out.push_back(shape[axis]);
  return out;
}

Array own(const Array& out, const Array& x) { return out.shares_storage(x) ? out.clone() : out; }

}  // namespace

Index Packed::length(Index b) const {
  if (b < 0 || b >= sequences()) {
    throw IndexError(
        fmt::format("Packed: sequence {} is not in [0, {})", b, std::max<Index>(0, sequences())));
  }
  return offsets[static_cast<std::size_t>(b) + 1] - offsets[static_cast<std::size_t>(b)];
}

std::vector<Index> Packed::lengths() const {
  std::vector<Index> out;
  for (Index b = 0; b < sequences(); ++b) out.push_back(length(b));
  return out;
}

std::vector<Index> Packed::places() const {
  std::vector<Index> out;
  for (const Index count : lengths()) {
    for (Index t = 0; t < count; ++t) out.push_back(t);
  }
  return out;
}

Packed pack(const std::vector<std::vector<Index>>& rows) {
  std::vector<Index> all, lengths;
  for (const std::vector<Index>& row : rows) {
    all.insert(all.end(), row.begin(), row.end());
    lengths.push_back(static_cast<Index>(row.size()));
  }
  return {Array::from(all), offsets_of(lengths)};
}

std::vector<Index> offsets_of(const std::vector<Index>& lengths) {
  std::vector<Index> offsets = {0};
  for (const Index length : lengths) {
    if (length < 0) {
      throw ValueError(
          fmt::format("offsets_of: length {} at {} is negative", length, offsets.size() - 1));
    }
    if (length > std::numeric_limits<Index>::max() - offsets.back()) {
      throw ShapeError("offsets_of: there are too many tokens to count");
    }
    offsets.push_back(offsets.back() + length);
  }
  return offsets;
}

void check_offsets(const char* op, const std::vector<Index>& offsets) {
  if (offsets.empty()) throw ValueError(fmt::format("{}: offsets must begin at 0; none came", op));
  if (offsets[0] != 0) {
    throw ValueError(fmt::format("{}: offsets must begin at 0, not {}", op, offsets[0]));
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      throw ValueError(
          fmt::format("{}: offsets fall from {} to {} at {}", op, offsets[i - 1], offsets[i], i));
    }
  }
}

void check_offsets(const char* op, const std::vector<Index>& offsets, const Tensor& tokens) {
  check_defined(op, tokens, "tokens");
  if (tokens.rank() == 0) {
    throw ShapeError(fmt::format("{}: tokens must be [N, ..], not {}", op, describe(tokens)));
  }
  check_offsets(op, offsets);
  if (offsets.back() != tokens.size(0)) {
    throw ShapeError(
        fmt::format("{}: offsets end at {}, tokens are {}", op, offsets.back(), describe(tokens)));
  }
}

void check_lengths(const char* op, const std::vector<Index>& lengths, const Tensor& x) {
  if (!lengths.empty() && static_cast<Index>(lengths.size()) != x.size(0)) {
    throw ShapeError(fmt::format("{}: {} lengths for x {}", op, lengths.size(), describe(x)));
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > x.size(1)) {
      throw ValueError(
          fmt::format("{}: length {} at {} is not in [0, {}]", op, lengths[i], i, x.size(1)));
    }
  }
}

// gx = unpack(g)
Packed pack(const Tensor& x, const std::vector<Index>& lengths) {
  check_defined("pack", x, "x");
  if (x.rank() < 2) {
    throw ShapeError(fmt::format("pack: x must be [B, T, ..], not {}", describe(x)));
  }
  check_lengths("pack", lengths, x);
  const Index B = x.size(0), T = x.size(1), width = numbers(x.shape(), 2);
  const kernels::PackedSequences sequences(B, T, lengths, kOneBlock);
  const Array rows = x.array().contiguous().reshape(Shape{B, T, width});
  const Array out = own(sequences.pack(rows), x.array());
  std::vector<Index> offsets =
      offsets_of(lengths.empty() ? std::vector<Index>(static_cast<std::size_t>(B), T) : lengths);
  Tensor tokens = record(Op::pack, out.reshape(with_tail({offsets.back()}, x.shape(), 2)), {x},
                         [offsets, T](const Tensor& g) {
                           return unpack({g, offsets}, T);
                         });
  return {std::move(tokens), std::move(offsets)};
}

// gx = pack(g)
Tensor unpack(const Packed& packed, Index steps) {
  const auto& [tokens, offsets] = packed;
  check_offsets("unpack", offsets, tokens);
  const std::vector<Index> lengths = packed.lengths();
  const Index longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  if (steps == -1) steps = longest;
  if (steps < longest) {
    throw ValueError(
        fmt::format("unpack: {} steps for a sequence of {}: tokens are {}, in {} sequences", steps,
                    longest, describe(tokens), packed.sequences()));
  }
  const Index B = packed.sequences();
  const kernels::PackedSequences sequences(B, steps, lengths, kOneBlock);
  const Array rows =
      tokens.array().contiguous().reshape(Shape{tokens.size(0), numbers(tokens.shape(), 1)});
  const Array out = own(sequences.unpack(rows), tokens.array());
  return record(Op::unpack, out.reshape(with_tail({B, steps}, tokens.shape(), 1)), {tokens},
                [lengths](const Tensor& g) { return pack(g, lengths).tokens; });
}

}  // namespace heed
