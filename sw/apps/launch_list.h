#pragma once
// A workload without C++: buffers and kernel launches as data (from YAML), run through the host API.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "sw/runtime/runtime.h"

namespace warpvp::apps {

struct LaunchList {
  struct Buffer {
    std::string name;
    std::vector<std::uint8_t> contents;  ///< before the first launch; its size is the buffer's
    unsigned context = 0;                ///< that owns it
  };
  struct Argument {
    enum class As : std::uint8_t { kAddress, kTexture, kSurface };
    std::string buffer;               ///< passes this buffer, as `as` says; "" passes `bytes`
    std::vector<std::uint8_t> bytes;  ///< a scalar or struct as the kernel sees it
    As as = As::kAddress;             ///< the device address, or the handle of an object over the buffer
    rt::TextureDescription image{};   ///< of textures; surfaces use what is in ImageLayout
    std::string place{};              ///< of the image, as Launch::place
  };
  struct Launch {
    std::string place;  ///< "file:line:column" for messages; may be empty
    std::string name;   ///< shown in results; "" is the entry
    std::string ptx;    ///< path
    std::string entry;
    std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t registers = 0;  ///< registers per thread for occupancy; 0: what the kernel needs
    std::uint32_t context = 0;    ///< contexts and streams are numbered by the user and made on first mention
    std::uint32_t stream = 0;
    std::int32_t priority =
        0;  ///< of its stream: a stream and priority together name a stream of the runtime
    std::uint32_t budget = 1;
    double start_us = 0;  ///< after all buffers are in place
    std::uint64_t deadline_us = 0;
    std::vector<Argument> arguments;
  };
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
  std::vector<std::string> read_back;  ///< buffers wanted after the run
};

/// Allocates and fills the buffers, makes the launches at their start times (in list order among equal ones),
/// waits for all, and returns the buffers of `read_back`. Launches of one stream run one after the other.
/// Throws InputError with the launch's place for anything wrong; modules and entries are looked up before
/// time passes.
std::map<std::string, std::vector<std::uint8_t>> run_launch_list(rt::Runtime& device, const LaunchList& list);

}  // namespace warpvp::apps
