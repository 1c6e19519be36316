#pragma once
// One CUDA process at the device: what its calls (protocol.h) do to a Runtime. Handles of modules, kernels,
// streams and events are numbers that mean something to this process only.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/protocol.h"
#include "sw/cuda/server/device_launches.h"
#include "sw/cuda/server/shared_memory.h"
#include "sw/runtime/runtime.h"

namespace warpvp::cuda {

class ClientSession {
 public:
  /// `device` outlives it. `tell` gets a line for the user wherever a call fails for a reason that its number
  /// does not say. What kernels have printed goes from `printed` to the process with the next answer.
  ClientSession(rt::Runtime& device, std::function<void(const std::string&)> tell, std::string& printed);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;

  /// Carries out one call, in simulated time, and writes the answer: its header, deliveries, results. A call
  /// that cannot be read yields kInvalidValue. May take `request` away. Throws nothing that the caller need
  /// know of.
  void answer(Call call, std::vector<std::uint8_t>& request, Header& header,
              std::vector<std::uint8_t>& bytes);
  /// A file that goes to the process with that answer; -1: none does. The session closes it.
  int file() const { return given_; }
  /// Waits for what is under way and frees what the process has not.
  void end();
  /// Its context has ended by a fault: this is why. Empty: it has not.
  const std::string& fault() const { return fault_; }

 private:
  struct Module {
    rt::ModuleHandle handle;
    std::uint32_t architecture = 0;
    std::string ptx;
    std::vector<std::string> launched;  ///< kernels that its kernels may launch; empty: they launch none
  };
  struct KernelEntry {
    rt::Kernel kernel;
    std::vector<std::size_t> parameters;  ///< bytes of each
    std::size_t bytes = 0;                ///< of all
    bool launches = false;                ///< it is of a module whose kernels launch kernels
  };
  struct StreamEntry {
    rt::Stream stream;
    std::int32_t priority = 0;
    bool waits_for_legacy = true, alive = true;
    std::uint64_t commands = 0;     ///< put into it
    std::uint64_t legacy_seen = 0;  ///< commands of the legacy stream that it waits for already
    std::uint64_t seen_by_legacy = 0;
  };
  struct EventEntry {
    bool alive = true, recorded = false;
    rt::Event event;
  };
  /// Host memory of an asynchronous copy that the device may still read or write.
  struct Held {
    rt::Event end;
    std::unique_ptr<std::vector<std::uint8_t>> data;
    std::uint64_t to = 0;  ///< address in the process that it is delivered to; 0: none
  };

  Error carry_out(Call call, Reader& in);
  Error hello(Reader& in);
  Error load_module(Reader& in);
  /// PTX whose %envreg1 and 2 are numbers.
  std::string with_grid_workspace(const std::string& ptx);
  /// `bytes` of zeros of its own in device memory.
  std::uint64_t allocate_zeros(std::uint64_t bytes);
  Error link(Reader& in);
  Error kernel(Reader& in);
  Error variable(Reader& in);
  Error allocate(Reader& in, bool pages);
  Error grow(Reader& in);
  Error free(Reader& in);
  Error copy_in(Reader& in);
  Error copy_out(Reader& in);
  Error copy_on_device(Reader& in);
  Error fill(Reader& in);
  Error share(Reader& in);
  Error copy_shared(Reader& in);
  Error launch(Reader& in);
  /// Waits for what is in the stream, and carries out what its kernels have launched, and these, one after
  /// the other.
  void launch_children(std::uint64_t stream);
  void launch_child(const DeviceLaunches::Record& record, std::uint64_t stream);
  void copy_for_kernel(const DeviceCopy& copy, std::uint64_t stream);
  Error create_stream(Reader& in);
  Error stream_waits(Reader& in);
  Error query(rt::Event event);
  Error elapsed(Reader& in);
  Error occupancy(Reader& in);
  Error create_image(Reader& in, bool texture);
  Error bind_texture(Reader& in);

  StreamEntry* stream(std::uint64_t id);
  EventEntry* event(std::uint64_t id);
  /// Before and after a command of that stream.
  rt::Stream enter(std::uint64_t id);
  void entered(std::uint64_t id) { ++streams_[id].commands; }
  void hold(std::uint64_t stream, std::unique_ptr<std::vector<std::uint8_t>> data, std::uint64_t to);
  /// Copies that have ended since are delivered with this answer.
  void deliver();
  /// Its context has ended by a fault: keeps why, and tells the kernel and the line of the program's source.
  void end_by(const std::string& fault);
  /// So is what its kernels have printed.
  void deliver_print();
  void wait_at_end();
  /// The allocation, or the variable, of the process that an address lies in or ends at; none: it is nothing
  /// of it.
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  std::optional<Range> range_at(std::uint64_t address) const;
  /// The file goes with the answer.
  void give(int file);
  /// Where memory that is shared with the process lies in this one; nullptr: it is none.
  std::uint8_t* shared_at(std::uint64_t address, std::uint64_t bytes) const;
  /// So many do.
  bool owns(std::uint64_t address, std::uint64_t bytes) const;

  rt::Runtime& device_;
  const std::function<void(const std::string&)> tell_;
  std::string& printed_;
  const rt::DeviceInfo info_;
  std::string name_;
  std::uint64_t grid_workspace_ = 0;        // of cooperative kernels; 0: none has been loaded
  std::optional<DeviceLaunches> launches_;  // none: no module with kernels that launch has been loaded
  std::vector<Module> modules_;
  std::vector<KernelEntry> kernels_;
  std::vector<StreamEntry> streams_;  ///< the first is the legacy stream
  std::vector<EventEntry> events_;
  std::map<std::uint64_t, std::uint64_t> allocated_, variables_;  // bytes, by address
  std::map<std::uint64_t, SharedMemory> shared_;                  // by address
  int given_ = -1;
  std::set<std::uint64_t> images_;
  std::vector<Held> held_;
  std::vector<std::uint8_t>* request_ = nullptr;  // of the call under way
  std::string fault_;
  Error fault_error_ = kSuccess;  // what it is to the program
  Writer out_, deliveries_;
  std::uint32_t delivered_ = 0;
};

}  // namespace warpvp::cuda
