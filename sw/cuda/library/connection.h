#pragma once
// The program's end of the connection to the simulator. One a process, made by its first call; threads take
// turns.

#include <cstdint>
#include <deque>
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
  /// Calls, and waits only where the context has ended: the program goes on while the simulator does. For
  /// calls that have no results and that nothing is wrong with. What is wrong with the context nevertheless,
  /// the next call() says.
  Error post(Call what, const Writer& arguments);

 private:
  Error connect();
  void send(Call what, const Writer& arguments, const void* data, std::size_t bytes);
  /// The next answer; where it is good, and `before` is an error, that.
  Answer receive(Error before = kSuccess);
  void receive_posted();

  // The simulator takes messages while it works only as far as the socket holds them, and the same of
  // answers: so much may be on its way without either waiting for the other for ever.
  static constexpr std::size_t kMostPosted = 32, kMostPostedBytes = 32768;
  std::deque<std::size_t> posted_;  // bytes of the calls that are not answered, in order
  std::size_t posted_bytes_ = 0;    // of all of them
  Error of_posted_ = kSuccess;      // what is wrong, and call() has not said
  bool faulted_ = false;            // the context has ended
  int socket_ = -1;
  int process_ = 0;
  Error opened_ = kUnknown;
  DeviceFacts facts_;
};

}  // namespace warpvp::cuda
