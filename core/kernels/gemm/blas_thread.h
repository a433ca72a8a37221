// OpenBLAS on the calling thread alone, whichever of its builds is loaded: heed splits products
// itself. The serial build knows nothing else. The build with threads of its own is told once, for
// the process (openblas_set_num_threads(1)). The build on OpenMP asks OpenMP how many threads the
// calling thread may have, a number that each thread has for itself: it is set to one for the time
// of a call and then set back, so that the caller's own OpenMP loops stay as they were.
#pragma once

namespace heed::kernels {

/// While it lives, calls of OpenBLAS by this thread stay on this thread.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_ = 1;
};

}  // namespace heed::kernels
