#include "sw/runtime/vfio_user_link.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interconnect/register_map.h"

namespace warpvp::rt {

using Request = vfio_user::Command;
using vfio_user::Header;
namespace ep = regmap::ep;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr auto kGone = TransportError::Why::kGone;

template <class Part>
std::vector<std::uint8_t> bytes_of(const Part& part, const void* data = nullptr, std::size_t bytes = 0) {
  std::vector<std::uint8_t> out(sizeof part + bytes);
  std::memcpy(out.data(), &part, sizeof part);
  if (bytes != 0) std::memcpy(out.data() + sizeof part, data, bytes);
  return out;
}

}  // namespace

VfioUserLink::VfioUserLink(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    throw InputError(fmt::format("the socket's path '{}' has {} characters; allowed: 1 to {}", path,
                                 path.size(), sizeof address.sun_path - 1));
  std::copy(path.begin(), path.end(), address.sun_path);
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    if (socket_ >= 0) close(socket_);
    throw InputError(fmt::format("no device is served at {}: {}", path, std::strerror(error)));
  }
  try {
    ask(Request::kVersion, bytes_of(vfio_user::Version{vfio_user::kMajor, vfio_user::kMinor}));
    check_identity("served at " + path);
  } catch (const TransportError& error) {
    close(socket_);
    throw InputError(fmt::format("the device served at {} cannot be used: {}", path, error.what()));
  } catch (...) {
    close(socket_);
    throw;
  }
}

VfioUserLink::~VfioUserLink() { close(socket_); }

// ---- Messages

void VfioUserLink::send(const Header& header, const Bytes& payload) {
  const Bytes message = bytes_of(header, payload.data(), payload.size());
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t moved = ::send(socket_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw TransportError("the device's server has gone", kGone);
    sent += static_cast<std::size_t>(moved);
  }
}

Header VfioUserLink::receive(Bytes& payload) {
  const auto take = [&](void* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t moved = recv(socket_, static_cast<char*>(to) + done, bytes - done, 0);
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) throw TransportError("the device's server has gone", kGone);
      done += static_cast<std::size_t>(moved);
    }
  };
  Header header;
  take(&header, sizeof header);
  if (header.bytes < sizeof header || header.bytes > vfio_user::kMaxMessage)
    throw TransportError("the device's server sends what is no message", kGone);
  payload.resize(header.bytes - sizeof header);
  take(payload.data(), payload.size());
  return header;
}

VfioUserLink::Bytes VfioUserLink::ask(Request command, const Bytes& payload) {
  Header asked;
  asked.id = next_id_++;
  asked.command = static_cast<std::uint16_t>(command);
  asked.bytes = static_cast<std::uint32_t>(sizeof asked + payload.size());
  send(asked, payload);
  while (true) {
    Bytes answer;
    const Header header = receive(answer);
    if (!header.is_reply()) {
      serve(header, std::move(answer));
      continue;
    }
    if (header.id != asked.id) throw TransportError("the device's server answers what was not asked", kGone);
    if ((header.flags & Header::kError) != 0)
      refuse(fmt::format("command {} was refused", static_cast<unsigned>(command)),
             static_cast<int>(header.error));
    return answer;
  }
}

// The device reaches whole pages, of which only what was mapped is there.
void VfioUserLink::serve(const Header& asked, Bytes payload) {
  vfio_user::DmaAccess access;
  Header reply = asked;
  reply.flags = Header::kReplyType;
  const auto command = static_cast<Request>(asked.command);
  const bool write = command == Request::kDmaWrite;
  unsigned char* there = nullptr;
  if (payload.size() >= sizeof access && (write || command == Request::kDmaRead)) {
    std::memcpy(&access, payload.data(), sizeof access);
    const auto next = mappings_.upper_bound(access.address);
    if (next != mappings_.begin()) {
      const auto& [begin, mapping] = *std::prev(next);
      const std::uint64_t offset = access.address - begin;
      if (offset <= mapping.bytes && access.count <= mapping.bytes - offset) there = mapping.data + offset;
    }
    if (write && payload.size() != sizeof access + access.count) there = nullptr;
  }
  if (there == nullptr) {
    reply.flags |= Header::kError;
    reply.error = EFAULT;
    payload.clear();
  } else if (write) {
    std::memcpy(there, payload.data() + sizeof access, access.count);
    payload.resize(sizeof access);
  } else {
    payload = bytes_of(access, there, access.count);
  }
  reply.bytes = static_cast<std::uint32_t>(sizeof reply + payload.size());
  send(reply, payload);
}

