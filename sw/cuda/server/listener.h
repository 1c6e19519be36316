#pragma once
// The socket at which the processes of one CUDA program meet the simulator, and their connections.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

class Listener {
 public:
  /// Makes a folder of its own for the socket. InputError where that fails.
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;

  const std::string& path() const { return path_; }

  /// One thing that has happened: a process has connected (`call` is null), has called, or has gone.
  struct Happening {
    enum class What { kNothing, kConnected, kCalled, kGone } what = What::kNothing;
    int connection = -1;
    Header call;
    std::vector<std::uint8_t> bytes;
  };
  /// Waits for the next one for up to so many milliseconds. What a connection sends that is no message ends
  /// it.
  Happening next(int milliseconds);
  /// With a file of this process, unless it is -1. A connection that does not take it is ended.
  void answer(int connection, const Header& header, const std::vector<std::uint8_t>& bytes, int file = -1);
  /// What is no longer wanted of a call: the next one comes to the same memory, which the host need not
  /// provide anew.
  void give_back(std::vector<std::uint8_t>&& bytes) { spare_ = std::move(bytes); }
  std::size_t connections() const { return connections_.size(); }

 private:
  Happening gone(int connection);

  std::string folder_, path_;
  int socket_ = -1;
  std::vector<int> connections_;
  std::vector<std::uint8_t> spare_;
  std::size_t turn_ = 0;  // whom is listened to first, so that nobody is starved
};

}  // namespace warpvp::cuda
