#pragma once
// The host API over the simulated machine: every call becomes register writes, packets and doorbells that
// travel over HostInterface. One RuntimeImpl a host program; it is made and used in that program's thread.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fault.h"
#include "base/fields.h"
#include "base/registry.h"
#include "base/sm_resources.h"
#include "interconnect/aql.h"
#include "interconnect/host_interface.h"
#include "interconnect/memory_owner.h"
#include "interconnect/register_map.h"
#include "ptx/image/loadable_module.h"
#include "sw/runtime/command_ring.h"
#include "sw/runtime/device_memory_client.h"
#include "sw/runtime/job_directory.h"
#include "sw/runtime/launch_directory.h"
#include "sw/runtime/runtime.h"

namespace warpvp::rt {

struct RuntimeConfig {
  std::uint32_t ring_packets = 256;
  std::uint32_t command_kib = 1024;
  std::uint32_t heap_kib = 8192;
  double call_ns = 500, launch_ns = 0;
  std::string load_images = "free", device_name = "warpvp";
  double compute_capability = 7.0;

  void fields(FieldVisitor& v) {
    v.field("ring_packets", ring_packets, "packets", "Size of each queue's ring.",
            Constraint::pow2(2, 65536));
    v.field("command_kib", command_kib, "KiB",
            "Device memory for argument blocks and signals of commands under way; at most as many are as "
            "this has KiB.",
            Constraint::range(64, 1048576));
    v.field("heap_kib", heap_kib, "KiB",
            "Device heap of each context, which malloc in kernels takes from; reserved when a kernel that "
            "uses it is first looked up.",
            Constraint::range(1, 1073741824));
    v.field("call_ns", call_ns, "ns", "Host time spent in the driver for each command put into a queue.",
            Constraint::at_least(0));
    v.field("launch_ns", launch_ns, "ns", "How much longer than call_ns the launch of a kernel takes the host.",
            Constraint::at_least(0));
    v.field(
        "load_images", load_images,
        "How the image of a kernel comes into device memory when it is first looked up: `free` takes no "
        "simulated "
        "time, as if it had been loaded before; `timed` is a copy over PCIe, which the program waits for.",
        Constraint::words({"free", "timed"}));
    v.field("device_name", device_name, "What programs are told that the device is called.");
    v.field("compute_capability", compute_capability, "",
            "What programs are told of it; of several forms of a kernel, CUDA programs get the one for it.",
            Constraint::range(3, 99));
  }
};

/// What the runtimes of all host programs share: the driver's knowledge of the device.
struct RuntimeServices {
  FaultSink& faults;
  LaunchDirectory& launches;
  JobDirectory& jobs;
  SmResources resources;
  unsigned sm_count = 1;
  unsigned queues = 128;  ///< of the command processor
  RuntimeConfig config = {};
  const ptx::ModuleLoader* loader = nullptr;  ///< makes modules of files and texts
  bool firmware = false;            ///< there is a mailbox to the command processor's

  std::uint64_t local_bytes = 0;  ///< local memory of a context
  double sm_clock_mhz = 1;
  unsigned copy_engines = 1;
  std::uint64_t l2_bytes = 0;           ///< 0: without a bound
  unsigned memory_bus_bits = 0;         ///< 0: memory has no bus
  double memory_bytes_per_second = 0;   ///< at most; 0: without a bound

  unsigned next_queue = 0, next_stream = 0, next_context = 1;
  /// With page tables: descriptors of textures and surfaces, by context, and which places are taken there. No
  /// place is taken twice, so that a handle names nothing in the table of another context.
  std::map<unsigned, DevicePtr> texture_tables = {};
  std::set<ImageHandle> texture_places = {};
  std::map<unsigned, unsigned> queue_contexts = {};     ///< of hardware queues' first streams, by queue
  /// Of contexts whose programs take what their kernels print.
  std::map<unsigned, std::function<void(const std::string&)>> printers = {};
  std::map<unsigned, std::string> ended_contexts = {};  ///< by faults, and why
  /// The device is this host's alone. False: registers that all its clients share are not written.
  bool whole_device = true;
  unsigned device_context = 0;  ///< what the device calls these programs' context 0
  /// A regmap::cp::QueueErrorRecord, written by the device when a queue stops; empty: not set yet.
  HostInterface::Shared error = {};
  /// Words from the firmware: what the device writes (kWords of regmap::mailbox::HostRecord; empty: not set
  /// yet), and what has been taken from it.
  static constexpr unsigned kWords = 64;
  HostInterface::Shared words = {};
  std::uint32_t words_taken = 0;
};

class RuntimeImpl : public Runtime {
 public:
  RuntimeImpl(HostInterface& host, RuntimeServices& services);
  ~RuntimeImpl() override;

