#include "sw/runtime/vfio_user_transport.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "interconnect/register_map.h"

namespace warpvp::rt {

using Request = vfio_user::Command;
using vfio_user::Header;
namespace ep = regmap::ep;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kForEver = ~std::uint64_t{0};

template <class Part>
std::vector<std::uint8_t> bytes_of(const Part& part, const void* data = nullptr, std::size_t bytes = 0) {
  std::vector<std::uint8_t> out(sizeof part + bytes);
  std::memcpy(out.data(), &part, sizeof part);
  if (bytes != 0) std::memcpy(out.data() + sizeof part, data, bytes);
  return out;
}

}  // namespace

VfioUserTransport::VfioUserTransport(const std::string& path) {
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
    if (endpoint(ep::kIdentity) != ep::kIdentityValue || endpoint(ep::kVersion) != 1)
      throw TransportError("it is no warpvp, or of another version");
  } catch (const TransportError& error) {
    close(socket_);
    throw InputError(fmt::format("the device served at {} cannot be used: {}", path, error.what()));
  }
  access(false, ep::kBase + ep::kDmaBase, &dma_base_, sizeof dma_base_);
  write_endpoint(ep::kPace, 1, 4);
}

VfioUserTransport::~VfioUserTransport() { close(socket_); }

void VfioUserTransport::fail(const std::string& what, int error) const {
  std::string text = fmt::format("{}: {}", what, std::strerror(error));
  if (error == EIO && (endpoint(ep::kError) & ep::kDeviceFault) != 0) {
    char fault[ep::kErrorTextBytes] = {};
    access(false, ep::kBase + ep::kErrorText, fault, sizeof fault);
    text = std::string(fault, strnlen(fault, sizeof fault));
  }
  throw TransportError(text);
}

// ---- Messages

void VfioUserTransport::send(const Header& header, const Bytes& payload) const {
  const Bytes message = bytes_of(header, payload.data(), payload.size());
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t moved = ::send(socket_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw TransportError("the device's server has gone");
    sent += static_cast<std::size_t>(moved);
  }
}

Header VfioUserTransport::receive(Bytes& payload) const {
  const auto take = [&](void* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t moved = recv(socket_, static_cast<char*>(to) + done, bytes - done, 0);
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) throw TransportError("the device's server has gone");
      done += static_cast<std::size_t>(moved);
    }
  };
  Header header;
  take(&header, sizeof header);
  if (header.bytes < sizeof header || header.bytes > vfio_user::kMaxMessage)
    throw TransportError("the device's server sends what is no message");
  payload.resize(header.bytes - sizeof header);
  take(payload.data(), payload.size());
  return header;
}

VfioUserTransport::Bytes VfioUserTransport::ask(Request command, const Bytes& payload) const {
  try {
    return exchange(command, payload);
  } catch (const TransportError&) {
    failed_ = true;
    throw;
  }
}

VfioUserTransport::Bytes VfioUserTransport::exchange(Request command, const Bytes& payload) const {
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
    if (header.id != asked.id) throw TransportError("the device's server answers what was not asked");
    if ((header.flags & Header::kError) != 0)
      fail(fmt::format("command {} was refused", static_cast<unsigned>(command)),
           static_cast<int>(header.error));
    return answer;
  }
}

// The device reaches whole pages, of which only what was mapped is there.
void VfioUserTransport::serve(const Header& asked, Bytes payload) const {
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

void VfioUserTransport::access(bool write, std::uint64_t device_address, void* data,
                               std::size_t bytes) const {
  // While a failure ends the program, what its destructors still do to the device does nothing.
  if (failed_ && std::uncaught_exceptions() > 0) return;
  const bool memory = device_address >= regmap::kMemoryBase;
  const std::uint64_t offset = memory ? device_address - regmap::kMemoryBase : device_address;
  auto* at = static_cast<std::uint8_t*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min<std::size_t>(bytes - done, vfio_user::kMaxTransfer);
    const vfio_user::RegionAccess asked{offset + done, memory ? vfio_user::kBar2 : vfio_user::kBar0,
                                        static_cast<std::uint32_t>(piece)};
    const Bytes answer = write ? ask(Request::kRegionWrite, bytes_of(asked, at + done, piece))
                               : ask(Request::kRegionRead, bytes_of(asked));
    if (!write) {
      if (answer.size() != sizeof asked + piece) throw TransportError("an answer has another length");
      std::memcpy(at + done, answer.data() + sizeof asked, piece);
    }
    done += piece;
  }
}

