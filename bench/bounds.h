// Rows that are held to another row of ours, in turns with it: what a feature may cost beside the
// same work without it.
#pragma once

#include <string>
#include <vector>

#include "flex.h"
#include "packed.h"

namespace bench {

struct Bound {
  std::string row, program;  ///< heed_PROGRAM, which takes the row's name
  std::string base, beside;  ///< the other row, and its program
  double share;              ///< of the other row's work that this one has
  double target;             ///< its time over that share of the other's
};

/// Of a row in bf16, by what the processor multiplies it with: tiles (AMX), dot products
/// (AVX512-BF16), or nothing of its own.
double bf16_target();

inline const std::vector<Bound> kBounds = {
    {"flex", "flex", "sdpa_2048", "attention", flex::share(flex::kTile, flex::kTile), 1.35},
    {"dropout", "attention", "sdpa_2048", "attention", 1, 1.25},
    {"sdpa_bf16", "attention", "sdpa_2048", "attention", 1, bf16_target()},
    {"packed", "packed", "packed_full", "packed", packed::share(), 1.1},
    {"transformer_bf16", "transformer", "transformer", "transformer", 1, bf16_target()},
    {"greedy_int8", "translation", "greedy", "translation", 1, 0.75},
    {"decode_bf16", "ort", "ort_decode", "ort", 1, 0.75},
    {"encoder_bf16", "transformer", "encoder", "transformer", 1, bf16_target()},
};

struct BoundResult {
  Bound bound;
  int threads = 0;
  double ms = 0, base_ms = 0;
  double peak_mb = 0, base_peak_mb = 0;

  double ratio() const { return ms / (base_ms * bound.share); }
  bool met() const { return ratio() <= bound.target; }
};

/// Measures and prints.
BoundResult measure(const Bound& bound, int threads, int repeats);

}  // namespace bench
