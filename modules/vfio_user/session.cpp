#include "modules/vfio_user/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

namespace warpvp::vfio_user {

namespace {

constexpr std::uint32_t kMsixTable = 0, kMsixPending = 0x800;
constexpr std::uint64_t kBar4Bytes = 4096;

ConfigSpace::Shape config_shape(const DeviceShape& shape) {
  return {shape.bar0_bytes, shape.bar2_bytes, kBar4Bytes, shape.vectors, kMsixTable, kMsixPending};
}

template <class Part>
void append(std::vector<std::uint8_t>& to, const Part& part) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&part);
  to.insert(to.end(), bytes, bytes + sizeof part);
}

/// The capabilities of a version message; nullopt: they are no JSON with a NUL behind it.
std::optional<nlohmann::json> capabilities_of(const std::vector<std::uint8_t>& payload) {
  constexpr std::size_t kMostText = 4096;
  const auto begin = payload.begin() + sizeof(Version);
  if (begin == payload.end()) return nlohmann::json::object();
  if (payload.back() != 0 || payload.size() - sizeof(Version) > kMostText) return std::nullopt;
  const auto text = nlohmann::json::parse(begin, std::find(begin, payload.end(), 0), nullptr, false);
  if (!text.is_object()) return std::nullopt;
  const auto found = text.find("capabilities");
  if (found == text.end()) return nlohmann::json::object();
  if (!found->is_object()) return std::nullopt;
  return *found;
}

}  // namespace

Session::Session(Connection connection, const DeviceShape& shape, Device& device)
    : connection_(std::move(connection)),
      shape_(shape),
      device_(device),
      config_(config_shape(shape)),
      interrupts_(shape.vectors),
      msix_table_(16 * std::size_t{shape.vectors}) {}

bool Session::next_needs_device() const {
  if (!connection_.has_command()) return false;
  const Message& message = connection_.command();
  if (message.command() != Command::kRegionRead && message.command() != Command::kRegionWrite) return false;
  const auto access = message.part<RegionAccess>();
  return access && (access->region == kBar0 || access->region == kBar2);
}

void Session::end(const std::string& why) {
  if (!over_) problem_ = why;
  over_ = true;
  memory_.clear();
  interrupts_.clear();
}

void Session::answer(const Payload& payload, int file) {
  const Header asked = *current_;
  current_.reset();
  if (over_ || (asked.flags & Header::kNoReply) != 0) return;
  Header header = asked;
  header.flags = Header::kReplyType;
  header.error = 0;
  header.bytes = static_cast<std::uint32_t>(sizeof header + payload.size());
  if (!connection_.send(header, payload, file)) end("it does not take what it is answered");
}

void Session::refuse(int error) {
  const Header asked = *current_;
  current_.reset();
  if (over_ || (asked.flags & Header::kNoReply) != 0) return;
  Header header = asked;
  header.flags = Header::kReplyType | Header::kError;
  header.error = static_cast<std::uint32_t>(error);
  header.bytes = sizeof header;
  if (!connection_.send(header, {})) end("it does not take what it is answered");
}

void Session::fail_current(int error) {
  if (current_) refuse(error);
}

void Session::handle_next() {
  Message message = connection_.take_command();
  current_ = message.header;
  Payload reply;
  int file = -1;
  const int error = carry_out(message, reply, file);
  if (over_) return;
  if (error != 0)
    refuse(error);
  else
    answer(reply, file);
  if (!negotiated_) end("it did not begin with a version that is served (0.1)");
}

