#include "modules/command_processor/gdb/loopback_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace warpvp::gdb {

namespace {

// A client that takes nothing for this long while the simulation waits for it is taken for gone.
constexpr int kSendPatienceMs = 2000;
// How long a client that was told the end may stay silent and connected.
constexpr int kFinishPatienceMs = 500;

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

LoopbackSocket::LoopbackSocket(std::uint16_t port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener_ < 0) fail();
  const int on = 1;  // a port that the last run has just left can be used again
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(listener_, 4) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    const int error = errno;
    close(listener_);
    errno = error;
    fail();
  }
  port_ = ntohs(address.sin_port);
}

LoopbackSocket::~LoopbackSocket() {
  close_client();
  close(listener_);
}

void LoopbackSocket::close_client() {
  if (client_ >= 0) close(client_);
  client_ = -1;
}

void LoopbackSocket::finish_client() {
  if (client_ < 0) return;
  // Closing a socket with unread bytes in it would also throw away what the client has not read.
  shutdown(client_, SHUT_WR);
  char rest[256];
  pollfd waiting{client_, POLLIN, 0};
  for (int reads = 0; reads < 16; ++reads) {  // and no more, for a client that never ceases to send
    if (::poll(&waiting, 1, kFinishPatienceMs) <= 0) break;
    if (recv(client_, rest, sizeof rest, MSG_DONTWAIT) <= 0) break;
  }
  close_client();
}

LoopbackSocket::Received LoopbackSocket::receive(std::chrono::milliseconds patience, bool replaceable,
                                                 std::string& bytes) {
  pollfd waiting[2] = {{listener_, POLLIN, 0}, {client_, POLLIN, 0}};  // poll skips a client of -1
  if (::poll(waiting, 2, static_cast<int>(patience.count())) <= 0) return Received::kNothing;
  if (waiting[1].revents != 0) {
    char buffer[4096];
    const ssize_t got = recv(client_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) {
      bytes.append(buffer, static_cast<std::size_t>(got));
      return Received::kBytes;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return Received::kNothing;
    close_client();
    return Received::kGone;
  }
  const int caller = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (caller < 0) return Received::kNothing;
  if (client_ >= 0 && !replaceable) {
    close(caller);
    return Received::kNothing;
  }
  close_client();
  client_ = caller;
  const int on = 1;  // packets are small and answered one by one
  setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return Received::kNewClient;
}

void LoopbackSocket::send(std::string_view bytes) {
  while (client_ >= 0 && !bytes.empty()) {
    const ssize_t sent = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    pollfd waiting{client_, POLLOUT, 0};
    const bool full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!full || ::poll(&waiting, 1, kSendPatienceMs) <= 0) close_client();
  }
}

}  // namespace warpvp::gdb
