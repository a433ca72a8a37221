#include "blas_thread.h"

#include <cblas.h>
#include <dlfcn.h>

namespace heed::kernels {
namespace {

// OpenMP as the loaded OpenBLAS brings it; heed itself does not link it.
struct OpenMp {
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
};

OpenMp find_open_mp() {
  OpenMp found;
  if (openblas_get_parallel() == OPENBLAS_OPENMP) {
    found.threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    found.set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  }
  if (!found.threads || !found.set_threads) {
    openblas_set_num_threads(1);
    return {};
  }
  return found;
}

const OpenMp& open_mp() {
  static const OpenMp found = find_open_mp();
  return found;
}

}  // namespace

OneBlasThread::OneBlasThread() {
  const OpenMp& omp = open_mp();
  if (!omp.threads) return;
  before_ = omp.threads();
  if (before_ != 1) omp.set_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (before_ != 1) open_mp().set_threads(before_);
}

}  // namespace heed::kernels