int Session::carry_out(Message& message, Payload& reply, int& file) {
  if (!negotiated_) return message.command() == Command::kVersion ? negotiate(message, reply) : EINVAL;
  switch (message.command()) {
    case Command::kDmaMap: {
      const auto map = message.part<DmaMap>();
      if (!map || message.files.size() > 1) return EINVAL;
      return memory_.add(*map, message.files.empty() ? FileDescriptor() : std::move(message.files[0]),
                         shape_.dma_limit);
    }
    case Command::kDmaUnmap:
      return unmap(message, reply);
    case Command::kDeviceGetInfo:
      if (!message.part<DeviceInfo>()) return EINVAL;
      append(reply, DeviceInfo{sizeof(DeviceInfo), DeviceInfo::kReset | DeviceInfo::kPci, kRegions, kIrqs});
      return 0;
    case Command::kDeviceGetRegionInfo:
      return region_info(message, reply, file);
    case Command::kDeviceGetIrqInfo:
      return irq_info(message, reply);
    case Command::kDeviceSetIrqs: {
      const auto request = message.part<IrqSet>();
      if (!request) return EINVAL;
      return interrupts_.set(*request, message.payload.data() + sizeof *request,
                             message.payload.size() - sizeof *request, std::move(message.files));
    }
    case Command::kRegionRead:
      return access_region(false, message, reply);
    case Command::kRegionWrite:
      return access_region(true, message, reply);
    case Command::kDeviceReset:
      reset();
      return 0;
    default:
      return ENOTSUP;
  }
}

void Session::reset() {
  device_.reset(*this);
  config_.reset();
  std::fill(msix_table_.begin(), msix_table_.end(), 0);
}

int Session::negotiate(const Message& message, Payload& reply) {
  const auto version = message.part<Version>();
  if (!version || version->major != kMajor) return ENOTSUP;
  const auto capabilities = capabilities_of(message.payload);
  if (!capabilities) return EINVAL;
  if (const auto most = capabilities->find("max_data_xfer_size"); most != capabilities->end()) {
    if (!most->is_number_unsigned() || *most == 0) return EINVAL;
    transfer_ = std::min<std::uint64_t>(kMaxTransfer, most->get<std::uint64_t>());
  }
  negotiated_ = true;
  append(reply, Version{kMajor, std::min(kMinor, version->minor)});
  const nlohmann::json offered = {{"capabilities",
                                   {{"max_msg_fds", kMaxFds},
                                    {"max_data_xfer_size", kMaxTransfer},
                                    {"max_dma_maps", kMaxDmaRegions},
                                    {"pgsizes", 4096}}}};
  const std::string text = offered.dump();
  reply.insert(reply.end(), text.begin(), text.end());
  reply.push_back(0);
  return 0;
}

std::uint64_t Session::region_bytes(std::uint32_t region) const {
  switch (region) {
    case kBar0:
      return shape_.bar0_bytes;
    case kBar2:
      return shape_.bar2_bytes;
    case kBar4:
      return kBar4Bytes;
    case kConfigRegion:
      return ConfigSpace::kBytes;
    default:
      return 0;
  }
}

int Session::region_info(const Message& message, Payload& reply, int& file) const {
  const auto asked = message.part<RegionInfo>();
  if (!asked || asked->argsz < sizeof *asked || asked->index >= kRegions) return EINVAL;
  RegionInfo info;
  info.argsz = sizeof info;
  info.index = asked->index;
  info.bytes = region_bytes(asked->index);
  if (info.bytes != 0) info.flags = RegionInfo::kRead | RegionInfo::kWrite;
  if (asked->index == kBar2 && shape_.memory_file >= 0) {
    info.flags |= RegionInfo::kMmap;
    file = shape_.memory_file;
  }
  append(reply, info);
  return 0;
}

int Session::irq_info(const Message& message, Payload& reply) const {
  const auto asked = message.part<IrqInfo>();
  if (!asked || asked->index >= kIrqs) return EINVAL;
  IrqInfo info{sizeof(IrqInfo), 0, asked->index, 0};
  if (asked->index == kMsixIrq) {
    info.flags = IrqInfo::kEventfd | IrqInfo::kNoResize;
    info.count = interrupts_.count();
  }
  append(reply, info);
  return 0;
}

int Session::unmap(const Message& message, Payload& reply) {
  auto asked = message.part<DmaUnmap>();
  if (!asked || (asked->flags & ~DmaUnmap::kAll) != 0) return EINVAL;
  std::uint64_t removed = 0;
  if ((asked->flags & DmaUnmap::kAll) != 0) {
    if (asked->address != 0 || asked->bytes != 0) return EINVAL;
    removed = memory_.clear();
  } else if (const int error = memory_.remove(asked->address, asked->bytes, removed)) {
    return error;
  }
  asked->bytes = removed;
  append(reply, *asked);
  return 0;
}

