#include "modules/vfio_user/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace warpvp::vfio_user {

namespace {

/// File descriptors that came with a piece of the stream.
std::vector<FileDescriptor> files_of(msghdr& message) {
  std::vector<FileDescriptor> files;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      files.emplace_back(number);
    }
  }
  return files;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty())
    throw InputError(
        "'platform.host' of type 'vfio_user' has no 'socket': `warpvp serve FILE --socket PATH` gives it "
        "one");
  if (path.size() >= sizeof address.sun_path)
    throw InputError(fmt::format("the socket's path '{}' has {} characters; allowed: 1 to {}", path,
                                 path.size(), sizeof address.sun_path - 1));
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

}  // namespace

bool Connection::receive() {
  constexpr std::size_t kPiece = 256 << 10;
  std::vector<std::uint8_t> bytes(kPiece);
  while (wants_more()) {
    alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))];
    iovec piece{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t count = recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (count == 0) return false;
    if (!reader_.take(bytes.data(), static_cast<std::size_t>(count), files_of(message))) return false;
    while (reader_.has_message()) {
      Message next = reader_.next();
      waiting_bytes_ += next.header.bytes;
      (next.header.is_reply() ? replies_ : commands_).push_back(std::move(next));
    }
  }
  return true;
}

Message Connection::take_command() {
  Message message = std::move(commands_.front());
  commands_.pop_front();
  waiting_bytes_ -= message.header.bytes;
  return message;
}

std::optional<Message> Connection::take_reply(std::uint16_t id) {
  while (!replies_.empty()) {
    Message message = std::move(replies_.front());
    replies_.pop_front();
    waiting_bytes_ -= message.header.bytes;
    if (message.header.id == id) return message;
  }
  return std::nullopt;
}

bool Connection::send_some(const std::uint8_t* bytes, std::size_t count, int file, std::size_t& sent) {
  sent = 0;
  while (sent < count) {
    iovec piece{const_cast<std::uint8_t*>(bytes) + sent, count - sent};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    if (file >= 0 && sent == 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(part), &file, sizeof file);
    }
    const ssize_t moved = sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    sent += static_cast<std::size_t>(moved);
  }
  return true;
}

bool Connection::send(const Header& header, const std::vector<std::uint8_t>& payload, int file) {
  if (!flush() || unsent_.size() > kMostUnsent) return false;
  std::vector<std::uint8_t> bytes(sizeof header + payload.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(payload.begin(), payload.end(), bytes.begin() + sizeof header);
  std::size_t sent = 0;
  // A file goes with the first byte of its message, so with nothing before it.
  if (file >= 0 && has_unsent()) return false;
  if (!has_unsent() && !send_some(bytes.data(), bytes.size(), file, sent)) return false;
  if (file >= 0 && sent == 0) return false;
  unsent_.insert(unsent_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(sent), bytes.end());
  return true;
}

bool Connection::flush() {
  std::size_t sent = 0;
  if (!send_some(unsent_.data(), unsent_.size(), -1, sent)) return false;
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
  return true;
}

Listener::Listener(const std::string& path) : path_(path) {
  const sockaddr_un address = address_of(path);
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  const auto fail = [&](const std::string& why) {
    throw InputError(fmt::format("cannot make the socket {}: {}", path, why));
  };
  struct stat there {};
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) fail("something else lies there");
    FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.get(), name, sizeof address) == 0)
      fail("a process listens there; allowed: another path");
    if (errno != ECONNREFUSED) fail(std::strerror(errno));
    unlink(path.c_str());
  }
  socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_.open() || bind(socket_.get(), name, sizeof address) != 0 || listen(socket_.get(), 64) != 0)
    fail(std::strerror(errno));
}

Listener::~Listener() { unlink(path_.c_str()); }

std::optional<Connection> Listener::accept() {
  FileDescriptor socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.open()) return std::nullopt;
  return Connection(std::move(socket));
}

}  // namespace warpvp::vfio_user