  unsigned create_context() override;
  Stream create_stream(const StreamOptions& options = {}) override;
  DevicePtr malloc(std::size_t bytes, unsigned context = 0) override;
  DevicePtr malloc_pages(std::size_t bytes, unsigned context = 0) override;
  bool grow(DevicePtr begin, std::size_t bytes, unsigned context = 0) override;
  void free(DevicePtr pointer) override;
  std::optional<Allocation> allocation_at(DevicePtr address) const override;
  void copy_to_device_async(DevicePtr destination, const void* source, std::size_t bytes, Stream s) override;
  void copy_to_host_async(void* destination, DevicePtr source, std::size_t bytes, Stream s) override;
  void copy_on_device_async(DevicePtr destination, DevicePtr source, std::size_t bytes, Stream s) override;
  void memset_async(DevicePtr destination, std::uint8_t value, std::size_t bytes, Stream s) override;
  ModuleHandle load_module(const std::string& ptx_path, unsigned context = 0) override;
  ModuleHandle load_module_text(const std::string& name, const std::string& ptx,
                                unsigned context = 0) override;
  Kernel kernel(ModuleHandle module, const std::string& entry) override;
  std::vector<ParameterInfo> parameters(Kernel kernel) override;
  KernelNeeds needs(Kernel kernel) override;
  DeviceInfo device_info() const override;
  void set_printer(std::function<void(const std::string&)> print, unsigned context = 0) override;
  DevicePtr symbol(ModuleHandle module, const std::string& name) override;
  std::uint64_t symbol_bytes(ModuleHandle module, const std::string& name) override;
  void bind_texture(ModuleHandle module, const std::string& name, DevicePtr pointer,
                    const TextureDescription& description) override;
  ImageHandle create_texture(DevicePtr memory, const TextureDescription& description) override;
  ImageHandle create_surface(DevicePtr memory, const SurfaceDescription& description) override;
  void destroy_image(ImageHandle handle) override;
  void launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s = Stream{0},
              const LaunchOptions& options = {}) override;
  unsigned occupancy(Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes = 0,
                     unsigned registers = 0) override;
  unsigned sm_count() const override { return services_.sm_count; }
  double sm_clock_mhz() const override { return services_.sm_clock_mhz; }
  Event record(Stream s) override;
  Event mark(Stream s) override;
  bool completed(Event e) override;
  void wait(Stream s, Event e) override;
  void synchronize(Event e) override;
  void synchronize(Stream s) override;
  void synchronize() override;
  double elapsed_us(Event from, Event to) override;
  HostThread start_thread(const std::string& name, std::function<void(Runtime&)> program) override;
  void join(HostThread thread) override { host_.join(thread.id); }
  void set_priority(Stream s, std::int32_t priority) override;
  std::string whose_else(std::uint64_t address, std::size_t bytes, bool write,
                         const std::set<unsigned>& contexts) const override;
  [[noreturn]] void fault_of(unsigned context, const std::string& what, std::uint64_t address) override;
  Job begin_job(Stream s, const JobOptions& options = {}) override;
  void end_job(Job job) override;
  JobStatus job_status(Job job) override;
  JobStatus synchronize(Job job) override;
  void reject_job(Job job, std::uint32_t code) override;
  std::optional<JobCompletion> next_completion() override;
  void send_to_firmware(std::uint32_t word) override;
  std::optional<std::uint32_t> receive_from_firmware(bool wait = true) override;
  HostInterface& host() override { return host_; }

 private:
  using CommandPtr = std::shared_ptr<Command>;
  struct HardwareQueue {
    unsigned number = 0;
    std::uint64_t ring = 0;
    std::uint64_t write_index = 0;
    std::deque<CommandPtr> outstanding;  ///< in order of completion
  };
  struct StreamState {
    std::string name;
    int priority = 0;
    unsigned context = 0;
    unsigned id = 0;     ///< of the whole run
    unsigned queue = 0;  ///< index into queues_
    CommandPtr last;
    std::uint32_t job = 0;  ///< the open one
  };
  struct Entry {
    ptx::KernelFacts facts;
    DevicePtr code = 0;   ///< where its instructions are fetched
    DevicePtr image = 0;  ///< its kernel image
    std::uint32_t image_bytes = 0;
    std::map<unsigned, DevicePtr> objects;  ///< kernel descriptors by registers per thread
  };
  struct LoadedModule {
    std::string path;
    unsigned context = 0;
    std::unique_ptr<ptx::LoadableModule> module;
    std::map<std::string, DevicePtr> symbols;
    std::vector<Entry> entries;
  };
  struct Mirror {
    std::int64_t value;
    std::uint64_t start_ns, end_ns;
  };

