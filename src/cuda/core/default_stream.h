// Whose stream the one without a name is.
#pragma once

namespace ww::cuda {

/// While it lives, the stream without a name is the one of this thread: for calls that have no argument for a
/// stream, from programs compiled with --default-stream per-thread.
class DefaultStreamOfThread {
 public:
  DefaultStreamOfThread() { ++count_; }
  ~DefaultStreamOfThread() { --count_; }
  DefaultStreamOfThread(const DefaultStreamOfThread&) = delete;
  DefaultStreamOfThread& operator=(const DefaultStreamOfThread&) = delete;
  static bool any() { return count_ > 0; }

 private:
  static inline thread_local int count_ = 0;
};

}  // namespace ww::cuda
