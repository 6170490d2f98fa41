#include "base/recycled.h"

#include <array>
#include <new>

namespace ww {

namespace {

constexpr std::size_t kStep = 64, kLargest = 4096;
constexpr unsigned kKept = 32;  // of a size: the warps of a block have one each
// An address sanitizer is to see what is used after it was given back. (GCC defines the one, clang has the
// other.)
#if defined(__has_feature)
#define WW_HAS_FEATURE(feature) __has_feature(feature)
#else
#define WW_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || WW_HAS_FEATURE(address_sanitizer)
constexpr bool kKeep = false;
#else
constexpr bool kKeep = true;
#endif

void* fresh(std::size_t bytes) { return ::operator new(bytes, std::align_val_t(kStep)); }
void destroy(void* at) { ::operator delete(at, std::align_val_t(kStep)); }

struct Piece {
  Piece* next;
};

struct Lists {
  std::array<Piece*, kLargest / kStep> first{};
  std::array<unsigned, kLargest / kStep> count{};
  bool over = false;  ///< the thread ends
};
/// Plain: a compiler need not keep what an object's destructor writes into the object, and others'
/// destructors and handlers of exit() come behind it.
thread_local constinit Lists lists;

struct EndOfThread {
  bool wanted = true;
  ~EndOfThread() {
    lists.over = true;
    for (Piece*& list : lists.first)
      while (Piece* p = list) {
        list = p->next;
        destroy(p);
      }
  }
};
thread_local EndOfThread end_of_thread;

}  // namespace

void* take_recycled(std::size_t bytes) {
  const std::size_t steps = bytes ? (bytes + kStep - 1) / kStep : 1;
  if (!kKeep || steps > kLargest / kStep) return fresh(bytes);
  Lists& l = lists;
  Piece* p = l.first[steps - 1];
  if (!p) return fresh(steps * kStep);
  l.first[steps - 1] = p->next;
  --l.count[steps - 1];
  return p;
}

void give_recycled(void* at, std::size_t bytes) {
  if (!at) return;
  const std::size_t steps = bytes ? (bytes + kStep - 1) / kStep : 1;
  if (!kKeep || steps > kLargest / kStep) return destroy(at);
  Lists& l = lists;
  if (l.over || l.count[steps - 1] >= kKept) return destroy(at);
  end_of_thread.wanted = true;  // makes it, so that it is destroyed
  Piece* p = static_cast<Piece*>(at);
  p->next = l.first[steps - 1];
  l.first[steps - 1] = p;
  ++l.count[steps - 1];
}

}  // namespace ww
