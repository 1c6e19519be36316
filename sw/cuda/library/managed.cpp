// Memory under one address for the CPU and the device: memory of the device, with pages of this process at
// the same place. All of it goes to the device before the device works, and comes back when the CPU has
// waited: the CPU may not touch it in between, as on chips without page faults (CUDA C++ Programming Guide,
// "Unified Memory"). The way there and back takes no simulated time.

#include <sys/mman.h>

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

namespace {

constexpr std::uint64_t kPage = 4096;

struct Managed {
  std::recursive_mutex mutex;
  std::map<std::uint64_t, std::size_t> ranges;  // bytes, by address
  std::set<std::uint64_t> pages;                // of this process at such addresses; they stay
  bool on_device = false;                       // what the device has is newer, or may be
};
Managed& managed() {
  static auto* const all = new Managed;
  return *all;
}

}  // namespace

bool mirror(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard<std::recursive_mutex> lock(managed().mutex);
  for (std::uint64_t page = address / kPage * kPage; page < address + bytes; page += kPage) {
    if (managed().pages.count(page) != 0) continue;
    void* const at = reinterpret_cast<void*>(page);
    void* const got =
        mmap(at, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != at) {
      if (got != MAP_FAILED) munmap(got, kPage);
      return false;
    }
    managed().pages.insert(page);
  }
  managed().ranges[address] = bytes;
  return true;
}

void* allocate_managed(std::size_t bytes, Error& error) {
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(bytes));
  Answer answer = Connection::instance().call(Call::kAllocate, arguments);
  error = answer.error;
  if (error != kSuccess) return nullptr;
  const auto address = answer.in.get<std::uint64_t>();
  if (mirror(address, bytes)) return reinterpret_cast<void*>(address);
  Writer back;
  back.put(address);
  Connection::instance().call(Call::kFree, back);
  error = kMemoryAllocation;
  return nullptr;
}

void forget_managed(void* address) {
  const std::lock_guard<std::recursive_mutex> lock(managed().mutex);
  managed().ranges.erase(reinterpret_cast<std::uint64_t>(address));
}

bool is_managed(const void* address) {
  const std::lock_guard<std::recursive_mutex> lock(managed().mutex);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  auto range = managed().ranges.upper_bound(at);
  return range != managed().ranges.begin() && at - std::prev(range)->first < std::prev(range)->second;
}

void push_managed() {
  prepare_managed_variables();
  const std::lock_guard<std::recursive_mutex> lock(managed().mutex);
  if (std::exchange(managed().on_device, true)) return;
  for (const auto& [address, bytes] : managed().ranges) {
    Writer arguments;
    arguments.put(address);
    Connection::instance().call(Call::kMirrorIn, arguments, reinterpret_cast<const void*>(address), bytes);
  }
}

void pull_managed() {
  const std::lock_guard<std::recursive_mutex> lock(managed().mutex);
  if (!std::exchange(managed().on_device, false)) return;
  for (const auto& [address, bytes] : managed().ranges) pull(address, bytes);
}

void pull(std::uint64_t address, std::size_t bytes) {
  Writer arguments;
  arguments.put(address).put(static_cast<std::uint64_t>(bytes));
  Connection::instance().call(Call::kMirrorOut, arguments);
}

}  // namespace warpvp::cuda
