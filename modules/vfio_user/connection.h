#pragma once
// The socket of one client, and the one at which clients arrive. Nothing here waits for a client.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/vfio_user/message_reader.h"

namespace warpvp::vfio_user {

class Connection {
 public:
  explicit Connection(FileDescriptor socket) : socket_(std::move(socket)) {}

  int socket() const { return socket_.get(); }
  /// Takes what has arrived, unless messages wait that nobody has taken yet: a client that sends more than is
  /// answered waits itself. False: the client has gone, or writes no messages (problem() tells).
  bool receive();
  /// Why the connection is over, if not because the client has gone.
  const std::string& problem() const { return reader_.problem(); }
  /// Commands, in the order in which they came.
  bool has_command() const { return !commands_.empty(); }
  const Message& command() const { return commands_.front(); }
  Message take_command();
  /// The reply to a command of ours, if it has come; replies to others are dropped.
  std::optional<Message> take_reply(std::uint16_t id);
  bool wants_more() const { return waiting_bytes_ < kMostWaiting; }

  /// Sends a message, with `file` beside it (-1: none), as far as the client takes it; the rest follows with
  /// flush(). False: the client has gone, or has not taken what it was sent before.
  bool send(const Header& header, const std::vector<std::uint8_t>& payload, int file = -1);
  /// False: as send().
  bool flush();
  bool has_unsent() const { return !unsent_.empty(); }

 private:
  static constexpr std::size_t kMostWaiting = std::size_t{4} << 20, kMostUnsent = std::size_t{8} << 20;

  bool send_some(const std::uint8_t* bytes, std::size_t count, int file, std::size_t& sent);

  FileDescriptor socket_;
  MessageReader reader_;
  std::deque<Message> commands_, replies_;
  std::size_t waiting_bytes_ = 0;  // in both
  std::vector<std::uint8_t> unsent_;
};

class Listener {
 public:
  /// Makes the socket. One that a process has left behind is removed; InputError where a process listens
  /// there, where the path is too long or something else lies there, or where it cannot be made.
  explicit Listener(const std::string& path);
  /// Removes it.
  ~Listener();
  Listener(const Listener&) = delete;

  int socket() const { return socket_.get(); }
  const std::string& path() const { return path_; }
  /// A client that has arrived; nullopt: there is none.
  std::optional<Connection> accept();

 private:
  const std::string path_;
  FileDescriptor socket_;
};

}  // namespace warpvp::vfio_user