  Mirror& mirror(unsigned number) const { return static_cast<Mirror*>(mirrors_.memory.get())[number]; }
  StreamState& stream(Stream s, const char* call);
  void check_context(unsigned context, const char* call) const;
  ModuleHandle place_module(const std::string& name, unsigned context,
                            std::unique_ptr<ptx::LoadableModule> module);
  LoadedModule& module(ModuleHandle m, const char* call);
  Entry& entry(Kernel k, const char* call);
  Command& event(Event e, const char* call);
  DevicePtr allocate(std::uint64_t bytes, std::uint64_t alignment, unsigned context, const std::string& what);
  [[noreturn]] void exhausted(const std::string& what, std::uint64_t bytes) const;
  unsigned queue_for_stream(unsigned context);
  unsigned take_mirror();
  void load_image(LoadedModule& module, Entry& entry);
  DevicePtr object_of(Entry& entry, unsigned registers, unsigned context);
  ImageHandle create_image(const std::string& kind, DevicePtr memory, const ptx::ImageDescriptor& descriptor);
  DevicePtr texture_table(unsigned context);
  void check_range(DevicePtr pointer, std::size_t bytes, const char* what) const;
  void check_launch(const Entry& entry, Dim3 grid, Dim3 block, const Args& args,
                    const LaunchOptions& options) const;
  /// The last of the packets of a copy unmaps the host's memory.
  void copy_mapped(void* host, DevicePtr device, std::size_t bytes, bool to_device, Stream s);
  void copy(std::uint64_t destination, std::uint64_t source, std::size_t bytes, aql::CopyKind kind,
            std::uint8_t value, std::uint64_t mapped, Stream s);

  /// Puts a packet into the stream's queue: fills in what all packets have in common and rings the doorbell.
  /// `after`, if any, is what the packet waits for.
  template <class Packet>
  CommandPtr submit(StreamState& stream, Packet packet, aql::PacketType type, aql::Extension extension,
                    const std::vector<std::uint8_t>& arguments, std::uint64_t mapped, const CommandPtr& after,
                    const std::vector<Job>& batch = {});
  /// Counts one more command of the job, and says so in its record.
  void add_to_job(std::uint32_t job, bool kernel, aql::Extension& extension);
  void note_in_jobs(const Command& command);
  static void note_in_job(const Command& command, JobStatus& status);
  void check_batch(const StreamState& stream, const std::vector<Job>& batch, const std::string& launch);
  JobInfo& job(Job job, const char* call);
  void open_mailbox(const char* call);
  void put(StreamState& stream, const CommandPtr& command, const void* packet);
  void poll();
  void take_completions();
  /// Throws ContextFault, once nothing of this program is under way, if a fault has ended its context.
  void check_context_ended();
  /// Why the context of one of its streams has ended; nullptr: none has.
  const std::string* ended() const;
  void complete(Command& command);
  void wait_for(const Command& command);
  void check_queues();

  HostInterface& host_;
  RuntimeServices& services_;
  const DeviceMemoryClient memory_;
  const std::uint64_t page_bytes_;  ///< 0: contexts have no page tables
  std::vector<HardwareQueue> queues_;
  std::vector<StreamState> streams_;
  std::vector<LoadedModule> modules_;
  std::map<ImageHandle, DevicePtr> images_;  ///< textures and surfaces not destroyed, and their descriptors
  std::vector<CommandPtr> events_;
  CommandPtr nothing_;  ///< what was put last into a stream without commands: done from the beginning
  bool keep_completions_ = false;
  std::deque<JobCompletion> completions_;  ///< of jobs, not handed out yet
  bool ending_ = false;                    ///< waits until it may throw ContextFault
  std::unique_ptr<CommandRing> ring_;
  HostInterface::Shared mirrors_;  ///< of Mirror, written by the device
  std::vector<unsigned> free_mirrors_;
};

}  // namespace warpvp::rt
