#include "platform/run/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/data_folder.h"
#include "base/end_guard.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/random_factor.h"
#include "base/registry.h"
#include "interconnect/device_memory.h"
#include "platform/config/buffer_data.h"
#include "platform/results/result_writer.h"
#include "ptx/link.h"
#include "sw/apps/launch_list.h"
#include "sw/schedulers/runtime_job_host.h"

namespace warpvp {

namespace {

ptx::TexelType texel_type(const std::string& name) {
  static const std::pair<const char*, ptx::TexelType> kTypes[] = {
      {"f32", ptx::TexelType::f32}, {"f16", ptx::TexelType::f16}, {"s32", ptx::TexelType::s32},
      {"u32", ptx::TexelType::u32}, {"s16", ptx::TexelType::s16}, {"u16", ptx::TexelType::u16},
      {"s8", ptx::TexelType::s8},   {"u8", ptx::TexelType::u8}};
  for (const auto& [word, type] : kTypes)
    if (name == word) return type;
  throw InputError(fmt::format("unknown type of texels '{}'", name));
}

ptx::TextureAddressing addressing(const std::string& name) {
  if (name == "border") return ptx::TextureAddressing::kBorder;
  if (name == "wrap") return ptx::TextureAddressing::kWrap;
  return name == "mirror" ? ptx::TextureAddressing::kMirror : ptx::TextureAddressing::kClamp;
}

rt::TextureDescription describe(const ImageConfig& image) {
  using ptx::Geometry;
  rt::TextureDescription t;
  const bool array = image.layers != 0;
  const std::size_t sizes = image.size.size();
  t.geometry = image.cube   ? array ? Geometry::acube : Geometry::cube
               : sizes == 1 ? array ? Geometry::a1d : Geometry::d1
               : sizes == 2 ? array ? Geometry::a2d : Geometry::d2
                            : Geometry::d3;
  t.width = image.size[0];
  if (sizes > 1) t.height = image.size[1];
  if (sizes > 2) t.depth = image.size[2];
  if (array) t.layers = image.layers;
  t.pitch_bytes = image.pitch_bytes;
  t.slice_pitch_bytes = image.slice_pitch_bytes;
  t.type = texel_type(image.type);
  t.channels = image.channels;
  if (image.filter == "linear") t.filter = ptx::TextureFilter::kLinear;
  const std::string* modes[3] = {&image.address, &image.address_y, &image.address_z};
  for (unsigned k = 0; k < 3; ++k)
    t.addressing[k] = addressing(modes[k]->empty() ? image.address : *modes[k]);
  t.normalised_coordinates = image.normalized;
  t.normalised_values = image.normalized_values;
  return t;
}

/// Checks the image as far as that goes before there is memory.
apps::LaunchList::Argument image_argument(const ArgumentConfig& config, const BufferConfig& buffer) {
  using As = apps::LaunchList::Argument::As;
  const bool texture = config.type == "texture";
  apps::LaunchList::Argument argument;
  argument.buffer = config.text;
  argument.as = texture ? As::kTexture : As::kSurface;
  argument.place = config.place;
  argument.image = describe(config.image);
  try {
    const std::uint64_t base = DeviceMemory::kBase;
    const ptx::ImageDescriptor d = texture ? ptx::make_texture_descriptor(config.text, base, argument.image)
                                           : ptx::make_surface_descriptor(config.text, base, argument.image);
    if (ptx::image_bytes(d) > buffer.bytes())
      throw InputError(fmt::format("{} '{}': its texels take {} bytes, the buffer has {}", config.type,
                                   config.text, ptx::image_bytes(d), buffer.bytes()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", config.place, error.what()));
  }
  return argument;
}

apps::LaunchList::Target place_of(const TargetConfig& config) {
  return {config.buffer, config.symbol,  config.ptx.written.empty() ? "" : config.ptx.resolved,
          config.offset, config.context, config.place};
}

std::vector<apps::LaunchList::Address> addresses_of(const ArgumentConfig& config) {
  std::vector<apps::LaunchList::Address> addresses;
  for (const AddressConfig& address : config.addresses())
    addresses.push_back({address.at, place_of(address.target)});
  return addresses;
}

/// The launch list of a run file as a host program.
class LaunchListApp : public apps::App {
 public:
  LaunchListApp(const RunConfig& run, std::string folder)
      : workload_(run.workload), seed_(run.seed), folder_(std::move(folder)) {
    for (const auto& [name, buffer] : workload_.buffers) {
      list_.buffers.push_back({name, initial_contents(name, buffer, seed_), context_of(name)});
      if (buffer.init.kind == BufferContents::Kind::kStruct)
        list_.buffers.back().addresses = addresses_of(buffer.init.structure);
    }
    list_.pad_bytes = workload_.pad_bytes;
    for (const LaunchConfig& launch : workload_.launches) list_.launches.push_back(convert(launch));
    for (const JobConfig& job : workload_.jobs) list_.jobs.push_back(convert(job));
    list_.steps = convert(workload_.steps.items);
    list_.on_read = [this](std::size_t read, const std::vector<std::uint8_t>& bytes) {
      use(*reads_[read], bytes);
    };
    for (const CheckConfig& check : workload_.checks) want(check.buffer);
    for (const DumpConfig& dump : workload_.dumps) want(dump.buffer);
  }

  apps::AppResult run(rt::Runtime& device, const apps::AppContext&) override {
    result_ = apps::AppResult{};
    result_.checked = !workload_.checks.empty();
    for_each_step(workload_.steps.items, [&](const StepConfig& step) {
      result_.checked = result_.checked || step.kind == StepConfig::Kind::kCheck;
    });
    result_.verified = result_.checked;
    const auto contents = apps::run_launch_list(device, list_);
    for (const DumpConfig& dump : workload_.dumps) write(dump.file, contents.at(dump.buffer));
    for (const CheckConfig& check : workload_.checks) {
      const BufferConfig& buffer = *workload_.buffer(check.buffer);
      judge(compare_contents(check.buffer, buffer.element_type(), contents.at(check.buffer),
                             expected_contents(check, buffer, seed_), check.tolerance),
            "");
    }
    return result_;
  }

 private:
  void write(const std::string& file, const std::vector<std::uint8_t>& bytes) const {
    write_file_atomically(std::filesystem::path(folder_) / file, std::string(bytes.begin(), bytes.end()));
  }
  void judge(const Comparison& comparison, const std::string& place) {
    if (comparison.differing == 0) return;
    result_.verified = false;
    if (result_.message.empty()) result_.message = place + comparison.message;
  }
  /// What a step has read from the device.
  void use(const StepConfig& step, const std::vector<std::uint8_t>& bytes) {
    if (step.kind == StepConfig::Kind::kDump) return write(step.file, bytes);
    const ElementType type = *parse_element_type(step.type);
    const std::string& name = step.target.buffer.empty() ? step.target.symbol : step.target.buffer;
    judge(compare_contents(name, type, bytes,
                           make_contents(step.equals, type, step.count, 0, 1, step.seed, seed_, name),
                           step.tolerance),
          step.place + ": ");
  }

  /// A buffer belongs to the context of the first launch that is given it.
  unsigned context_of(const std::string& buffer) const {
    std::optional<unsigned> context;
    for_each_launch(workload_, [&](const LaunchConfig& launch) {
      for (const ArgumentConfig& argument : launch.args.items) {
        bool given = argument.is_image() && argument.text == buffer;
        if (!argument.is_image())
          for (const AddressConfig& address : argument.addresses())
            given = given || address.target.buffer == buffer;
        if (given && !context) context = launch.context;
      }
    });
    return context.value_or(0);
  }

  std::vector<apps::LaunchList::Step> convert(const std::vector<StepConfig>& configs) {
    using Kind = apps::LaunchList::Step::Kind;
    std::vector<apps::LaunchList::Step> steps;
    for (const StepConfig& config : configs) {
      apps::LaunchList::Step step;
      step.place = config.place;
      step.target = place_of(config.target);
      step.bytes = config.bytes;
      step.stream = config.stream;
      step.context = config.context;
      switch (config.kind) {
        case StepConfig::Kind::kLaunch:
          step.kind = Kind::kLaunch;
          step.launch = list_.launches.size();
          list_.launches.push_back(convert(config.launch));
          break;
        case StepConfig::Kind::kMemset:
          step.kind = Kind::kMemset;
          step.value = static_cast<std::uint8_t>(config.value);
          break;
        case StepConfig::Kind::kCopy:
          step.kind = Kind::kCopy;
          step.to = place_of(config.to);
          break;
        case StepConfig::Kind::kWrite:
          step.kind = Kind::kWrite;
          step.data = config.data.bytes();
          step.addresses = addresses_of(config.data);
          break;
        case StepConfig::Kind::kCheck:
          step.bytes = config.count * element_bytes(*parse_element_type(config.type));
          [[fallthrough]];
        case StepConfig::Kind::kDump:
          step.kind = Kind::kRead;
          step.read = reads_.size();
          reads_.push_back(&config);
          break;
        case StepConfig::Kind::kUntil:
          step.kind = Kind::kUntil;
          append_element(*parse_element_type(config.type), config.wanted, step.data);
          step.differs = config.differs;
          step.at_most = config.at_most;
          step.body = convert(config.body);
          break;
      }
      steps.push_back(std::move(step));
    }
    return steps;
  }

  /// The file of the launch's module. Linked modules are written into the run's folder, where messages about
  /// their lines can be looked up.
  std::string module_of(const LaunchConfig& config) {
    if (config.link.files.empty()) return config.ptx.resolved;
    std::vector<ptx::ModuleText> parts;
    std::string key;
    const auto add = [&](const PathValue& file) {
      key += file.resolved + "\n";
      const Activity reading("reading", file.resolved);
      parts.push_back({file.resolved, read_input_file(file.resolved, input_limit::kPtx, file.place)});
    };
    add(config.ptx);
    for (const PathValue& file : config.link.files) add(file);
    const auto known = linked_.find(key);
    if (known != linked_.end()) return known->second;
    const std::string file =
        (std::filesystem::path(folder_) / fmt::format("linked_{}.ptx", linked_.size())).string();
    write_file_atomically(file, ptx::link_modules(parts));
    return linked_[key] = file;
  }
  apps::LaunchList::Launch convert(const LaunchConfig& config) {
    apps::LaunchList::Launch launch;
    launch.place = config.ptx.place;
    launch.name = config.entry;  // as it is written: a C++ name rather than the mangled one
    launch.ptx = module_of(config);
    launch.entry = config.entry;
    std::copy_n(config.grid.begin(), 3, launch.grid);
    std::copy_n(config.block.begin(), 3, launch.block);
    launch.dynamic_shared_bytes = config.shared_bytes;
    launch.registers = config.registers;
    launch.context = config.context;
    launch.stream = config.stream;
    launch.priority = config.priority;
    launch.budget = config.budget;
    launch.start_us = config.start_us;
    launch.deadline_us = static_cast<std::uint64_t>(config.deadline_us);
    launch.expected_us = config.expected_us;
    for (const ArgumentConfig& argument : config.args.items) {
      if (argument.is_image()) {
        launch.arguments.push_back(image_argument(argument, *workload_.buffer(argument.text)));
        continue;
      }
      apps::LaunchList::Argument converted;
      converted.bytes = argument.bytes();
      converted.addresses = addresses_of(argument);
      converted.type = argument.type;
      converted.place = argument.place;
      launch.arguments.push_back(std::move(converted));
    }
    return launch;
  }
  apps::LaunchList::Job convert(const JobConfig& config) {
    apps::LaunchList::Job job;
    job.place = config.place;
    job.name = config.name;
    job.arrival_us = config.arrival_us;
    job.deadline_us = config.deadline_us;
    job.context = config.context;
    job.priority = config.priority;
    for (const LaunchConfig& launch : config.launches) {
      job.launches.push_back(list_.launches.size());
      list_.launches.push_back(convert(launch));
      list_.launches.back().of_job = true;
    }
    return job;
  }
  void want(const std::string& buffer) {
    if (std::find(list_.read_back.begin(), list_.read_back.end(), buffer) == list_.read_back.end())
      list_.read_back.push_back(buffer);
  }

  WorkloadConfig workload_;
  std::uint64_t seed_;
  std::string folder_;
  apps::LaunchList list_;
  std::map<std::string, std::string> linked_;  // files of linked modules, by those they are made of
  std::vector<const StepConfig*> reads_;       // by their number, in workload_
  apps::AppResult result_;
};

/// InputError where the kernels of all jobs would take more of the host's memory than a run may have: what is
/// known of each is kept to the end, and a list of them in the result takes much more.
void check_job_stream_memory(const RunConfig& run) {
  // Measured on lax_gpu, whose SMs keep least: peak memory over kernels, of streams of 20,000 to 250,000.
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30, kBytes = 1280, kBytesInList = 32 * 1024;
  const JobStreamConfig& stream = run.workload.job_stream;
  const std::uint64_t listed = run.output.listed_kernels();
  const std::uint64_t most = listed * kBytesInList < kMostBytes
                                 ? listed + (kMostBytes - listed * kBytesInList) / kBytes
                                 : kMostBytes / kBytesInList;
  if (apps::count_kernels(stream.plan(), run.seed, most) <= most) return;
  throw InputError(fmt::format(
      "{}: 'workload.job_stream.jobs' is {}, of more than {} kernels together, which take {} bytes of the "
      "host's "
      "memory each{}; allowed: 4 GiB, that is {} kernels{}",
      stream.place, stream.jobs, most, kBytes,
      listed != 0 ? fmt::format(", the {} that the result lists {}", listed, kBytesInList) : "", most,
      listed != 0 ? fmt::format("; or {} with output.kernels: false", kMostBytes / kBytes) : ""));
}

/// The jobs, with what schedulers are told of their kernels; what profiles have in cycles is at that clock.
apps::JobStream draw_stream(const RunConfig& run, double sm_clock_mhz) {
  const JobStreamConfig& config = run.workload.job_stream;
  const std::uint64_t seed = run.seed;
  check_job_stream_memory(run);
  apps::JobStream stream = apps::draw_jobs(config.plan(), seed);
  constexpr std::uint64_t kTimes = 100;  // of what is drawn: apart from the stream's own numbers
  for (std::size_t k = 0; k < stream.kernels.size(); ++k) {
    apps::StreamKernel& kernel = stream.kernels[k];
    const std::string key = describe_launch(kernel.launch);
    for (const JobBenchmarkFile& file : config.benchmarks.benchmarks) {
      const auto known = file.kernels.find(key);
      if (known == file.kernels.end()) continue;
      const JobBenchmarkFile::Known& profile = known->second;
      const double right = profile.cta_us > 0 ? profile.cta_us : profile.cta_cycles / sm_clock_mhz;
      kernel.knowledge.cta_us =
          right * config.told_time * log_normal_factor(config.told_time_spread, seed, kTimes, digest(key));
      kernel.knowledge.instructions = profile.instructions;
      kernel.knowledge.memory_bytes = profile.memory_bytes;
    }
  }
  return stream;
}

/// A stream of jobs, and the scheduler on the host that runs it.
class JobStreamApp : public apps::App {
 public:
  JobStreamApp(const RunConfig& run, double sm_clock_mhz)
      : stream_(draw_stream(run, sm_clock_mhz)), options_{run.workload.job_stream.queues} {
    PolicyChoice choice = run.workload.job_stream.scheduler;
    if (choice.name.empty()) choice.name = "device";
    scheduler_ = Registry<sched::HostScheduler>::instance().make(choice);
    if (!run.workload.job_stream.kernels.name.empty())
      kernels_ = Registry<apps::JobKernels>::instance().make(run.workload.job_stream.kernels);
  }

  apps::AppResult run(rt::Runtime& device, const apps::AppContext& context) override {
    if (kernels_) kernels_->prepare(device, context);
    sched::RuntimeJobHost(device, stream_, options_, kernels_.get()).run(*scheduler_);
    apps::AppResult result;
    result.checked = false;
    return result;
  }

 private:
  const apps::JobStream stream_;
  const sched::JobHostOptions options_;
  std::unique_ptr<sched::HostScheduler> scheduler_;
  std::unique_ptr<apps::JobKernels> kernels_;
};

}  // namespace

std::unique_ptr<apps::App> make_workload(const RunConfig& run, const std::string& folder,
                                         double sm_clock_mhz) {
  if (run.workload.job_stream.given()) return std::make_unique<JobStreamApp>(run, sm_clock_mhz);
  if (!run.workload.app.name.empty()) return Registry<apps::App>::instance().make(run.workload.app);
  return std::make_unique<LaunchListApp>(run, folder);
}

ExpectedWork expected_work(const WorkloadConfig& workload) {
  bool open_ended = false;  // a loop that the device ends
  for (const StepConfig& step : workload.steps.items)
    open_ended = open_ended || step.kind == StepConfig::Kind::kUntil;
  ExpectedWork work;
  if (open_ended) return work;
  for_each_launch(workload, [&](const LaunchConfig& launch) {
    ++work.kernels;
    work.ctas += std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  });
  return work;
}

apps::AppContext app_context(const RunConfig& run) {
  return {run.seed, data_folder("sw/kernels").string() + "/", {}};
}

}  // namespace warpvp
