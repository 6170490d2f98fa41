// Writing files from within programs that are not ours.
#pragma once

#include <signal.h>

#include <ctime>

namespace ww {

/// While it lives, a limit on the size of files (`ulimit -f`) makes writing fail as a full disk does: this
/// thread gets no SIGXFSZ, which would end the program.
class FileLimit {
 public:
  FileLimit() {
    sigemptyset(&too_large_);
    sigaddset(&too_large_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large_, &before_);
  }
  ~FileLimit() {
    const timespec none{};
    sigtimedwait(&too_large_, nullptr, &none);  // one that waits for this thread
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  sigset_t too_large_, before_;
};

}  // namespace ww
