#pragma once
// Programs to kernel images.

#include <cstdint>
#include <vector>

#include "ptx/image/kernel_image.h"
#include "ptx/program.h"

namespace warpvp::ptx::image {

/// The image of `program`, whose module has been placed (Module::place) and whose code_address is set.
/// InputError naming the kernel where it is beyond what an image can hold.
std::vector<std::uint8_t> write_image(const Program& program);

}  // namespace warpvp::ptx::image
