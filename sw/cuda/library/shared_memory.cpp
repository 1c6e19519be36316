#include "sw/cuda/library/shared_memory.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "sw/cuda/library/connection.h"

namespace warpvp::cuda {

namespace {

constexpr std::uint64_t kPage = 4096;
std::uint64_t down(std::uint64_t address) { return address / kPage * kPage; }
std::uint64_t up(std::uint64_t address) { return down(address + kPage - 1); }
void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }
std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

struct SharedMemory {
  std::recursive_mutex mutex;
  std::map<std::uint64_t, SharedRange> ranges;  // by the program's address
  std::atomic<bool> registered{false};          // any has ever been
};
SharedMemory& shared() {
  static auto* const all = new SharedMemory;
  return *all;
}

/// Device memory of whole pages; 0: `error` says why.
std::uint64_t allocate_pages(std::size_t bytes, Error& error) {
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(bytes));
  Answer answer = Connection::instance().call(Call::kAllocatePages, arguments);
  error = answer.error;
  return error == kSuccess ? answer.in.get<std::uint64_t>() : 0;
}
Error free_pages(std::uint64_t address) {
  Writer arguments;
  arguments.put(address);
  return Connection::instance().call(Call::kFree, arguments).error;
}

/// Where the pages of the device are this process's now: `place`, or anywhere for 0. 0: they are not.
std::uint64_t map_pages(std::uint64_t device, std::size_t bytes, std::uint64_t place) {
  Writer arguments;
  arguments.put(device).put(static_cast<std::uint64_t>(bytes));
  Answer answer = Connection::instance().call(Call::kShare, arguments);
  if (answer.file < 0) return 0;
  void* got = MAP_FAILED;
  if (answer.error == kSuccess)
    got = mmap(at(place), bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_NORESERVE | (place != 0 ? MAP_FIXED_NOREPLACE : 0), answer.file, 0);
  close(answer.file);
  if (got == MAP_FAILED) return 0;
  if (place == 0 || got == at(place)) return address_of(got);
  munmap(got, bytes);
  return 0;
}

/// Nobody else's memory, and to be written: what is a copy is as good as the pages themselves.
bool are_private(std::uint64_t begin, std::uint64_t end) {
  FILE* const maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return false;
  char line[512];
  while (begin < end && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0, to = 0;
    char rights[8] = {};
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || to <= begin) continue;
    if (from > begin || strncmp(rights, "rw", 2) != 0 || rights[3] != 'p') break;
    begin = to;
  }
  fclose(maps);
  return begin >= end;
}

/// The functions that copy the pages have their own variables on the caller's stack.
bool holds_this_stack(std::uint64_t begin, std::uint64_t end) {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return !known || (begin < address_of(lowest) + bytes && address_of(lowest) < end);
}

/// The pages from `begin` on become those of another mapping, with what they hold. The other one goes.
bool replace(std::uint64_t begin, std::size_t bytes, void* other) {
  std::memcpy(other, at(begin), bytes);
  if (mremap(other, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at(begin)) != MAP_FAILED) return true;
  munmap(other, bytes);
  return false;
}

/// Whether anything shared lies in those bytes.
bool overlaps(std::uint64_t begin, std::uint64_t end) {
  const auto above = shared().ranges.lower_bound(end);
  return above != shared().ranges.begin() &&
         std::prev(above)->first + std::max<std::size_t>(std::prev(above)->second.bytes, 1) > begin;
}

/// The device's address of the first byte; 0: the pages stay as they are.
std::uint64_t give_to_device(std::uint64_t address, std::size_t length) {
  const std::uint64_t begin = down(address), end = up(address + length), bytes = end - begin;
  if (overlaps(begin, end) || holds_this_stack(begin, end) || !are_private(begin, end)) return 0;
  Error error;
  const std::uint64_t device = allocate_pages(bytes, error);
  if (device == 0) return 0;
  const std::uint64_t there = map_pages(device, bytes, 0);
  if (there != 0 && replace(begin, bytes, at(there))) return device + (address - begin);
  free_pages(device);
  return 0;
}

}  // namespace

