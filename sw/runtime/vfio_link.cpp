#include "sw/runtime/vfio_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/vfio.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interconnect/register_map.h"

namespace warpvp::rt {

namespace cp = regmap::cp;
namespace ep = regmap::ep;
namespace mm = regmap::mm;

namespace {

constexpr std::uint64_t kIovaPage = 4096;
constexpr int kInterruptPatienceMs = 10'000;
constexpr unsigned kVector = 1;  // of completions; vector 0 is for errors

[[noreturn]] void fail(const std::string& address, const std::string& what, int error) {
  throw InputError(
      fmt::format("the device at {} cannot be used: {}: {}", address, what, std::strerror(error)));
}

}  // namespace

VfioLink::VfioLink(const std::string& address) {
  std::string name = address;
  bool interrupts = false;
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    if (name.substr(comma) != ",interrupts")
      throw InputError(fmt::format("'pci:{}': allowed behind the address: ,interrupts", address));
    interrupts = true;
    name.erase(comma);
  }
  try {
    open_group(name);
    open_device(name);
    map_bar(Bar::kRegisters, VFIO_PCI_BAR0_REGION_INDEX, name);
    map_bar(Bar::kMemory, VFIO_PCI_BAR2_REGION_INDEX, name);
    enable(name);
    check_identity("at " + name);
    if (interrupts) raise_interrupts(name);
  } catch (...) {
    close_files();
    throw;
  }
}

VfioLink::~VfioLink() { close_files(); }

void VfioLink::close_files() {
  for (const int file : {event_, device_, group_, container_})
    if (file >= 0) close(file);
}

void VfioLink::open_group(const std::string& address) {
  const std::string function = "/sys/bus/pci/devices/" + address;
  if (access(function.c_str(), F_OK) != 0)
    throw InputError(fmt::format("no device at {}: there is no {}", address, function));
  char link[256] = {};
  if (readlink((function + "/iommu_group").c_str(), link, sizeof link - 1) < 0)
    throw InputError(
        fmt::format("the device at {} is behind no IOMMU; allowed: driver:DEVICE_FILE", address));
  const std::string group = std::string("/dev/vfio/") + (std::strrchr(link, '/') + 1);
  container_ = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
  if (container_ < 0) fail(address, "/dev/vfio/vfio", errno);
  group_ = open(group.c_str(), O_RDWR | O_CLOEXEC);
  if (group_ < 0) fail(address, fmt::format("{} (is it bound to vfio-pci, and free?)", group), errno);
  vfio_group_status status{sizeof status, 0};
  if (ioctl(group_, VFIO_GROUP_GET_STATUS, &status) != 0) fail(address, group, errno);
  if ((status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0)
    throw InputError(
        fmt::format("the device at {} cannot be used: others of its IOMMU group have drivers", address));
  if (ioctl(group_, VFIO_GROUP_SET_CONTAINER, &container_) != 0 ||
      ioctl(container_, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0)
    fail(address, "its IOMMU", errno);
}

void VfioLink::open_device(const std::string& address) {
  device_ = ioctl(group_, VFIO_GROUP_GET_DEVICE_FD, address.c_str());
  if (device_ < 0) fail(address, "VFIO", errno);
}

void VfioLink::map_bar(Bar bar, unsigned region, const std::string& address) {
  vfio_region_info info{};
  info.argsz = sizeof info;
  info.index = region;
  if (ioctl(device_, VFIO_DEVICE_GET_REGION_INFO, &info) != 0 ||
      (info.flags & VFIO_REGION_INFO_FLAG_MMAP) == 0 || !bars_.map(bar, device_, info.size, info.offset))
    fail(address, fmt::format("BAR {}", region), errno);
}

/// Whatever the last program has left is reset; then the device may access memory.
void VfioLink::enable(const std::string& address) {
  if (ioctl(device_, VFIO_DEVICE_RESET) != 0) fail(address, "a reset", errno);
  vfio_region_info info{};
  info.argsz = sizeof info;
  info.index = VFIO_PCI_CONFIG_REGION_INDEX;
  std::uint16_t command = 0;
  constexpr std::uint16_t kMemoryAndMaster = 6;
  if (ioctl(device_, VFIO_DEVICE_GET_REGION_INFO, &info) != 0 ||
      pread(device_, &command, sizeof command, static_cast<off_t>(info.offset + 4)) != sizeof command)
    fail(address, "its configuration space", errno);
  command |= kMemoryAndMaster;
  if (pwrite(device_, &command, sizeof command, static_cast<off_t>(info.offset + 4)) != sizeof command)
    fail(address, "its configuration space", errno);
}

void VfioLink::raise_interrupts(const std::string& address) {
  event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  alignas(vfio_irq_set) unsigned char request[sizeof(vfio_irq_set) + 2 * sizeof(int)] = {};
  auto* const set = reinterpret_cast<vfio_irq_set*>(request);
  set->argsz = sizeof request;
  set->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
  set->index = VFIO_PCI_MSIX_IRQ_INDEX;
  set->count = kVector + 1;
  const int events[] = {event_, event_};
  std::memcpy(set->data, events, sizeof events);
  if (event_ < 0 || ioctl(device_, VFIO_DEVICE_SET_IRQS, set) != 0) fail(address, "interrupts", errno);
  const std::uint32_t first = cp::kInterruptOn | endpoint(ep::kFirstInterrupt);
  const std::uint32_t completion = first + kVector;
  const unsigned queues = endpoint(ep::kQueues);
  for (unsigned q = 0; q < queues; ++q)
    write(Bar::kRegisters, cp::kBase + cp::kInterrupts + q * cp::kInterruptStride, &completion,
          sizeof completion, false);
  write(Bar::kRegisters, cp::kBase + cp::kErrorInterrupt, &first, sizeof first, false);
}

// ---- Accesses

void VfioLink::write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) {
  if (bar == Bar::kRegisters) {
    if (offset == mm::kBase + mm::kCommand) return bars_.burst_to_registers(offset, data, bytes);
    return bars_.write(bar, offset, data, bytes);
  }
  const auto* const from = static_cast<const unsigned char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min<std::size_t>(bytes - done, ep::kBurstBytes);
    bars_.burst_to_memory(offset + done, from + done, piece, untimed);
    done += piece;
  }
}

