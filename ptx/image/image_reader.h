#pragma once
// Kernel images to programs.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ptx/image/kernel_image.h"
#include "ptx/program.h"

namespace warpvp::ptx::image {

/// Memory in which the addresses of an image must lie: [base, base + bytes).
struct MemoryBounds {
  std::uint64_t base = 0, bytes = 0;
  bool contains(std::uint64_t address, std::uint64_t size) const {
    return address >= base && size <= bytes && address - base <= bytes - size;
  }
};

/// What the header says the image's length is, once magic, version and length are found good; ImageError.
/// `size`: bytes there are.
std::uint32_t image_bytes(const std::uint8_t* bytes, std::size_t size);

/// The program of the image at the front of [bytes, bytes + size), ready to execute at this process's
/// instruction-set level (ptx/exec/select.h). Whatever the bytes are, it either throws ImageError or gives a
/// program of which every count, index, row and address is in its bounds.
std::shared_ptr<const Program> read_image(const std::uint8_t* bytes, std::size_t size,
                                          const MemoryBounds& memory);

}  // namespace warpvp::ptx::image
