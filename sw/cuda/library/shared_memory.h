#pragma once
// Memory that the CPU and the device have both: managed memory, memory of the host that is pinned, and memory
// of the program that it has registered. Its pages are the device's, and this process has them mapped: what
// one side writes the other one sees at once. Managed and pinned memory is under the same address for both;
// what was registered has another one for the device.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/errors.h"

namespace warpvp::cuda {

enum class SharedKind { kManaged, kVariable, kPinned, kRegistered };
struct SharedRange {
  std::uint64_t address = 0;  ///< the program's
  std::uint64_t device = 0;   ///< the device's; 0: it cannot reach it, only copy from and to it
  std::size_t bytes = 0;
  SharedKind kind = SharedKind::kManaged;
  unsigned flags = 0;  ///< that the program has asked for it with
};

/// nullptr: `error` says why.
void* allocate_shared(std::size_t bytes, SharedKind kind, unsigned flags, Error& error);
/// Waits for the device. kInvalidValue: no managed memory, or no pinned, begins there.
Error free_shared(void* pointer, SharedKind kind);
/// Memory of the program. Pages that cannot be replaced (of a mapped file, of the caller's own stack, or that
/// hold something registered already) are only for copies from and to them.
Error register_shared(void* pointer, std::size_t bytes, unsigned flags);
Error unregister_shared(void* pointer);
/// Makes a managed variable's memory the process's too.
Error share_variable(std::uint64_t address, std::size_t bytes);

/// The range in which an address of the program lies; false: none does.
bool find_shared(const void* pointer, SharedRange& range);
/// A managed variable is, too.
bool is_managed(const void* pointer);
/// It is the host's, though the device may reach it.
bool is_pinned(const void* pointer);
/// The device's address of a place: another one where it was registered.
std::uint64_t on_the_device(const void* pointer);
/// How many of the bytes that begin there the device reaches without a copy; none: it does not.
std::size_t reached_by_device(const void* pointer);
/// Arguments of a kernel: registered memory's addresses, at multiples of 8, become the device's. Structures
/// that lie in memory are not looked through.
void translate(std::uint8_t* arguments, std::size_t bytes);

}  // namespace warpvp::cuda