void VfioLink::read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool) {
  bars_.read(bar, offset, data, bytes);
}

// ---- Memory

// Whole pages at addresses dealt in order, at most 2^40 of them, as the device reaches.
std::vector<HostInterface::Piece> VfioLink::map(void* data, std::size_t bytes, bool device_writes) {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  const std::uint64_t page = begin / kIovaPage * kIovaPage, inset = begin - page;
  vfio_iommu_type1_dma_map map{};
  map.argsz = sizeof map;
  map.flags = VFIO_DMA_MAP_FLAG_READ | (device_writes ? VFIO_DMA_MAP_FLAG_WRITE : 0);
  map.vaddr = page;
  map.iova = next_address_;
  map.size = (inset + bytes + kIovaPage - 1) / kIovaPage * kIovaPage;
  if (ioctl(container_, VFIO_IOMMU_MAP_DMA, &map) != 0)
    throw TransportError(
        fmt::format("{} bytes of memory cannot be mapped for the device: {}", bytes, std::strerror(errno)));
  next_address_ += map.size + kIovaPage;
  mappings_[map.iova + inset] = {map.iova, map.size};
  return {{map.iova + inset, bytes}};
}

void VfioLink::unmap(std::uint64_t dma_address) {
  const auto at = mappings_.find(dma_address);
  if (at == mappings_.end()) return;
  vfio_iommu_type1_dma_unmap unmap{};
  unmap.argsz = sizeof unmap;
  unmap.iova = at->second.first;
  unmap.size = at->second.second;
  if (ioctl(container_, VFIO_IOMMU_UNMAP_DMA, &unmap) != 0)
    throw TransportError(fmt::format("memory cannot be unmapped: {}", std::strerror(errno)));
  mappings_.erase(at);
}

HostInterface::Shared VfioLink::share(std::size_t bytes) {
  const std::size_t whole = (bytes + kIovaPage - 1) / kIovaPage * kIovaPage;
  void* const at =
      mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (at == MAP_FAILED) throw TransportError(fmt::format("no memory to share: {}", std::strerror(errno)));
  const std::shared_ptr<void> memory(at, [whole](void* m) { munmap(m, whole); });
  return {memory, map(at, whole, true).front().bus};
}

bool VfioLink::wait(std::uint64_t latest_fs) {
  if (event_ < 0 || latest_fs != ~std::uint64_t{0}) return DeviceLink::wait(latest_fs);
  pollfd event{event_, POLLIN, 0};
  while (true) {
    const int come = poll(&event, 1, kInterruptPatienceMs);
    if (come < 0 && errno == EINTR) continue;
    std::uint64_t count = 0;
    if (come > 0 && ::read(event_, &count, sizeof count) == sizeof count) return true;
    const std::uint64_t before = endpoint64(ep::kTime);
    if (endpoint64(ep::kTime) == before) return false;
  }
}

}  // namespace warpvp::rt
