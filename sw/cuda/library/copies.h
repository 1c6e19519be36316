#pragma once
// Copies between host and device memory, and fills, as messages to the simulator. `waits`: the caller waits
// until the bytes are where they belong; otherwise the stream does.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/abi.h"

namespace warpvp::cuda {

inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
/// How many bytes of its allocation, or variable, begin at a place in the device's memory, and where that
/// begins.
Error bytes_at(const void* pointer, std::size_t& bytes, std::uint64_t* begin = nullptr);
/// It lies in the device's memory, whether or not anything is allocated there, and is not the host's.
bool on_device(const void* pointer);

/// It goes from the device to memory of the host that is neither pinned nor registered. CUDA's asynchronous
/// functions return from such copies when they have ended (CUDA Runtime API, "API synchronization behavior").
bool returns_late(const void* to, const void* from, cudaMemcpyKind kind);
Error copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, std::uint64_t stream,
           bool waits);
/// `height` rows of `width` bytes; of rows without gaps one copy. Error where a row is wider than a pitch.
Error copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind, std::uint64_t stream, bool waits);
Error fill(std::uint64_t at, int value, std::size_t bytes, std::uint64_t stream, bool waits);
/// Rows of elements of 1, 2 or 4 bytes, each with this value. The device fills with one byte; rows of another
/// pattern are copied to it. kInvalidValue where an element is not aligned.
struct Fill {
  void* at = nullptr;
  std::size_t pitch = 0;
  unsigned value = 0, element = 1;
  std::size_t width = 0, height = 1;  ///< width in elements
};
Error fill_block(const Fill& what, std::uint64_t stream, bool waits);
Error fill_rows(void* at, std::size_t pitch, int value, std::size_t width, std::size_t height,
                std::uint64_t stream, bool waits);

}  // namespace warpvp::cuda
