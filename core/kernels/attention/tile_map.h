// A function of a score and its place, which tiled attention lays over its tiles: f(s), its
// derivative by the score, and by the numbers that f has captured.
#pragma once

#include <vector>

#include "strip.h"

namespace heed::kernels {

/// Where the scores of a strip stand: some keys of a tile, one after the other, and of each the
/// tile's queries, a row each. Padding repeats the first row.
template <class T>
struct MapRows {
  static constexpr Index kMostRows = 64;

  Index count = 0, step = 0;                        ///< rows, and with padding
  Index key = 0, keys = 0;                          ///< the first key, and how many
  Strip<T> place{1}, head{1}, batch{1}, of_key{1};  ///< of each score
  /// By row: the query among the queries, its batch and head.
  Index query[kMostRows], batch_of[kMostRows], head_of[kMostRows];

  Index size() const { return keys * step; }
};

class TileMap {
 public:
  virtual ~TileMap() = default;

  /// s [keys, step] becomes f(s).
  virtual void map(const MapRows<float>& rows, float* s) const = 0;
  virtual void map(const MapRows<double>& rows, double* s) const = 0;
  /// The same, and f'(s).
  virtual void map(const MapRows<float>& rows, float* s, float* slope) const = 0;
  virtual void map(const MapRows<double>& rows, double* s, double* slope) const = 0;

  /// How many numbers each captured array has of which a gradient is wanted; 0: none is.
  virtual std::vector<Index> wanted() const { return {}; }
  /// to[c] += of the captured array c, given the scores s and the gradients d of f(s), 0 where
  /// there is none; null where none is wanted.
  virtual void add_captured(const MapRows<float>& rows, const float* s, const float* d,
                            double* const* to) const = 0;
  virtual void add_captured(const MapRows<double>& rows, const double* s, const double* d,
                            double* const* to) const = 0;
};

}  // namespace heed::kernels
