// Which Heed this is, and what it runs on: for a report of a fault, a log, a checkpoint's metadata.
//
//   std::puts(build_info().text().c_str());
//   heed 0.2.0, g++ 12.2.0, Release, static, with sentencepiece
//   kernels avx512, products OpenBLAS 0.3.21 (SkylakeX), 2 threads
//
// Versions are semantic (semver.org): docs/building.md says what each part promises.
#pragma once

#include <string>
#include <vector>

#include "simd.h"

namespace heed {

/// "0.2.0".
const char* version();
/// The numbers of version(), to be compared: {0, 2, 0} < {0, 3, 0}.
struct VersionNumbers {
  int major, minor, patch;
  friend auto operator<=>(const VersionNumbers&, const VersionNumbers&) = default;
};
VersionNumbers version_numbers();

struct BuildInfo {
  std::string version;     ///< of the library that runs, not of the headers
  std::string compiler;    ///< "g++ 12.2.0"
  std::string build_type;  ///< CMake's: "Release"
  bool shared = false;     ///< a shared library
  /// What was found as it was built: "mpi", "sentencepiece", "sound".
  std::vector<std::string> options;
  Simd simd = Simd::plain;  ///< what kernels use now
  std::string blas;         ///< as OpenBLAS names itself, "OpenBLAS 0.3.21"
  std::string blas_kernel;  ///< the processor it takes this one for: "SkylakeX"
  int threads = 1;          ///< num_threads()

  /// Two lines.
  std::string text() const;
};

/// As it is now: threads and vectors may be changed as a program runs.
BuildInfo build_info();

}  // namespace heed