// ---- Accesses

void VfioUserLink::access(bool write, Bar bar, std::uint64_t offset, void* data, std::size_t bytes) {
  auto* at = static_cast<std::uint8_t*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min<std::size_t>(bytes - done, vfio_user::kMaxTransfer);
    const vfio_user::RegionAccess asked{offset + done,
                                        bar == Bar::kMemory ? vfio_user::kBar2 : vfio_user::kBar0,
                                        static_cast<std::uint32_t>(piece)};
    const Bytes answer = write ? ask(Request::kRegionWrite, bytes_of(asked, at + done, piece))
                               : ask(Request::kRegionRead, bytes_of(asked));
    if (!write) {
      if (answer.size() != sizeof asked + piece) throw TransportError("an answer has another length", kGone);
      std::memcpy(at + done, answer.data() + sizeof asked, piece);
    }
    done += piece;
  }
}

void VfioUserLink::set_untimed(bool untimed) {
  if (untimed == untimed_) return;
  untimed_ = untimed;
  write_endpoint(ep::kUntimed, untimed ? 1 : 0, 4);
}

// The endpoint and the memory manager take no time anyway, and other registers are not written so.
void VfioUserLink::write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) {
  const bool endpoint = bar == Bar::kRegisters && offset < ep::kBase + ep::kBytes;
  if (!endpoint && (bar == Bar::kMemory || !untimed)) set_untimed(untimed);
  access(true, bar, offset, const_cast<void*>(data), bytes);
}

void VfioUserLink::read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool untimed) {
  const bool endpoint = bar == Bar::kRegisters && offset < ep::kBase + ep::kBytes;
  const bool manager = bar == Bar::kRegisters && offset >= regmap::mm::kBase &&
                       offset - regmap::mm::kBase < regmap::mm::kBytes;
  if (!endpoint && !(untimed && manager)) set_untimed(untimed);
  access(false, bar, offset, data, bytes);
}

// ---- Memory

std::vector<HostInterface::Piece> VfioUserLink::map(void* data, std::size_t bytes, bool) {
  // Whole pages of addresses, dealt in order, and one between two.
  Mapping mapping{
      static_cast<unsigned char*>(data), bytes, next_address_, (bytes + kPage - 1) / kPage * kPage, {}};
  if (mapping.region_bytes == 0) mapping.region_bytes = kPage;
  next_address_ += mapping.region_bytes + kPage;
  const vfio_user::DmaMap map{sizeof map, vfio_user::DmaMap::kReadable | vfio_user::DmaMap::kWriteable, 0,
                              mapping.region, mapping.region_bytes};
  ask(Request::kDmaMap, bytes_of(map));
  mappings_.emplace(mapping.region, mapping);
  return {{mapping.region, bytes}};
}

void VfioUserLink::unmap(std::uint64_t dma_address) {
  const auto at = mappings_.find(dma_address);
  if (at == mappings_.end()) return;
  const vfio_user::DmaUnmap unmap{sizeof unmap, 0, at->second.region, at->second.region_bytes};
  ask(Request::kDmaUnmap, bytes_of(unmap));
  mappings_.erase(at);
}

HostInterface::Shared VfioUserLink::share(std::size_t bytes) {
  const std::shared_ptr<unsigned char> memory(new unsigned char[bytes](),
                                              std::default_delete<unsigned char[]>());
  const std::uint64_t address = map(memory.get(), bytes, true).front().bus;
  mappings_.at(address).shared = memory;
  return {memory, address};
}

}  // namespace warpvp::rt
