#pragma once
// The host API: contexts, streams with priority, device memory, asynchronous copies, events, modules, launches.
// A host program (sw/apps) gets a Runtime and uses it as it would use CUDA or HIP. Everything here ends up as
// register writes, packets in rings and doorbells on the simulated machine; nothing is short-cut.
//
// All calls are made from the host program's own thread. Errors of use throw InputError with one line.

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/sm_resources.h"
#include "ptx/image/texture.h"
#include "sw/runtime/job.h"

namespace warpvp {
class HostInterface;
}

namespace warpvp::rt {

/// There is no room for it in device memory.
class DeviceMemoryExhausted : public InputError {
 public:
  using InputError::InputError;
};

using DevicePtr = std::uint64_t;
using ptx::Geometry;
using ptx::ImageLayout;
using ptx::SurfaceDescription;
using ptx::TexelType;
using ptx::TextureAddressing;
using ptx::TextureDescription;
using ptx::TextureFilter;
/// A texture or surface as kernels take it: 64 bits, to be passed or stored like any number.
using ImageHandle = std::uint64_t;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  Dim3(std::uint32_t x_ = 1, std::uint32_t y_ = 1, std::uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};

/// Values passed to a kernel, in order; each is copied with its own size. Checked against the kernel's
/// parameters (count and sizes) at launch.
class Args {
 public:
  template <class... T>
  static Args of(const T&... values) {
    Args args;
    (args.add(&values, sizeof(T)), ...);
    return args;
  }
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const std::uint8_t*>(data);
    values_.emplace_back(p, p + bytes);
  }
  const std::vector<std::vector<std::uint8_t>>& values() const { return values_; }

 private:
  std::vector<std::vector<std::uint8_t>> values_;
};

/// One parameter of a kernel.
struct ParameterInfo {
  std::string name, type;  ///< type as PTX has it: ".u64", ".f32", ".b8[24]"
  std::size_t bytes = 0;
  std::uint32_t offset = 0;  ///< in the argument block
};

/// What a kernel needs (as cudaFuncGetAttributes).
struct KernelNeeds {
  std::uint32_t registers = 0, static_shared_bytes = 0, local_bytes = 0;
  std::uint32_t threads_per_cta = 0;  ///< most in a CTA that it was compiled for; 0: no limit of its own
};

/// The device as programs ask for it (as cudaDeviceProp), with what an SM has.
struct DeviceInfo {
  std::string name;
  std::uint32_t capability = 70;  ///< 70: compute capability 7.0
  SmResources sm;
  std::uint32_t copy_engines = 1;
  std::uint64_t memory_base = 0, memory_bytes = 0, memory_in_use = 0;
  std::uint64_t l2_bytes = 0;    ///< 0: without a bound
  unsigned memory_bus_bits = 0;  ///< 0: memory has no bus, and no clock
  double memory_clock_mhz = 0;   ///< at which two transfers a cycle on all wires are the peak of memory
};

struct StreamOptions {
  std::string name;      ///< shown in results; "" gets "stream<N>"
  int priority = 0;      ///< greater is more urgent
  unsigned context = 0;  ///< from Runtime::create_context; 0 exists from the start
};

inline constexpr double kLongestExpectedUs = 4e6;
struct LaunchOptions {
  unsigned dynamic_shared_bytes = 0;
  unsigned budget = 1;     ///< QAWS budget of this launch (QAWS paper section IV), >= 1
  std::uint64_t deadline_us = 0;  ///< from the call; 0: none; carried in the packet's vendor extension; a job's
                                  ///< launches have the job's
  double expected_us = 0;  ///< that it takes alone on the device, for schedulers there; 0: not known
  unsigned registers = 0;  ///< registers per thread that occupancy counts with; 0: what the kernel needs
  std::string name;        ///< shown in results; "" is the entry's name
  /// Jobs that this launch serves together, as one of each one's kernels: a batch. The stream it goes into has
  /// no open job then; its CTAs count in equal parts.
  std::vector<Job> batch{};
};

