// The last resort for errors: a full disk, no memory, or a bug of ours ends the program with one line.
#pragma once

#include <functional>

namespace ww::cli {

/// Before anything else: exceptions in background threads end the program as those of `guarded`
/// do, and the standard streams that the caller closed are not handed out to files.
void prepare_process();

/// What `body` returns, after the standard output is written; 2 after an exception, which is told on stderr.
int guarded(const std::function<int()>& body);

}  // namespace ww::cli
