#pragma once
// One client at a time over TCP on the loopback interface. Never raises a signal, never throws once it
// listens; whatever a client does ends in a closed connection at worst.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpvp::gdb {

class LoopbackSocket {
 public:
  /// Listens on 127.0.0.1. `port` 0: one that is free. Throws std::system_error if that cannot be.
  explicit LoopbackSocket(std::uint16_t port);
  ~LoopbackSocket();
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;

  std::uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }

  enum class Received { kNothing, kBytes, kNewClient, kGone };
  /// Waits at most `patience` for something to happen, and takes it: bytes of the client, appended to
  /// `bytes`; a client that connects; the client's end. While there is a client, another one that connects is
  /// turned away, or takes its place if `replaceable`.
  Received receive(std::chrono::milliseconds patience, bool replaceable, std::string& bytes);
  /// Sends everything; closes the connection if the client does not take it.
  void send(std::string_view bytes);
  void close_client();
  /// Closes once the client has read what was sent, or a little later if it does not.
  void finish_client();

 private:
  int listener_ = -1;
  int client_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace warpvp::gdb
