#pragma once
// The program's end of the connection to the simulator. One a process, made by its first call; threads take
// turns.

#include <cstdint>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// The result of a call: its error, and what came with it.
class Answer {
 public:
  explicit Answer(Error e, std::vector<std::uint8_t> bytes = {}, int opened = -1)
      : error(e), file(opened), bytes_(std::move(bytes)), in(bytes_.data(), bytes_.size()) {}
  Answer(const Answer&) = delete;
  const Error error;
  const int file;  ///< that came with it, for the caller to close; -1: none did

 private:
  const std::vector<std::uint8_t> bytes_;

 public:
  Reader in;
};

class Connection {
 public:
  static Connection& instance();

  /// Connects if it has not: kNoDevice where the program was not started by `warpvp cuda` (said once on
  /// standard error), kInitializationError in a process forked from one that had connected.
  Error open();
  const DeviceFacts& facts() const { return facts_; }
  /// Calls, waits for the answer, and puts what earlier copies yield where it belongs. Where the simulator
  /// has gone, the program ends: exit status 3.
  Answer call(Call what, const Writer& arguments = {}, const void* data = nullptr, std::size_t bytes = 0);

 private:
  Error connect();
  int socket_ = -1;
  int process_ = 0;
  Error opened_ = kUnknown;
  DeviceFacts facts_;
};

}  // namespace warpvp::cuda
