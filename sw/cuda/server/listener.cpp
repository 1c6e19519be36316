#include "sw/cuda/server/listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "base/end_guard.h"
#include "base/error.h"
#include "sw/cuda/socket_bytes.h"

namespace warpvp::cuda {

namespace {

/// What arrives in pieces of this size needs no more memory than was sent.
constexpr std::size_t kPiece = std::size_t{1} << 24;

bool receive_bytes(int socket, std::uint64_t bytes, std::vector<std::uint8_t>& to) {
  to.clear();
  try {
    to.reserve(bytes);  // of addresses: the host provides what is written to
  } catch (const std::bad_alloc&) {
    return false;
  }
  while (to.size() < bytes) {
    if (EndGuard::of_process().ending()) return false;  // gigabytes take longer than the end may
    const std::size_t piece = std::min<std::uint64_t>(kPiece, bytes - to.size());
    to.resize(to.size() + piece);
    if (!receive_all(socket, to.data() + to.size() - piece, piece)) return false;
  }
  return true;
}

}  // namespace

Listener::Listener() {
  std::error_code error;
  const std::string parent = std::filesystem::temp_directory_path(error).string();
  std::string pattern = (error ? "/tmp" : parent) + "/warpvp-cuda-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw InputError(fmt::format("cannot make a folder {} for a socket: {}", pattern, std::strerror(errno)));
  folder_ = pattern;
  path_ = folder_ + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool made = socket_ >= 0 && path_.size() < sizeof address.sun_path;
  if (made) {
    std::copy(path_.begin(), path_.end(), address.sun_path);
    made = bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
           listen(socket_, 64) == 0;
  }
  if (!made) {
    const std::string why =
        path_.size() < sizeof address.sun_path ? std::strerror(errno) : "its name is too long";
    if (socket_ >= 0) close(socket_);
    std::filesystem::remove_all(folder_, error);
    throw InputError(fmt::format("cannot make the socket {}: {}", path_, why));
  }
}

Listener::~Listener() {
  for (const int connection : connections_) close(connection);
  close(socket_);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

Listener::Happening Listener::gone(int connection) {
  close(connection);
  connections_.erase(std::find(connections_.begin(), connections_.end(), connection));
  return {Happening::What::kGone, connection, {}, {}};
}

Listener::Happening Listener::next(int milliseconds) {
  std::vector<pollfd> waits = {{socket_, POLLIN, 0}};
  for (const int connection : connections_) waits.push_back({connection, POLLIN, 0});
  int ready = 0;
  const auto look = [&](int for_ms) { return (ready = poll(waits.data(), waits.size(), for_ms)) != 0; };
  if (!comes_soon([&] { return look(0); })) look(milliseconds);
  if (ready <= 0) return {};
  if (waits[0].revents != 0) {
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return {};
    connections_.push_back(connection);
    return {Happening::What::kConnected, connection, {}, {}};
  }
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const std::size_t which = (turn_ + i) % connections_.size();
    if (waits[1 + which].revents == 0) continue;
    turn_ = which + 1;
    const int connection = connections_[which];
    Happening happening{Happening::What::kCalled, connection, {}, std::move(spare_)};
    if (!receive_all(connection, &happening.call, sizeof happening.call) ||
        happening.call.bytes > kMostBytes ||
        !receive_bytes(connection, happening.call.bytes, happening.bytes))
      return gone(connection);
    return happening;
  }
  return {};
}

void Listener::answer(int connection, const Header& header, const std::vector<std::uint8_t>& bytes,
                      int file) {
  // One that has gone is noticed when it is listened to next.
  iovec pieces[] = {{const_cast<Header*>(&header), sizeof header},
                    {const_cast<std::uint8_t*>(bytes.data()), bytes.size()}};
  if (file < 0)
    send_pieces(connection, pieces);
  else if (send_with_file(connection, &header, sizeof header, file))
    send_all(connection, bytes.data(), bytes.size());
}

}  // namespace warpvp::cuda