class Runtime;
/// Handles are small values; they stay valid as long as the Runtime.
struct Stream { unsigned id = 0; };
struct Event { unsigned id = 0; };
struct ModuleHandle { unsigned id = 0; };
struct Kernel { unsigned module = 0; unsigned entry = 0; };
struct HostThread { unsigned id = 0; };

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual unsigned create_context() = 0;
  virtual Stream create_stream(const StreamOptions& options = {}) = 0;

  /// Changes the priority of all that is in the stream's hardware queue, what waits and what runs included, and of
  /// what comes later: one write to a register (Q_LIVE_PRIORITY). Streams that share a queue share that. Greater is
  /// more urgent. The default refuses with InputError: not every implementer has it.
  virtual void set_priority(Stream s, std::int32_t priority) {
    (void)s, (void)priority;
    throw InputError("set_priority: priorities that change are not to be had here");
  }

  virtual DevicePtr malloc(std::size_t bytes, unsigned context = 0) = 0;
  /// Whole pages of the host (HostInterface::kPageBytes), for HostInterface::share_device_memory, as high as
  /// possible: they move nothing that malloc gives. The default refuses: not every implementer has them.
  virtual DevicePtr malloc_pages(std::size_t bytes, unsigned context = 0) {
    (void)bytes, (void)context;
    throw InputError("malloc_pages: memory of whole pages is not to be had here");
  }
  /// Memory at a place of the caller's choice, a multiple of 256: `bytes` from `begin` on, where the context has nothing or
  /// fewer there. False: something else is in the way. The default refuses: not every implementer has it.
  virtual bool grow(DevicePtr begin, std::size_t bytes, unsigned context = 0) {
    (void)begin, (void)bytes, (void)context;
    throw InputError("grow: memory at a place of one's own choice is not to be had here");
  }
  virtual void free(DevicePtr pointer) = 0;
  /// What is allocated where an address lies, the variables of modules too; nothing: it is free, or another
  /// process's. The default refuses: not every implementer knows.
  struct Allocation {
    DevicePtr begin = 0;
    std::uint64_t bytes = 0;
    unsigned context = 0;
  };
  virtual std::optional<Allocation> allocation_at(DevicePtr address) const {
    (void)address;
    throw InputError("allocation_at: what is allocated cannot be asked here");
  }

  /// Copies between host arrays and the device, in stream order. The host array must stay alive until the
  /// stream has passed the copy.
  virtual void copy_to_device_async(DevicePtr destination, const void* source, std::size_t bytes, Stream s) = 0;
  virtual void copy_to_host_async(void* destination, DevicePtr source, std::size_t bytes, Stream s) = 0;
  virtual void copy_on_device_async(DevicePtr destination, DevicePtr source, std::size_t bytes, Stream s) = 0;
  virtual void memset_async(DevicePtr destination, std::uint8_t value, std::size_t bytes, Stream s) = 0;
  void copy_to_device(DevicePtr d, const void* s, std::size_t n) { copy_to_device_async(d, s, n, Stream{0}); synchronize(Stream{0}); }
  void copy_to_host(void* d, DevicePtr s, std::size_t n) { copy_to_host_async(d, s, n, Stream{0}); synchronize(Stream{0}); }

  /// Loads PTX: parses, places its variables and code in device memory.
  virtual ModuleHandle load_module(const std::string& ptx_path, unsigned context = 0) = 0;
  /// The same with the text of the PTX (as cuModuleLoadData); `name` stands for the file in messages. The default
  /// refuses with InputError: not every implementer has it.
  virtual ModuleHandle load_module_text(const std::string& name, const std::string& ptx, unsigned context = 0) {
    (void)ptx, (void)context;
    throw InputError("load_module_text: modules in text, as '" + name + "', are not to be had here");
  }
  /// `entry` may be empty when the module has one kernel only.
  virtual Kernel kernel(ModuleHandle module, const std::string& entry) = 0;
  /// What the kernel takes, in order.
  virtual std::vector<ParameterInfo> parameters(Kernel kernel) = 0;
  /// The default refuses: not every implementer has them.
  virtual KernelNeeds needs(Kernel) { throw InputError("needs: what kernels need cannot be asked here"); }
  /// Device address of a .global/.const variable, by its name, mangled or as C++ writes it.
  virtual DevicePtr symbol(ModuleHandle module, const std::string& name) = 0;
  /// How many bytes it has. The default refuses: not every implementer knows.
  virtual std::uint64_t symbol_bytes(ModuleHandle, const std::string& name) {
    throw InputError("symbol_bytes: the size of '" + name + "' cannot be asked here");
  }
  /// Lets texture `name` (a .texref of the module) read the memory at `pointer`, as described in
  /// ptx/image/texture.h, for everything launched from now on; waits for what was launched before. The memory
  /// must be allocated, from the first texel to the last, and aligned to 16 bytes. Binding again replaces.
  virtual void bind_texture(ModuleHandle module, const std::string& name, DevicePtr pointer,
                            const TextureDescription& description) = 0;

  /// Texture and surface objects (as cudaCreateTextureObject and cudaCreateSurfaceObject): a handle to the
  /// memory described in ptx/image/texture.h, which must be allocated, from the first texel to the last, and
  /// aligned to 16 bytes. The handle belongs to the memory's context and is good for everything launched
  /// until it is destroyed.
  virtual ImageHandle create_texture(DevicePtr memory, const TextureDescription& description) = 0;
  virtual ImageHandle create_surface(DevicePtr memory, const SurfaceDescription& description) = 0;
  /// Waits for what was launched before. InputError for what is no handle.
  virtual void destroy_image(ImageHandle handle) = 0;
  /// Memory for an image, whatever its shape (as cudaMallocArray, cudaMalloc3DArray and cudaMallocPitch).
  DevicePtr malloc_image(const ImageLayout& layout, unsigned context = 0) {
    return malloc(ptx::image_bytes(layout), context);
  }

  virtual void launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s = Stream{0},
                      const LaunchOptions& options = {}) = 0;
  /// CTAs of this kernel that fit on one SM at once (CUDA occupancy rules), for persistent-thread kernels.
  /// `registers` as LaunchOptions has them.
  virtual unsigned occupancy(Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes = 0,
                             unsigned registers = 0) = 0;
  virtual unsigned sm_count() const = 0;
  /// What %clock64 counts (as cudaDeviceProp::clockRate). The default refuses: not every implementer has a clock.
  virtual double sm_clock_mhz() const { throw InputError("sm_clock_mhz: SMs have no clock here"); }

  /// Takes no time. The default refuses: not every implementer has a device.
  virtual DeviceInfo device_info() const { throw InputError("device_info: there is no device here"); }

  /// What kernels of the context print from now on goes there, in the middle of what is simulated; nullptr:
  /// to the run's output again. The default refuses: not every implementer has kernels that print.
  virtual void set_printer(std::function<void(const std::string&)> print, unsigned context = 0) {
    (void)print, (void)context;
    throw InputError("set_printer: what kernels print is not to be had here");
  }

  virtual Event record(Stream s) = 0;
  virtual void wait(Stream s, Event e) = 0;  ///< the stream waits for the event; the host does not
  virtual void synchronize(Event e) = 0;
  virtual void synchronize(Stream s) = 0;
  virtual void synchronize() = 0;  ///< all streams
  /// An event of the stream's last command: it has completed when that has, without being a command itself; at once
  /// where nothing was put into the stream. The default refuses: not every implementer has it.
  virtual Event mark(Stream s) {
    (void)s;
    throw InputError("mark: events without a command are not to be had here");
  }
  /// Whether the host knows that the event has completed (as cudaEventQuery); never waits, and takes no time.
  virtual bool completed(Event e) {
    (void)e;
    throw InputError("completed: events cannot be asked here");
  }
  /// Microseconds between two completed events.
  virtual double elapsed_us(Event from, Event to) = 0;

  /// Runs `program` on a host thread of its own, beside the one that calls. Its Runtime is its own too, with a
  /// stream and a command ring: device memory and contexts are shared with the caller's, handles are not. What it
  /// has put into streams when it returns is waited for. The default refuses with InputError: not every implementer
  /// has threads.
  virtual HostThread start_thread(const std::string& name, std::function<void(Runtime&)> program) {
    (void)program;
    throw InputError("start_thread: host threads, as '" + name + "', are not to be had here");
  }
  /// Waits until that thread has ended.
  virtual void join(HostThread thread) {
    throw InputError("join: there is no host thread " + std::to_string(thread.id));
  }

  /// Jobs (sw/runtime/job.h). What is put into the stream until end_job belongs to the job; a stream has at most
  /// one open job. A scheduler on the device may reject a job, or one of its commands: these then complete without
  /// having run (nothing is copied, kernels leave memory as it was), synchronize returns as ever, and job_status
  /// tells. The defaults refuse with InputError: not every implementer has jobs.
  virtual Job begin_job(Stream s, const JobOptions& options = {}) {
    (void)s;
    throw InputError("begin_job: jobs, as '" + options.name + "', are not to be had here");
  }
  /// Where JobOptions::kernels or ::commands was given, it must be their number; a job that is empty is refused.
  virtual void end_job(Job job) {
    (void)job;
    throw InputError("end_job: jobs are not to be had here");
  }
  virtual JobStatus job_status(Job job) {
    (void)job;
    throw InputError("job_status: jobs are not to be had here");
  }
  /// Turns down an open job that has no commands yet, on the host's side: it ends now, rejected with `code`
  /// (1 to 65535), and the device never hears of it.
  virtual void reject_job(Job job, std::uint32_t code) {
    (void)job, (void)code;
    throw InputError("reject_job: jobs are not to be had here");
  }
  /// The next command of a job that has completed since the first call of this, in the order in which the
  /// host came to know; nothing where there is none. Never waits. Of a batch each job has one.
  virtual std::optional<JobCompletion> next_completion() {
    throw InputError("next_completion: jobs are not to be had here");
  }
  /// Waits until all commands of an ended job are complete or rejected.
  virtual JobStatus synchronize(Job job) {
    (void)job;
    throw InputError("synchronize: jobs are not to be had here");
  }

  /// Words between the host and the firmware of the command processor, in order. Sending waits while the firmware
  /// has 16 words that it has not taken. Where no firmware runs, both are refused with InputError.
  virtual void send_to_firmware(std::uint32_t word) {
    (void)word;
    throw InputError("send_to_firmware: there is no firmware here");
  }
  /// The next word that the firmware sent; waits for it if `wait`, else nothing where none has come. Of more than
  /// 64 words between two calls of this the oldest are lost, which is an InputError.
  virtual std::optional<std::uint32_t> receive_from_firmware(bool wait = true) {
    (void)wait;
    throw InputError("receive_from_firmware: there is no firmware here");
  }

  /// Whose, other than of `contexts`, a part of [address, address + bytes) is which the CPU would reach
  /// there: "memory of context 1", "the doorbell of queue 3, which is of context 1". Empty: programs of
  /// `contexts` may access it.
  virtual std::string whose_else(std::uint64_t address, std::size_t bytes, bool write,
                                 const std::set<unsigned>& contexts) const {
    (void)address, (void)bytes, (void)write, (void)contexts;
    return {};
  }
  /// The program of `context` has tried what it must not: a fault of the context, as if its kernel had done
  /// it. Does not return: the run ends, or ContextFault is thrown (context_fault.h).
  [[noreturn]] virtual void fault_of(unsigned context, const std::string& what, std::uint64_t address) {
    (void)address;
    throw InputError(what + " by context " + std::to_string(context));
  }

  /// The machine below (interconnect/host_interface.h): raw loads and stores, waiting, simulated time.
  virtual HostInterface& host() = 0;
};

}  // namespace warpvp::rt