void VfioUserTransport::write_endpoint(std::uint64_t offset, std::uint64_t value, unsigned bytes) const {
  access(true, ep::kBase + offset, &value, bytes);
}

std::uint32_t VfioUserTransport::endpoint(std::uint64_t offset) const {
  std::uint32_t value = 0;
  access(false, ep::kBase + offset, &value, sizeof value);
  return value;
}

void VfioUserTransport::set_untimed(bool untimed) {
  if (untimed != untimed_) write_endpoint(ep::kUntimed, untimed ? 1 : 0, 4);
  untimed_ = untimed;
}

void VfioUserTransport::write(std::uint64_t device_address, const void* data, std::size_t bytes) {
  set_untimed(false);
  access(true, device_address, const_cast<void*>(data), bytes);
}

void VfioUserTransport::read(std::uint64_t device_address, void* data, std::size_t bytes) {
  set_untimed(false);
  access(false, device_address, data, bytes);
}

// The memory manager takes no time anyway, and other registers are not written so.
void VfioUserTransport::write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) {
  if (device_address >= regmap::kMemoryBase) set_untimed(true);
  access(true, device_address, const_cast<void*>(data), bytes);
}

void VfioUserTransport::read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) {
  if (device_address < regmap::mm::kBase || device_address - regmap::mm::kBase >= regmap::mm::kBytes)
    set_untimed(true);
  access(false, device_address, data, bytes);
}

// ---- Memory and time

std::uint64_t VfioUserTransport::map(void* data, std::size_t bytes) {
  // Whole pages of addresses, dealt in order, and one between two.
  Mapping mapping{static_cast<unsigned char*>(data), bytes, next_address_,
                  (bytes + kPage - 1) / kPage * kPage};
  if (mapping.region_bytes == 0) mapping.region_bytes = kPage;
  next_address_ += mapping.region_bytes + kPage;
  const vfio_user::DmaMap map{sizeof map, vfio_user::DmaMap::kReadable | vfio_user::DmaMap::kWriteable, 0,
                              mapping.region, mapping.region_bytes};
  ask(Request::kDmaMap, bytes_of(map));
  mappings_.emplace(mapping.region, mapping);
  return dma_base_ + mapping.region;
}

void VfioUserTransport::unmap(std::uint64_t bus_address) {
  const auto at = mappings_.find(bus_address - dma_base_);
  if (at == mappings_.end() || (failed_ && std::uncaught_exceptions() > 0)) return;
  const vfio_user::DmaUnmap unmap{sizeof unmap, 0, at->second.region, at->second.region_bytes};
  ask(Request::kDmaUnmap, bytes_of(unmap));
  mappings_.erase(at);
}

void VfioUserTransport::wait_until(const std::function<bool()>& done) {
  while (!done()) {
    if (failed_ && std::uncaught_exceptions() > 0) return;
    const SimTime before = now();
    write_endpoint(ep::kWait, kForEver, 8);
    if (now() == before && !done()) {
      failed_ = true;
      throw TransportError("the device rests, and what the program waits for has not come");
    }
  }
}

bool VfioUserTransport::wait_until(const std::function<bool()>& done, SimTime latest) {
  bool holds = done();
  while (!holds && now() < latest) {
    write_endpoint(ep::kWait, latest.fs(), 8);
    holds = done();
  }
  return holds;
}

void VfioUserTransport::sleep(SimTime duration) { write_endpoint(ep::kAdvance, duration.fs(), 8); }

SimTime VfioUserTransport::now() const {
  std::uint64_t fs = 0;
  access(false, ep::kBase + ep::kTime, &fs, sizeof fs);
  return SimTime::from_fs(fs);
}

}  // namespace warpvp::rt
