// While alive, this process can write no file beyond `bytes`: what a full disk looks like to
// write().
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace heed {

class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    old_signal_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    ::signal(SIGXFSZ, old_signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit old_limit_{};
  sighandler_t old_signal_ = SIG_DFL;
};

}  // namespace heed
