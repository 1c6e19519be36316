#pragma once
// The one backing store of device memory: values live here and nowhere else (caches hold tags only).
//
// DeviceMemory is a plain object; DeviceMemoryTarget-like modules put it behind a TLM socket. Pages are
// provided by the host on first touch, so a 12 GiB device costs what the program uses. It also remembers
// which ranges are allocated, so that stray accesses are faults, not silence.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/block_heap.h"
#include "interconnect/memory_owner.h"
#include "interconnect/register_map.h"

namespace warpvp {

class DeviceMemory {
 public:
  /// First device address. Everything below is never valid, so null pointers fault.
  static constexpr std::uint64_t kBase = regmap::kMemoryBase;

  /// Owners beside contexts (interconnect/memory_owner.h).
  static constexpr unsigned kDriver = memory_owner::kDriver, kSms = memory_owner::kSms;

  /// `bytes`: capacity. Throws InputError if the host refuses the reservation.
  /// `shared`: it is a file in memory, which other processes may map.
  explicit DeviceMemory(std::uint64_t bytes, bool shared = false);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  std::uint64_t base() const { return kBase; }
  std::uint64_t size() const { return size_; }
  std::byte* host_base() { return data_; }
  /// The file that it is; -1: none.
  int file() const { return file_; }
  /// Host pointer of a device address; no check beyond an assertion.
  std::byte* at(std::uint64_t address) { return data_ + (address - kBase); }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= kBase && bytes <= size_ && address - kBase <= size_ - bytes;
  }

  /// An owner in messages.
  static std::string owner_name(unsigned owner) { return memory_owner::name(owner); }

  /// First-fit allocation, 256-byte aligned at least; nullopt when nothing fits. `context` owns the range.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment = 256,
                                        unsigned context = 0);
  /// The same, but as high as possible: what lies there moves nothing that allocate() gives.
  std::optional<std::uint64_t> allocate_last(std::uint64_t bytes, std::uint64_t alignment = 256,
                                             unsigned context = 0);
  /// The range of `context` that begins at `address`, a multiple of 256, has `bytes` from now on, more than before; where
  /// none begins there it is a new one. False: something else is in the way, or memory ends before.
  bool grow(std::uint64_t address, std::uint64_t bytes, unsigned context);
  /// Frees a range by its start; false if none starts there.
  bool release(std::uint64_t address);
  /// The allocated range that contains `address`, as [begin, end); nullopt if none.
  struct Range {
    std::uint64_t begin = 0, end = 0;
    unsigned context = 0;
  };
  std::optional<Range> range_of(std::uint64_t address) const;
  /// From now on kernels may touch what nobody has beside what their context has, on the same page of
  /// `page_bytes`, a power of two: as on chips, whose page tables know pages alone.
  void let_stray(std::uint64_t page_bytes) { stray_bytes_ = page_bytes; }
  bool lets_stray() const { return stray_bytes_ != 0; }
  /// What `context` may touch at `address` and next to it: of its pages what no other owner has; nullopt:
  /// nothing, or nothing strays.
  std::optional<Range> surroundings_of(std::uint64_t address, unsigned context) const;
  /// Changes whenever a range is released or grows, so that holders of cached ranges look again; where accesses
  /// may stray, also when one is made.
  std::uint64_t generation() const { return generation_; }
  std::uint64_t allocated_bytes() const { return allocated_; }
  /// From now on these whole pages of the host, of one allocated range, are a file in memory as well, which
  /// other processes may map; what they hold stays. Until the range is released. The file is the caller's to
  /// close; -1: the host has none to give.
  int share(std::uint64_t address, std::uint64_t bytes);
  /// All allocated ranges, in order of their addresses.
  const std::map<std::uint64_t, Range>& ranges() const { return ranges_; }
  /// Whether anything in [begin, end) is allocated.
  bool occupied(std::uint64_t begin, std::uint64_t end) const;

  /// From now on no two ranges of different owners lie on one page of `page_bytes`, a power of two. The
  /// driver's may lie beside those of context 0, which is the driver's context.
  void keep_apart(std::uint64_t page_bytes) { page_bytes_ = page_bytes; }

  /// Is told about ranges once they are allocated, and once they are released. What it throws,
  /// allocate() throws.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void allocated(const Range& range) = 0;
    virtual void released(const Range& range) = 0;
  };
  /// nullptr: nobody. It outlives the memory or is taken back.
  void watch(Watcher* watcher) { watcher_ = watcher; }

  /// Makes a range of the device the heap that device-side malloc serves a context from, once; false when
  /// nothing fits. `release` does not free it.
  bool create_heap(std::uint64_t bytes, unsigned context);
  bool has_heap(unsigned context) const { return heaps_.count(context) != 0; }
  /// Its range; nullopt: the context has none.
  std::optional<Range> heap_of(unsigned context) const;
  /// A block of the context's heap, 16-byte aligned; 0 when none fits or there is no heap.
  std::uint64_t heap_allocate(std::uint64_t bytes, unsigned context);
  /// False if no live block of the context's heap starts there.
  bool heap_release(std::uint64_t address, unsigned context);

 private:
  std::uint64_t add(const Range& made);
  /// Owners `a` and `b`, of which one has a range that ends with `last` and the other one that begins with
  /// `first`, must not lie there.
  bool too_close(unsigned a, std::uint64_t last, unsigned b, std::uint64_t first) const;

  std::byte* data_ = nullptr;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t page_bytes_ = 0;   // 0: ranges of all owners may be neighbours
  std::uint64_t stray_bytes_ = 0;  // 0: kernels touch what is allocated alone
  Watcher* watcher_ = nullptr;
  std::uint64_t allocated_ = 0;
  std::uint64_t generation_ = 0;
  std::map<std::uint64_t, Range> ranges_;          // by begin
  std::map<std::uint64_t, std::uint64_t> shared_;  // ends of what is, by begin
  struct Heap {
    std::uint64_t begin;
    BlockHeap blocks;
  };
  std::map<unsigned, Heap> heaps_;  // by context
};

}  // namespace warpvp
