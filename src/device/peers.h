// NVIDIA's own libraries on a real GPU, through the plug-in libwarpwright_peers.so opened at run time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/device.h"
#include "peers/peers.h"

namespace ww::device {

struct Peer {
  std::string name;  ///< "cublas/sgemm"
  std::string what;  ///< for people
};

/// The peers that can run, and how. Tests put their own here.
struct Peers {
  std::vector<Peer> list;
  /// Runs and times one of them as Device::time does a kernel; the output is that of the last run. Errors:
  /// the library's (in its words), the GPU's, no real GPU.
  std::function<Result<Timing>(Device& gpu, const std::string& name, const ww_peers_task& task,
                               const TimingOptions& options)>
      time;
};

/// Opens the plug-in: this file, or libwarpwright_peers.so beside the program, in peers/ beside it, or in
/// ../lib/warpwright. Errors: it is not there (`hint`: how to build it), its libraries are missing, it is of
/// another version.
Result<Peers> open_peers(const std::string& path = {});

}  // namespace ww::device
