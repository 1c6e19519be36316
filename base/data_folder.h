#pragma once
// Files that belong to the program: configs/, sw/kernels/, sw/firmware/prebuilt/.

#include <filesystem>

namespace warpvp {

/// The folder of that name, "sw/kernels": share/warpvp/sw/kernels beside the bin/ of an installed program,
/// wherever it has been moved, otherwise that of the source tree that the program was built from.
std::filesystem::path data_folder(const std::filesystem::path& name);

}  // namespace warpvp
