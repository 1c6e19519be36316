#pragma once
// Cuts a stream of bytes into messages. Nothing of what arrives is believed: a header that announces too
// little or too much, or is of no known type, makes the stream useless, and so does a file descriptor too
// many.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/vfio_user.h"
#include "modules/vfio_user/file_descriptor.h"

namespace warpvp::vfio_user {

struct Message {
  Header header;
  std::vector<std::uint8_t> payload;  ///< what follows the header
  std::vector<FileDescriptor> files;

  Command command() const { return static_cast<Command>(header.command); }
  /// The fixed part at the payload's beginning; nullopt: the payload is shorter.
  template <class Part>
  std::optional<Part> part() const {
    if (payload.size() < sizeof(Part)) return std::nullopt;
    Part part;
    std::copy_n(payload.data(), sizeof part, reinterpret_cast<std::uint8_t*>(&part));
    return part;
  }
};

class MessageReader {
 public:
  /// Bytes as they come, of any length, with the file descriptors that came beside them. These belong to the
  /// message whose first byte has not been taken yet, or to the one that is under way. False: it is no stream
  /// of messages (problem() says why), now or before; nothing more is taken.
  bool take(const std::uint8_t* bytes, std::size_t count, std::vector<FileDescriptor> files = {});
  /// Why; empty: it is one.
  const std::string& problem() const { return problem_; }

  bool has_message() const { return !complete_.empty(); }
  /// The oldest complete message; requires has_message().
  Message next();
  /// A message has begun and is not complete.
  bool within_message() const { return !partial_.empty(); }

 private:
  bool refuse(std::string why);
  std::string problem_of(const Header& header) const;

  std::vector<std::uint8_t> partial_;  // of the message under way, header first
  std::vector<FileDescriptor> files_;  // for it
  std::deque<Message> complete_;
  std::string problem_;
};

}  // namespace warpvp::vfio_user
