#pragma once
// A client of the server that sends whatever a test wants, and gives up waiting after some seconds.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "modules/command_processor/gdb/packet_codec.h"

namespace warpvp {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{20, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { vanish(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void vanish() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  /// False when the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// The next byte; none at the end of the connection, or if nothing comes.
  std::optional<char> byte() {
    char c = 0;
    if (::recv(socket_, &c, 1, 0) != 1) return std::nullopt;
    return c;
  }
  /// The payload of the next packet, which is acknowledged; bytes before it are skipped.
  std::optional<std::string> packet() {
    gdb::PacketReader reader;
    std::vector<gdb::PacketEvent> events;
    while (const auto c = byte()) {
      reader.feed(std::string_view(&*c, 1), events);
      for (const gdb::PacketEvent& event : events)
        if (event.kind == gdb::PacketEvent::Kind::kPacket) {
          send("+");
          return event.payload;
        }
      events.clear();
    }
    return std::nullopt;
  }
  void say(std::string_view payload) { send(gdb::frame_packet(payload)); }
  /// Sends a command and returns the next packet; "(gone)" if none comes.
  std::string ask(std::string_view payload) {
    say(payload);
    return packet().value_or("(gone)");
  }
  /// The server closes the connection, sooner or later.
  bool ends() {
    while (byte()) {
    }
    char c = 0;
    return ::recv(socket_, &c, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
  }

 private:
  int socket_;
};

}  // namespace warpvp