void* allocate_shared(std::size_t bytes, SharedKind kind, unsigned flags, Error& error) {
  const std::uint64_t address = allocate_pages(bytes, error);
  if (error != kSuccess) return nullptr;
  if (map_pages(address, up(std::max<std::size_t>(bytes, 1)), address) == 0) {
    free_pages(address);
    error = kMemoryAllocation;
    return nullptr;
  }
  const std::lock_guard<std::recursive_mutex> lock(shared().mutex);
  shared().ranges[address] = {address, address, bytes, kind, flags};
  return at(address);
}

Error free_shared(void* pointer, SharedKind kind) {
  SharedRange range;
  {
    const std::lock_guard<std::recursive_mutex> lock(shared().mutex);
    const auto found = shared().ranges.find(address_of(pointer));
    if (found == shared().ranges.end() || found->second.kind != kind) return kInvalidValue;
    range = found->second;
    shared().ranges.erase(found);
  }
  // Before another thread is given the place.
  munmap(pointer, up(std::max<std::size_t>(range.bytes, 1)));
  return free_pages(range.device);
}

Error register_shared(void* pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0) return kInvalidValue;
  if (const Error error = Connection::instance().open()) return error;
  const std::lock_guard<std::recursive_mutex> lock(shared().mutex);
  const std::uint64_t address = address_of(pointer);
  if (overlaps(address, address + bytes)) return kHostMemoryAlreadyRegistered;
  const std::uint64_t device = give_to_device(address, bytes);
  shared().ranges[address] = {address, device, bytes, SharedKind::kRegistered, flags};
  shared().registered = true;
  return kSuccess;
}

Error unregister_shared(void* pointer) {
  const std::lock_guard<std::recursive_mutex> lock(shared().mutex);
  const auto found = shared().ranges.find(address_of(pointer));
  if (found == shared().ranges.end() || found->second.kind != SharedKind::kRegistered)
    return kHostMemoryNotRegistered;
  const SharedRange range = found->second;
  // Copies that are under way end first.
  Error error = Connection::instance().call(Call::kSynchronizeDevice).error;
  if (range.device != 0) {
    const std::uint64_t begin = down(range.address), bytes = up(range.address + range.bytes) - begin;
    void* const own = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED || !replace(begin, bytes, own)) return kMemoryAllocation;
    const Error freed = free_pages(down(range.device));
    if (error == kSuccess) error = freed;
  }
  shared().ranges.erase(found);
  return error;
}

Error share_variable(std::uint64_t address, std::size_t bytes) {
  if (map_pages(address, up(std::max<std::size_t>(bytes, 1)), address) == 0) return kMemoryAllocation;
  const std::lock_guard<std::recursive_mutex> lock(shared().mutex);
  shared().ranges[address] = {address, address, bytes, SharedKind::kVariable, 0};
  return kSuccess;
}

bool find_shared(const void* pointer, SharedRange& range) {
  const std::lock_guard<std::recursive_mutex> lock(shared().mutex);
  const std::uint64_t address = address_of(pointer);
  const auto above = shared().ranges.upper_bound(address);
  if (above == shared().ranges.begin()) return false;
  range = std::prev(above)->second;
  return address - range.address < range.bytes;
}

bool is_managed(const void* pointer) {
  SharedRange range;
  return find_shared(pointer, range) &&
         (range.kind == SharedKind::kManaged || range.kind == SharedKind::kVariable);
}
bool is_pinned(const void* pointer) {
  SharedRange range;
  return find_shared(pointer, range) && range.kind == SharedKind::kPinned;
}

std::uint64_t on_the_device(const void* pointer) {
  SharedRange range;
  const std::uint64_t address = address_of(pointer);
  if (!shared().registered || !find_shared(pointer, range) || range.device == 0) return address;
  return range.device + (address - range.address);
}

std::size_t reached_by_device(const void* pointer) {
  SharedRange range;
  if (!find_shared(pointer, range) || range.device == 0) return 0;
  return range.bytes - (address_of(pointer) - range.address);
}

void translate(std::uint8_t* arguments, std::size_t bytes) {
  if (!shared().registered) return;
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, arguments + i, sizeof word);
    word = on_the_device(at(word));
    std::memcpy(arguments + i, &word, sizeof word);
  }
}

}  // namespace warpvp::cuda
