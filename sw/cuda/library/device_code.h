#pragma once
// Device code as programs have it: fat binaries, and PTX as text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/cuda/errors.h"

namespace warpvp::cuda {

inline constexpr std::uint32_t kBinaryMagic = 0xba55ed50;  ///< a fat binary begins with it

/// The first four bytes; of a shorter text zeros follow.
std::uint32_t magic_of(const void* image);
/// How long it is: of a fat binary as its header says; all else is text.
std::size_t bytes_of(const void* image);

struct Image {
  const void* data = nullptr;
  std::size_t bytes = 0;
};
/// The simulator loads it.
Error load_module(const Image& image, std::uint64_t& module);
/// Links several of relocatable code: the PTX of all as one module.
Error link_images(const std::vector<Image>& images, std::string& ptx);

}  // namespace warpvp::cuda
