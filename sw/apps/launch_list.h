#pragma once
// A workload without C++: buffers, kernel launches and what the host does between them as data (from YAML),
// run through the host API.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "sw/runtime/runtime.h"

namespace warpvp::apps {

struct LaunchList {
  /// A place in device memory: a buffer, or a variable of a module, and bytes from its begin.
  struct Target {
    std::string buffer, symbol;  ///< one of them
    std::string ptx;             ///< module of the symbol; "": the one that has it, of those in its context
    std::uint64_t offset = 0;
    unsigned context = 0;  ///< of the symbol
    std::string place;     ///< "file:line:column" for messages; may be empty
  };
  /// Bytes `at` to `at` + 8 are to hold the target's device address.
  struct Address {
    std::size_t at = 0;
    Target target;
  };
  struct Buffer {
    std::string name;
    std::vector<std::uint8_t> contents;   ///< before the first launch; its size is the buffer's
    unsigned context = 0;                 ///< that owns it
    std::vector<Address> addresses = {};  ///< in `contents`
  };
  struct Argument {
    enum class As : std::uint8_t { kAddress, kTexture, kSurface };
    std::string buffer;                ///< passes this buffer, as `as` says; "" passes `bytes`
    std::vector<std::uint8_t> bytes;   ///< a scalar or struct as the kernel sees it
    As as = As::kAddress;              ///< the device address, or the handle of an object over the buffer
    rt::TextureDescription image{};    ///< of textures; surfaces use what is in ImageLayout
    std::string place{};               ///< as Launch::place
    std::vector<Address> addresses{};  ///< in `bytes`
    std::string
        type{};  ///< "f32", "u64", "buffer", ...: refused where the kernel takes another sort; "": not said
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
    bool of_job = false;  ///< `stream`, `start_us` and `deadline_us` are not looked at
    double start_us = 0;  ///< after all buffers are in place
    std::uint64_t deadline_us = 0;
    double expected_us = 0;  ///< alone on the device; 0: not known
    std::vector<Argument> arguments;
  };
  /// Launches that belong together (sw/runtime/job.h), in a stream of their own.
  struct Job {
    std::string place, name;
    double arrival_us = 0,
           deadline_us = 0;  ///< arrival after all buffers are in place; deadline from arrival
    std::uint32_t context = 0;
    std::int32_t priority = 0;
    std::vector<std::size_t> launches;  ///< indices in `launches`; these are not launched otherwise
  };
  /// What the host does; each step but launches, memset and copy waits for all before it.
  struct Step {
    enum class Kind : std::uint8_t { kLaunch, kMemset, kCopy, kWrite, kRead, kUntil };
    Kind kind = Kind::kLaunch;
    std::string place;
    std::size_t launch = 0;            ///< kLaunch: index in `launches`
    Target target;                     ///< of all others: set, copied from, written, read
    Target to;                         ///< kCopy
    std::uint64_t bytes = 0;           ///< kMemset, kCopy, kRead
    std::uint8_t value = 0;            ///< kMemset
    unsigned stream = 0, context = 0;  ///< kMemset, kCopy
    std::vector<std::uint8_t> data;    ///< kWrite; kUntil: the bytes to wait for
    std::vector<Address> addresses;    ///< kWrite: in `data`
    std::size_t read = 0;              ///< kRead: what `on_read` is told
    bool differs = false;              ///< kUntil: wait for any other bytes
    std::uint64_t at_most = 0;         ///< kUntil: turns
    std::vector<Step> body;            ///< kUntil: done at least once
  };
  std::vector<Buffer> buffers;
  std::uint64_t pad_bytes = 0;  ///< allocated behind each buffer
  std::vector<Launch> launches;
  std::vector<Job> jobs;
  std::vector<Step> steps;  ///< if any: run one after the other, instead of all launches at their times
  std::vector<std::string> read_back;  ///< buffers wanted after the run
  std::function<void(std::size_t read, const std::vector<std::uint8_t>& bytes)> on_read;
};

/// Allocates and fills the buffers, does the steps, or makes the launches and jobs at their start times (in
/// list order among equal ones, launches first), waits for all, and returns the buffers of `read_back`.
/// Launches of one stream run one after the other. Throws InputError with the place for anything wrong;
/// modules and entries are looked up, and arguments compared with the kernels' parameters, before time
/// passes.
std::map<std::string, std::vector<std::uint8_t>> run_launch_list(rt::Runtime& device, const LaunchList& list);

}  // namespace warpvp::apps
