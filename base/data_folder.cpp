#include "base/data_folder.h"

#include <system_error>

namespace warpvp {
namespace fs = std::filesystem;

fs::path data_folder(const fs::path& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    // Installed is what lies in bin/: a build folder may have a share/ beside it for other reasons.
    const fs::path installed = program.parent_path().parent_path() / "share/warpvp" / name;
    if (program.parent_path().filename() == "bin" && fs::is_directory(installed, error)) return installed;
  }
  return fs::path(WARPVP_SOURCE_DIR) / name;
}

}  // namespace warpvp
