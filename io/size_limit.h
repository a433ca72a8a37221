// What a limit on the size of files does to a write. Internal to io.
#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace heed::io {

/// While alive, a write beyond the limit on file sizes (`ulimit -f`) is an error of this thread and
/// does not end the process: what other threads do about SIGXFSZ is not changed.
class SizeLimitIsAnError {
 public:
  SizeLimitIsAnError() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~SizeLimitIsAnError() {
    const int code = errno;  // of the write
    const timespec now{};
    const bool callers_own = ::sigismember(&before_, SIGXFSZ) == 1;
    while (!callers_own && ::sigtimedwait(&signal_, nullptr, &now) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = code;
  }
  SizeLimitIsAnError(const SizeLimitIsAnError&) = delete;
  SizeLimitIsAnError& operator=(const SizeLimitIsAnError&) = delete;

 private:
  sigset_t signal_, before_;
};

}  // namespace heed::io