int Session::access_region(bool write, Message& message, Payload& reply) {
  const auto asked = message.part<RegionAccess>();
  if (!asked || asked->count == 0 || asked->count > kMaxTransfer || (!write && asked->count > transfer_))
    return EINVAL;
  if (write && message.payload.size() != sizeof *asked + asked->count) return EINVAL;
  const std::uint64_t bytes = region_bytes(asked->region);
  if (asked->offset > bytes || asked->count > bytes - asked->offset) return EINVAL;
  Payload data;
  std::uint8_t* at = message.payload.data() + sizeof *asked;
  if (!write) {
    data.resize(asked->count);
    at = data.data();
  }
  int error = 0;
  if (asked->region == kConfigRegion) {
    if (write) {
      config_.write(asked->offset, at, asked->count);
      if (config_.reset_asked()) reset();
    } else {
      config_.read(asked->offset, at, asked->count);
    }
  } else if (asked->region == kBar4) {
    error = access_bar4(write, asked->offset, at, asked->count);
  } else {
    error = device_.access(*this, write, asked->region, asked->offset, at, asked->count);
  }
  if (error != 0) return error;
  append(reply, *asked);
  reply.insert(reply.end(), data.begin(), data.end());
  return 0;
}

// The table is the client's: it says there what it wants to get, and eventfds deliver. What lies in neither
// table nor pending bits reads as zero.
int Session::access_bar4(bool write, std::uint64_t offset, std::uint8_t* data, std::size_t bytes) {
  if (bytes % 4 != 0 || offset % 4 != 0) return EINVAL;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint64_t at = offset + i;
    if (at < kMsixTable + msix_table_.size()) {
      std::uint8_t& place = msix_table_[at - kMsixTable];
      if (write)
        place = data[i];
      else
        data[i] = place;
    } else if (!write) {
      data[i] = 0;
      for (unsigned bit = 0; bit < 8 && at >= kMsixPending; ++bit) {
        const std::uint64_t vector = 8 * (at - kMsixPending) + bit;
        if (vector < interrupts_.count() && interrupts_.pending(static_cast<unsigned>(vector)))
          data[i] = static_cast<std::uint8_t>(data[i] | 1u << bit);
      }
    }
  }
  return 0;
}

bool Session::access_memory(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes,
                            int patience_ms) {
  if (over_) return false;
  return memory_.access(write, address, data, bytes,
                        [&](bool w, std::uint64_t at, std::uint8_t* piece, std::size_t count) {
                          return exchange(w, at, piece, count, patience_ms);
                        });
}

bool Session::exchange(bool write, std::uint64_t address, std::uint8_t* data, std::size_t bytes,
                       int patience_ms) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
  while (bytes != 0) {
    const std::size_t piece = std::min<std::uint64_t>(bytes, transfer_);
    Payload payload;
    append(payload, DmaAccess{address, piece});
    if (write) payload.insert(payload.end(), data, data + piece);
    Header header;
    header.id = next_id_++;
    header.command = static_cast<std::uint16_t>(write ? Command::kDmaWrite : Command::kDmaRead);
    header.bytes = static_cast<std::uint32_t>(sizeof header + payload.size());
    bool there = connection_.send(header, payload);
    std::optional<Message> reply;
    while (there && !(reply = connection_.take_reply(header.id))) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) {
        end(fmt::format("it has not answered an access to its memory within {} ms", patience_ms));
        return false;
      }
      const auto events = static_cast<short>(POLLIN | (connection_.has_unsent() ? POLLOUT : 0));
      pollfd wait{connection_.socket(), events, 0};
      poll(&wait, 1, static_cast<int>(left));
      if (!connection_.wants_more()) {
        end("it sends commands and answers no access to its memory");
        return false;
      }
      there = connection_.flush() && connection_.receive();
    }
    if (!reply) {
      end(connection_.problem());
      return false;
    }
    const auto done = reply->part<DmaAccess>();
    if ((reply->header.flags & Header::kError) != 0) return false;
    if (!write) {
      if (!done || reply->payload.size() != sizeof *done + piece) {
        end("its answer to an access to its memory has another length");
        return false;
      }
      std::copy_n(reply->payload.data() + sizeof *done, piece, data);
    }
    address += piece;
    data += piece;
    bytes -= piece;
  }
  return true;
}

}  // namespace warpvp::vfio_user
