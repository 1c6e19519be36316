#include "sw/runtime/device_transport.h"

#include <exception>

#include "interconnect/register_map.h"

namespace warpvp::rt {

namespace ep = regmap::ep;

namespace {
constexpr std::uint64_t kForEver = ~std::uint64_t{0};
}

DeviceTransport::DeviceTransport(std::unique_ptr<DeviceLink> link) : link_(std::move(link)) {
  dma_base_ = link_->endpoint64(ep::kDmaBase);
  link_->write_endpoint(ep::kPace, link_->paced() ? 1 : 0, 4);
}

bool DeviceTransport::over() const { return failed_ && std::uncaught_exceptions() > 0; }

template <class Call>
auto DeviceTransport::guarded(const Call& call) const {
  try {
    return call();
  } catch (const TransportError&) {
    failed_ = true;
    throw;
  }
}

void DeviceTransport::access(bool write, std::uint64_t device_address, void* data, std::size_t bytes,
                             bool untimed) const {
  if (over()) return;
  const bool memory = device_address >= regmap::kMemoryBase;
  const std::uint64_t offset = memory ? device_address - regmap::kMemoryBase : device_address;
  const auto bar = memory ? DeviceLink::Bar::kMemory : DeviceLink::Bar::kRegisters;
  guarded([&] {
    if (write)
      link_->write(bar, offset, data, bytes, untimed);
    else
      link_->read(bar, offset, data, bytes, untimed);
  });
}

void DeviceTransport::write(std::uint64_t device_address, const void* data, std::size_t bytes) {
  access(true, device_address, const_cast<void*>(data), bytes, false);
}

void DeviceTransport::read(std::uint64_t device_address, void* data, std::size_t bytes) {
  access(false, device_address, data, bytes, false);
}

void DeviceTransport::write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) {
  access(true, device_address, const_cast<void*>(data), bytes, true);
}

void DeviceTransport::read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) {
  access(false, device_address, data, bytes, true);
}

std::vector<HostInterface::Piece> DeviceTransport::map_pieces(void* data, std::size_t bytes,
                                                              bool device_writes) {
  std::vector<Piece> pieces = guarded([&] { return link_->map(data, bytes, device_writes); });
  for (Piece& piece : pieces) piece.bus += dma_base_;
  return pieces;
}

std::uint64_t DeviceTransport::map(void* data, std::size_t bytes) {
  const std::vector<Piece> pieces = map_pieces(data, bytes, true);
  if (pieces.size() == 1) return pieces.front().bus;
  unmap(pieces.front().bus);
  throw TransportError("memory whose pages lie scattered for the device cannot be mapped in one piece");
}

HostInterface::Shared DeviceTransport::share(std::size_t bytes) {
  Shared shared = guarded([&] { return link_->share(bytes); });
  shared.bus += dma_base_;
  return shared;
}

void DeviceTransport::unmap(std::uint64_t bus_address) {
  if (!over()) guarded([&] { link_->unmap(bus_address - dma_base_); });
}

void DeviceTransport::wait_until(const std::function<bool()>& done) {
  while (!done()) {
    if (over()) return;
    if (guarded([&] { return link_->wait(kForEver); }) || done()) continue;
    failed_ = true;
    const std::string fault = link_->fault();
    if (!fault.empty()) throw TransportError(fault, TransportError::Why::kDeviceFault);
    throw TransportError("the device rests, and what the program waits for has not come");
  }
}

bool DeviceTransport::wait_until(const std::function<bool()>& done, SimTime latest) {
  bool holds = done();
  while (!holds && now() < latest) {
    guarded([&] { link_->wait(latest.fs()); });
    holds = done();
  }
  return holds;
}

void DeviceTransport::sleep(SimTime duration) {
  if (!over()) guarded([&] { link_->write_endpoint(ep::kAdvance, duration.fs(), 8); });
}

SimTime DeviceTransport::now() const {
  std::uint64_t fs = 0;
  access(false, ep::kBase + ep::kTime, &fs, sizeof fs, false);
  return SimTime::from_fs(fs);
}

}  // namespace warpvp::rt
