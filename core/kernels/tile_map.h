// A function of a score and its place, which tiled attention lays over its tiles: f(s), its
// derivative by the score, and by the numbers that f has captured.
#pragma once

#include <vector>

#include "strip.h"

namespace heed::kernels {

/// The queries of a tile, a row each. Padding repeats the first row.
template <class T>
struct MapRows {
  Index count = 0, step = 0;
  Strip<T> place{1}, batch{1}, head{1};
  /// Numbers of the same, and of the query among the queries.
  Index query[Strip<T>::kMost], batch_of[Strip<T>::kMost], head_of[Strip<T>::kMost];
};

class TileMap {
 public:
  virtual ~TileMap() = default;

  /// s [step], the scores of all rows with one key, become f(s). Throws IndexError for a look into
  /// a table beyond its end.
  virtual void map(const MapRows<float>& rows, Index key, float* s) const = 0;
  virtual void map(const MapRows<double>& rows, Index key, double* s) const = 0;
  /// The same, and f'(s).
  virtual void map(const MapRows<float>& rows, Index key, float* s, float* slope) const = 0;
  virtual void map(const MapRows<double>& rows, Index key, double* s, double* slope) const = 0;

  /// How many numbers each captured array has of which a gradient is wanted; 0: none is.
  virtual std::vector<Index> wanted() const { return {}; }
  /// to[c] += of the captured array c, given the scores s and the gradients d of f(s), 0 where
  /// there is none.
  virtual void add_captured(const MapRows<float>& rows, Index key, const float* s, const float* d,
                            double* const* to) const = 0;
  virtual void add_captured(const MapRows<double>& rows, Index key, const double* s,
                            const double* d, double* const* to) const = 0;
};

}  // namespace heed::kernels
