#include "sw/runtime/driver_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sw/runtime/driver_interface.h"

namespace warpvp::rt {

namespace ep = regmap::ep;
namespace mm = regmap::mm;

namespace {

constexpr std::uint64_t kHostPage = 4096;
constexpr int kPatienceMs = 10'000;  // without an interrupt, before the device is asked whether it rests

}  // namespace

DriverLink::DriverLink(const std::string& path) {
  std::string name = path;
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    if (name.substr(comma) != ",interrupts")
      throw InputError(fmt::format("'driver:{}': allowed behind the device file: ,interrupts", path));
    interrupts_ = true;
    name.erase(comma);
  }
  file_ = open(name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) throw InputError(fmt::format("no device at {}: {}", name, std::strerror(errno)));
  try {
    warpvp_info info{};
    if (ioctl(file_, WARPVP_INFO, &info) != 0 || info.version != WARPVP_DRIVER_VERSION)
      throw InputError(fmt::format("{} is no device file of a driver of this version", name));
    share_.context = info.context;
    share_.first_queue = info.first_queue;
    share_.queues = info.queues;
    share_.whole_device = info.file == 0;
    if (!bars_.map(Bar::kRegisters, file_, info.registers_bytes, WARPVP_MMAP_REGISTERS) ||
        !bars_.map(Bar::kMemory, file_, info.memory_bytes, WARPVP_MMAP_MEMORY))
      throw InputError(fmt::format("the BARs of {} cannot be mapped: {}", name, std::strerror(errno)));
    check_identity("at " + name);
    if (interrupts_ && ioctl(file_, WARPVP_INTERRUPTS) != 0)
      throw InputError(fmt::format("{} gives no interrupts: {}", name, std::strerror(errno)));
  } catch (...) {
    close(file_);
    throw;
  }
}

DriverLink::~DriverLink() { close(file_); }

template <class Argument>
void DriverLink::ask(unsigned long request, Argument* argument, const char* what) const {
  while (ioctl(file_, request, argument) != 0) {
    if (errno == EINTR) continue;
    throw TransportError(fmt::format("the driver refuses {}: {}", what, std::strerror(errno)));
  }
}

void DriverLink::manage(const void* command) {
  mm::Command asked;
  std::memcpy(&asked, command, sizeof asked);
  warpvp_manage manage{};
  manage.operation = asked.operation;
  manage.owner = asked.owner;
  manage.address = asked.address;
  manage.bytes = asked.bytes;
  manage.alignment = asked.alignment;
  ask(WARPVP_MANAGE, &manage, "a command to the memory manager");
  answer_.status = manage.status;
  answer_.owner = manage.answer_owner;
  answer_.begin = manage.begin;
  answer_.end = manage.end;
}

// More than a word is one burst to device memory, as a processor's write-combining buffer makes it, and the
// memory manager's record is taken whole: both are the driver's business, as the registers for it are there
// once.
void DriverLink::write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) {
  if (bar == Bar::kRegisters && offset == mm::kBase + mm::kCommand && bytes == sizeof(mm::Command))
    return manage(data);
  if (bar == Bar::kRegisters) return bars_.write(bar, offset, data, bytes);
  const auto* const from = static_cast<const unsigned char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const auto piece = static_cast<std::uint32_t>(std::min<std::size_t>(bytes - done, WARPVP_BURST_BYTES));
    warpvp_burst burst{offset + done, reinterpret_cast<std::uint64_t>(from + done), piece,
                       untimed ? WARPVP_BURST_UNTIMED : 0};
    ask(WARPVP_BURST, &burst, "a write to device memory");
    done += piece;
  }
}

void DriverLink::read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool) {
  if (bar == Bar::kRegisters && offset == mm::kBase + mm::kAnswer && bytes == sizeof answer_)
    std::memcpy(data, &answer_, sizeof answer_);
  else
    bars_.read(bar, offset, data, bytes);
}

std::vector<HostInterface::Piece> DriverLink::map(void* data, std::size_t bytes, bool device_writes) {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  std::vector<warpvp_piece> pieces((begin % kHostPage + bytes) / kHostPage + 1);
  warpvp_pin pin{};
  pin.data = begin;
  pin.bytes = bytes;
  pin.pieces = reinterpret_cast<std::uint64_t>(pieces.data());
  pin.flags = device_writes ? WARPVP_PIN_WRITTEN : 0;
  pin.capacity = static_cast<std::uint32_t>(pieces.size());
  ask(WARPVP_PIN, &pin, "to pin memory of the program");
  std::vector<HostInterface::Piece> found;
  for (std::uint32_t i = 0; i < pin.count; ++i) found.push_back({pieces[i].dma_address, pieces[i].bytes});
  pinned_[found.front().bus] = pin.handle;
  return found;
}

void DriverLink::unmap(std::uint64_t dma_address) {
  const auto at = pinned_.find(dma_address);
  if (at == pinned_.end()) return;  // a buffer, which goes with the file
  ask(WARPVP_UNPIN, &at->second, "to unpin memory of the program");
  pinned_.erase(at);
}

HostInterface::Shared DriverLink::share(std::size_t bytes) {
  warpvp_buffer buffer{(bytes + kHostPage - 1) / kHostPage * kHostPage, 0, 0};
  ask(WARPVP_BUFFER, &buffer, "a buffer");
  void* const at = mmap(nullptr, buffer.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_,
                        static_cast<off_t>(buffer.offset));
  if (at == MAP_FAILED)
    throw TransportError(fmt::format("a buffer cannot be mapped: {}", std::strerror(errno)));
  return {std::shared_ptr<void>(at, [size = buffer.bytes](void* memory) { munmap(memory, size); }),
          buffer.dma_address};
}

bool DriverLink::wait(std::uint64_t latest_fs) {
  if (!interrupts_ || latest_fs != ~std::uint64_t{0}) return DeviceLink::wait(latest_fs);
  pollfd event{file_, POLLIN, 0};
  while (true) {
    const int come = poll(&event, 1, kPatienceMs);
    if (come < 0 && errno == EINTR) continue;
    std::uint64_t interrupts = 0;
    if (come > 0 && ::read(file_, &interrupts, sizeof interrupts) == sizeof interrupts) return true;
    const std::uint64_t before = endpoint64(ep::kTime);
    if (endpoint64(ep::kTime) == before) return false;
  }
}

}  // namespace warpvp::rt
