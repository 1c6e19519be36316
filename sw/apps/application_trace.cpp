#include "sw/apps/application_trace.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <memory>

#include "interconnect/host_interface.h"

namespace warpvp::apps {

namespace {

using Kind = TraceStep::Kind;

/// Host memory that traces copy from and to. What it holds means nothing, so all share it: pages that are
/// never touched take no memory of the host. Mapped, as calloc() would clear what the heap has in reserve.
class StagingMemory {
 public:
  ~StagingMemory() {
    for (const Block& block : blocks_) munmap(block.data, block.bytes);
  }
  unsigned char* of(std::uint64_t bytes) {
    if (blocks_.empty() || bytes > blocks_.back().bytes) {
      void* const data =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (data == MAP_FAILED) throw InputError("no memory on this host for copies of an application");
      // What is under way may still refer to smaller ones: they stay.
      blocks_.push_back({static_cast<unsigned char*>(data), bytes});
    }
    return blocks_.back().data;
  }

 private:
  struct Block {
    unsigned char* data;
    std::uint64_t bytes;
  };
  std::vector<Block> blocks_;
};

StagingMemory& staging() {
  static StagingMemory memory;
  return memory;
}

class Player {
 public:
  Player(const ApplicationTrace& trace, rt::Runtime& device, double cpu_scale)
      : trace_(trace), device_(device), cpu_scale_(cpu_scale) {}

  void play() {
    prepare();
    do_steps(trace_.steps);
    device_.synchronize();
    if (memory_ != 0) device_.free(memory_);
  }

 private:
  /// Modules, streams and memory, before the first call of the trace.
  void prepare() {
    std::vector<std::string> names;
    unsigned streams = 0;
    std::uint64_t from_host = 0, within = 0;
    for_each_trace_step(trace_.steps, [&](const TraceStep& step, std::uint64_t) {
      if (step.kind == Kind::kLaunch) names.push_back(step.launch.kernel);
      if (step.stream) streams = std::max(streams, *step.stream);
      if (step.kind == Kind::kCopyToDevice || step.kind == Kind::kCopyToHost)
        from_host = std::max(from_host, step.bytes);
      within = std::max(within, step.bytes);
    });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (!names.empty()) {
      const rt::ModuleHandle module = device_.load_module_text(trace_.name, stub_ptx(names));
      for (const std::string& name : names) kernels_[name] = device_.kernel(module, name);
    }
    streams_.push_back(rt::Stream{0});
    for (unsigned i = 1; i <= streams; ++i) {
      rt::StreamOptions options;
      if (i <= trace_.stream_priorities.size()) options.priority = trace_.stream_priorities[i - 1];
      streams_.push_back(device_.create_stream(options));
    }
    if (from_host > 0) host_ = staging().of(from_host);
    // A copy within the device goes from one half to the other.
    if (within > 0) memory_ = device_.malloc(2 * within);
    half_ = within;
  }

  void do_steps(const std::vector<TraceStep>& steps) {
    for (const TraceStep& step : steps) do_step(step);
  }
  void do_step(const TraceStep& step) {
    const rt::Stream stream = streams_[step.stream.value_or(0)];
    switch (step.kind) {
      case Kind::kCpu:
        device_.host().compute(SimTime::from_us(step.us * cpu_scale_));
        break;
      case Kind::kCopyToDevice:
        device_.copy_to_device_async(memory_, host_, step.bytes, stream);
        break;
      case Kind::kCopyToHost:
        device_.copy_to_host_async(host_, memory_, step.bytes, stream);
        break;
      case Kind::kCopyOnDevice:
        device_.copy_on_device_async(memory_ + half_, memory_, step.bytes, stream);
        break;
      case Kind::kFill:
        device_.memset_async(memory_, 0, step.bytes, stream);
        break;
      case Kind::kLaunch:
        launch(step.launch, stream);
        break;
      case Kind::kSynchronize:
        step.stream ? device_.synchronize(stream) : device_.synchronize();
        break;
      case Kind::kRecord:
        events_[step.event] = device_.record(stream);
        break;
      case Kind::kWait:
        device_.wait(stream, events_.at(step.event));
        break;
      case Kind::kSynchronizeEvent:
        device_.synchronize(events_.at(step.event));
        break;
      case Kind::kRepeat:
        for (std::uint64_t i = 0; i < step.times; ++i) do_steps(step.body);
        break;
    }
    const bool moves = step.kind == Kind::kCopyToDevice || step.kind == Kind::kCopyToHost ||
                       step.kind == Kind::kCopyOnDevice || step.kind == Kind::kFill;
    if (moves && !step.stream) device_.synchronize(stream);
  }
  void launch(const TraceLaunch& launch, rt::Stream stream) {
    rt::LaunchOptions options;
    options.registers = launch.registers;
    options.dynamic_shared_bytes = launch.shared_bytes;
    device_.launch(kernels_.at(launch.kernel), {launch.grid[0], launch.grid[1], launch.grid[2]},
                   {launch.block[0], launch.block[1], launch.block[2]}, {}, stream, options);
  }

  const ApplicationTrace& trace_;
  rt::Runtime& device_;
  const double cpu_scale_;
  std::map<std::string, rt::Kernel> kernels_;
  std::vector<rt::Stream> streams_;
  std::map<unsigned, rt::Event> events_;
  unsigned char* host_ = nullptr;
  rt::DevicePtr memory_ = 0;
  std::uint64_t half_ = 0;
};

}  // namespace

std::string stub_ptx(const std::vector<std::string>& kernels) {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n";
  for (const std::string& name : kernels) text += ".visible .entry " + name + "()\n{\n  ret;\n}\n";
  return text;
}

AppResult play_trace(const ApplicationTrace& trace, rt::Runtime& device, double cpu_scale) {
  Player(trace, device, cpu_scale).play();
  AppResult result;
  result.checked = false;
  return result;
}

}  // namespace warpvp::apps
