#pragma once
// Files that belong to the program: configs/, sw/kernels/, sw/firmware/prebuilt/.

#include <filesystem>

namespace warpvp {

/// The folder of that name, "sw/kernels": below the folder that set_data_folder() has named, if it is there;
/// else share/warpvp/sw/kernels beside the bin/ of an installed program, wherever it has been moved; else
/// that of the source tree that the program was built from. InputError that names these places and the remedy
/// when it is in none of them: the program was taken away from its data.
std::filesystem::path data_folder(const std::filesystem::path& name);
/// The same; empty when it is in none of them.
std::filesystem::path find_data_folder(const std::filesystem::path& name);
/// Names the share/warpvp of an installation, for programs that lie elsewhere (docs/embedding.md). Before
/// anything is looked for.
void set_data_folder(const std::filesystem::path& share);

}  // namespace warpvp
