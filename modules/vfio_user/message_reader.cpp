#include "modules/vfio_user/message_reader.h"

#include <algorithm>
#include <cstring>

namespace warpvp::vfio_user {

bool MessageReader::refuse(std::string why) {
  problem_ = std::move(why);
  partial_.clear();
  files_.clear();
  return false;
}

std::string MessageReader::problem_of(const Header& header) const {
  const std::uint32_t type = header.flags & Header::kTypeMask;
  if (header.bytes < sizeof(Header))
    return "a message of " + std::to_string(header.bytes) + " bytes, less than its header has";
  if (header.bytes > kMaxMessage)
    return "a message of " + std::to_string(header.bytes) + " bytes; allowed: " + std::to_string(kMaxMessage);
  if (type != Header::kCommandType && type != Header::kReplyType)
    return "a message of type " + std::to_string(type) + "; allowed: 0 (command), 1 (reply)";
  return {};
}

bool MessageReader::take(const std::uint8_t* bytes, std::size_t count, std::vector<FileDescriptor> files) {
  if (!problem_.empty()) return false;
  for (FileDescriptor& file : files) files_.push_back(std::move(file));
  if (files_.size() > kMaxFds)
    return refuse("more than " + std::to_string(kMaxFds) + " file descriptors in a message");
  while (count != 0) {
    // First the header, then as much as it announces: memory grows with what has arrived.
    std::size_t wanted = sizeof(Header);
    Header header;
    if (partial_.size() >= sizeof header) {
      std::memcpy(&header, partial_.data(), sizeof header);
      wanted = header.bytes;
    }
    const std::size_t piece = std::min(count, wanted - partial_.size());
    partial_.insert(partial_.end(), bytes, bytes + piece);
    bytes += piece;
    count -= piece;
    if (partial_.size() < sizeof header) break;
    std::memcpy(&header, partial_.data(), sizeof header);
    if (partial_.size() == sizeof header) {
      if (std::string problem = problem_of(header); !problem.empty()) return refuse(std::move(problem));
    }
    if (partial_.size() < header.bytes) continue;
    Message message;
    message.header = header;
    message.payload.assign(partial_.begin() + sizeof header, partial_.end());
    message.files = std::move(files_);
    files_.clear();
    partial_.clear();
    complete_.push_back(std::move(message));
  }
  return true;
}

Message MessageReader::next() {
  Message message = std::move(complete_.front());
  complete_.pop_front();
  return message;
}

}  // namespace warpvp::vfio_user
