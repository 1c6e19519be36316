#include "platform/run/host_heap.h"

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace warpvp {

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

#ifdef __GLIBC__
namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kReach = std::size_t{256} << 20;  // address space only, until it is touched
constexpr int kLargestInHeap = 32 << 20;                // the most that glibc lets us ask for
}  // namespace

void use_huge_pages() {
  // Large tables come from the heap too, and the heap grows once, by all that we are going to advise.
  mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * kReach));
  mallopt(M_TOP_PAD, static_cast<int>(kReach));
  const std::unique_ptr<std::byte[]> probe(new std::byte[kLargestInHeap / 2]);
  mallopt(M_TOP_PAD, static_cast<int>(kHugePage));
  const auto begin = reinterpret_cast<std::uintptr_t>(probe.get()) / kHugePage * kHugePage + kHugePage;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kHugePage * kHugePage;
  // Another allocator (a sanitizer's) puts the probe elsewhere.
  if (begin >= end || end - begin > 2 * kReach) return;
  madvise(reinterpret_cast<void*>(begin), end - begin,
          MADV_HUGEPAGE);  // advice: a refusal costs nothing but time
}
#else
void use_huge_pages() {}
#endif

}  // namespace warpvp
