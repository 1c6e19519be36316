#pragma once
// All bytes through a stream socket, for both of its ends, and files beside them.

#include <sched.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>

namespace warpvp::cuda {

/// Whether `look()` is true at once or soon. The other end mostly answers within microseconds, and who sleeps
/// takes longer than that to wake; others who want the processor have it meanwhile.
template <class Look>
bool comes_soon(Look&& look) {
  constexpr std::chrono::microseconds kSoon(40);
  const auto until = std::chrono::steady_clock::now() + kSoon;
  do {
    if (look()) return true;
    sched_yield();
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

/// False: the other end has gone.
inline bool send_all(int socket, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t n = send(socket, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// The same of pieces, one behind the other, in one go where they fit: the other end wakes once.
template <std::size_t kPieces>
bool send_pieces(int socket, iovec (&pieces)[kPieces]) {
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = kPieces;
  ssize_t n;
  do n = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n < 0) return false;
  auto sent = static_cast<std::size_t>(n);
  for (const iovec& piece : pieces) {
    const std::size_t done = sent < piece.iov_len ? sent : piece.iov_len;
    sent -= done;
    if (!send_all(socket, static_cast<const char*>(piece.iov_base) + done, piece.iov_len - done))
      return false;
  }
  return true;
}

/// False: the other end has gone before so many bytes came.
inline bool receive_all(int socket, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes != 0) {
    const ssize_t n = recv(socket, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// The same, and an open file of this process with the first byte.
inline bool send_with_file(int socket, const void* data, std::size_t bytes, int file) {
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof file)] = {};
  iovec piece{const_cast<void*>(data), bytes};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  ssize_t n;
  do n = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n > 0 && send_all(socket, static_cast<const char*>(data) + n, bytes - static_cast<std::size_t>(n));
}

/// The same as receive_all; `file` is one that came with the first byte, or -1.
inline bool receive_with_file(int socket, void* data, std::size_t bytes, int& file) {
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof file)];
  iovec piece{data, bytes};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  file = -1;
  ssize_t n = -1;
  const bool soon = comes_soon([&] {
    n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    return n >= 0 || (errno != EAGAIN && errno != EINTR);
  });
  while (!soon && (n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
  if (n <= 0) return false;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return receive_all(socket, static_cast<char*>(data) + n, bytes - static_cast<std::size_t>(n));
}

}  // namespace warpvp::cuda
