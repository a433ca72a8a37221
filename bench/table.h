// What the benchmark found, as a table and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bounds.h"
#include "crowded.h"
#include "mpi.h"
#include "rows.h"
#include "stream.h"

namespace bench {

struct Result {
  Row row;
  int threads = 0;
  double ours_ms = 0, libtorch_ms = 0;
  double ours_peak_mb = 0, libtorch_peak_mb = 0;
  double limit_rate = 0;  ///< the machine's own: operations or bytes a millisecond
  bool losses_agree = false;

  double ratio() const { return ours_ms / libtorch_ms; }
  double target() const { return threads > 1 ? row.target : 1.0; }
  bool met() const { return ratio() <= target(); }
  /// The time that the row's work would take at the machine's rate, over ours.
  double limit_fraction() const { return row.work / limit_rate / ours_ms; }
};

void print_table(const std::vector<Result>& results);

/// Of a bound's row that libtorch has, too, the ratio is the one against libtorch. Throws
/// std::runtime_error when the file cannot be written.
void write_json(const std::vector<Result>& results, const std::vector<BoundResult>& bounds,
                const std::optional<crowded::Result>& crowded,
                const std::optional<mpi::Result>& mpi, const std::optional<stream::Result>& stream,
                const std::string& path);

}  // namespace bench
