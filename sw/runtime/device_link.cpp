#include "sw/runtime/device_link.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "interconnect/register_map.h"
#include "sw/runtime/driver_link.h"
#include "sw/runtime/vfio_link.h"
#include "sw/runtime/vfio_user_link.h"

namespace warpvp::rt {

namespace ep = regmap::ep;

namespace {

std::string text_at(DeviceLink& link, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  link.read(DeviceLink::Bar::kRegisters, ep::kBase + offset, text.data(), bytes, false);
  text.resize(std::strlen(text.c_str()));
  return text;
}

}  // namespace

std::uint32_t DeviceLink::endpoint(std::uint64_t offset) {
  std::uint32_t value = 0;
  read(Bar::kRegisters, ep::kBase + offset, &value, sizeof value, false);
  return value;
}

std::uint64_t DeviceLink::endpoint64(std::uint64_t offset) {
  std::uint64_t value = 0;
  read(Bar::kRegisters, ep::kBase + offset, &value, sizeof value, false);
  return value;
}

void DeviceLink::write_endpoint(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
  write(Bar::kRegisters, ep::kBase + offset, &value, bytes, false);
}

std::string DeviceLink::properties() { return text_at(*this, ep::kProperties, ep::kPropertiesBytes); }

std::string DeviceLink::fault() {
  constexpr std::uint32_t kNobody = 0xffff'ffff;  // what a bus reads where no device answers
  const std::uint32_t error = endpoint(ep::kError);
  if (error == kNobody)
    throw TransportError("the device does not answer any more", TransportError::Why::kGone);
  if ((error & (ep::kDeviceFault | ep::kContextEnded)) == 0) return {};
  return text_at(*this, ep::kErrorText, ep::kErrorTextBytes);
}

DeviceLink::Share DeviceLink::client_share() {
  Share share;
  share.context = endpoint(ep::kContext);
  share.first_queue = endpoint(ep::kFirstQueue);
  share.queues = endpoint(ep::kQueues);
  share.whole_device = share.context == 0;
  return share;
}

bool DeviceLink::wait(std::uint64_t latest_fs) {
  const std::uint64_t before = endpoint64(ep::kTime);
  write_endpoint(ep::kWait, latest_fs, 8);
  return endpoint64(ep::kTime) != before;
}

void DeviceLink::check_identity(const std::string& where) {
  std::string why;
  try {
    if (endpoint(ep::kIdentity) != ep::kIdentityValue)
      why = "it is no warpvp";
    else if (endpoint(ep::kVersion) != ep::kVersionValue)
      why = fmt::format("its registers are of version {}; allowed: {}", endpoint(ep::kVersion),
                        ep::kVersionValue);
  } catch (const TransportError& error) {
    why = error.what();
  }
  if (!why.empty()) throw InputError(fmt::format("the device {} cannot be used: {}", where, why));
}

void DeviceLink::refuse(const std::string& what, int error) {
  const std::string plain = fmt::format("{}: {}", what, std::strerror(error));
  if (error != EIO) throw TransportError(plain);
  const std::string of_device = fault();
  if (of_device.empty()) throw TransportError(plain);
  throw TransportError(of_device, TransportError::Why::kDeviceFault);
}

std::unique_ptr<DeviceLink> open_device(const std::string& address) {
  const auto after = [&](const std::string& scheme) {
    return address.rfind(scheme, 0) == 0 ? address.substr(scheme.size()) : std::string();
  };
  if (const std::string path = after("vfio-user:"); !path.empty())
    return std::make_unique<VfioUserLink>(path);
  if (const std::string path = after("driver:"); !path.empty()) return std::make_unique<DriverLink>(path);
  if (const std::string function = after("pci:"); !function.empty())
    return std::make_unique<VfioLink>(function);
  throw InputError(fmt::format(
      "'{}' is no address of a device; allowed: vfio-user:SOCKET, driver:DEVICE_FILE, pci:FUNCTION",
      address));
}

}  // namespace warpvp::rt
