#include "interconnect/clear_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace warpvp {

void clear_memory(DeviceMemory& memory, std::uint64_t address, std::uint64_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::byte* const begin = memory.at(address);
  std::byte* const end = begin + bytes;
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page,
                       last = reinterpret_cast<std::uintptr_t>(end) / page * page;
  auto* const whole = reinterpret_cast<std::byte*>(first);
  if (first >= last || madvise(whole, last - first, MADV_DONTNEED) != 0) {
    std::memset(begin, 0, bytes);
    return;
  }
  std::memset(begin, 0, static_cast<std::size_t>(whole - begin));
  auto* const rest = reinterpret_cast<std::byte*>(last);
  std::memset(rest, 0, static_cast<std::size_t>(end - rest));
}

}  // namespace warpvp
