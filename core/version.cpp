#include "version.h"

#include <cblas.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <sstream>

#include "parallel.h"

namespace heed {

const char* version() { return HEED_VERSION; }

VersionNumbers version_numbers() {
  VersionNumbers out{};
  std::sscanf(HEED_VERSION, "%d.%d.%d", &out.major, &out.minor, &out.patch);
  return out;
}

BuildInfo build_info() {
  BuildInfo info;
  info.version = version();
#if defined(__clang__)
  info.compiler = "clang++ " __clang_version__;
  info.compiler = info.compiler.substr(0, info.compiler.find(' ', info.compiler.find(' ') + 1));
#else
  info.compiler = "g++ " __VERSION__;
#endif
  info.build_type = HEED_BUILD_TYPE;
  info.shared = HEED_SHARED;
  std::istringstream found(HEED_FOUND);
  for (std::string word; found >> word;) info.options.push_back(word);
  info.simd = simd();
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH .. SkylakeX MAX_THREADS=128"
  std::istringstream config(openblas_get_config());
  std::string name, number;
  config >> name >> number;
  info.blas = name + " " + number;
  info.blas_kernel = openblas_get_corename();
  info.threads = num_threads();
  return info;
}

std::string BuildInfo::text() const {
  std::string with = options.empty() ? "" : fmt::format(", with {}", fmt::join(options, ", "));
  return fmt::format("heed {}, {}, {}, {}{}\nkernels {}, products {} ({}), {} thread{}", version,
                     compiler, build_type, shared ? "shared" : "static", with, name_of(simd), blas,
                     blas_kernel, threads, threads == 1 ? "" : "s");
}

}  // namespace heed
