#pragma once
// A whole run file: the platform, the workload (a host program by name, or a launch list), limits and traces.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/config_visitor.h"
#include "platform/config/image_config.h"
#include "platform/config/interval_config.h"
#include "platform/config/job_stream_config.h"
#include "platform/config/plugin_list.h"
#include "platform/config/process_config.h"
#include "platform/config/trace_config.h"
#include "platform/config/yaml_document.h"

namespace warpvp {

/// Element types of buffers and kernel arguments, as PTX names them.
enum class ElementType : std::uint8_t { kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF32, kF64 };
/// "u8" ... "f64"; nullopt for anything else.
std::optional<ElementType> parse_element_type(const std::string& word);
const std::vector<std::string>& element_type_names();
const char* element_type_name(ElementType type);
std::size_t element_bytes(ElementType type);
/// Appends the little-endian bytes of a number written as text; false if it does not fit the type. Integers
/// accept decimal and 0x, floats also inf and nan.
bool append_element(ElementType type, const std::string& text, std::vector<std::uint8_t>& bytes);

/// A place in device memory: a buffer, or a variable of a module, and bytes from its begin. Written as the
/// name of a buffer, `{buffer: NAME, offset: N}` or `{symbol: NAME, ptx: FILE, offset: N, context: N}`.
struct TargetConfig {
  std::string buffer, symbol;  ///< one of them
  PathValue ptx;               ///< of a symbol; nothing: the one module that has it
  std::uint64_t offset = 0;
  std::uint32_t context = 0;  ///< of a symbol
  std::string place;

  void load(const Setting& setting, const std::string& path);
  Setting print(const PrintStyle& style) const;
  static std::string syntax();
};

/// An address within bytes, which only the run knows.
struct AddressConfig {
  std::size_t at = 0;  ///< byte
  TargetConfig target;
};

/// One kernel argument, or a member of a struct: an address, a texture or surface over a buffer, a scalar,
/// raw bytes, or members one after the other, aligned as C++ does on the device.
struct ArgumentConfig {
  std::string type;  ///< "buffer", "symbol", "texture", "surface", "struct", an element type, or "bytes"
  std::string text;  ///< buffer name (of an image), number, or hexadecimal digits
  std::string place;
  ImageConfig image;                    ///< of textures and surfaces
  TargetConfig target;                  ///< of addresses
  std::vector<ArgumentConfig> members;  ///< of structs

  bool is_image() const { return type == "texture" || type == "surface"; }
  bool is_address() const { return type == "buffer" || type == "symbol"; }
  bool is_float() const { return type == "f32" || type == "f64"; }

  /// `path` is the dotted key, for messages. InputError at the place of the fault.
  static ArgumentConfig load(const Setting& setting, const std::string& path, bool within_struct);
  Setting print(const PrintStyle& style) const;
  std::size_t alignment() const;
  /// The bytes as the kernel sees them, zeros where an address belongs. Not of images.
  std::vector<std::uint8_t> bytes() const;
  /// The addresses in them.
  std::vector<AddressConfig> addresses() const;
};

struct ArgumentList : CustomValue {
  std::vector<ArgumentConfig> items;
  std::string place;
  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;
};

/// What a buffer holds: `zero`, `iota`, `random`, `{fill: V}`, `{values: [..]}`, `{file: PATH}` (raw
/// little-endian elements) or `{struct: [MEMBER, ..]}`.
struct BufferContents : CustomValue {
  enum class Kind : std::uint8_t { kZero, kIota, kRandom, kFill, kValues, kFile, kStruct };
  Kind kind = Kind::kZero;
  std::vector<std::string> values;  ///< kValues: one an element; kFill: one
  PathValue file;
  ArgumentConfig structure;  ///< kStruct
  std::string place;

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;
};

struct BufferConfig {
  std::string type = "f32";
  std::uint64_t count = 0;
  BufferContents init;
  std::uint64_t seed = 0;
  double min = 0;
  double max = 1;
  std::string place;  ///< "file:line:column"
  void fields(ConfigVisitor& v);
  ElementType element_type() const { return *parse_element_type(type); }
  std::uint64_t bytes() const { return count * element_bytes(element_type()); }
};

/// Files named in YAML, in a list.
struct PathList : CustomValue {
  std::vector<PathValue> files;
  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override { return "a list of paths"; }
};

/// One kernel launch of a launch list.
struct LaunchConfig {
  PathValue ptx;
  PathList link;
  std::string entry;
  std::vector<std::uint32_t> grid = {1, 1, 1};   ///< always three after loading
  std::vector<std::uint32_t> block = {1, 1, 1};  ///< always three after loading
  std::uint32_t shared_bytes = 0;
  std::uint32_t registers = 0;  ///< 0: from live ranges
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::int32_t priority = 0;
  std::uint32_t budget = 1;
  double start_us = 0;
  double deadline_us = 0;  ///< after its start; 0: none
  double expected_us = 0;  ///< alone on the device; 0: not known
  ArgumentList args;
  void fields(ConfigVisitor& v);
};

/// A job of a launch list (sw/runtime/job.h): kernels in order, in a stream of their own.
struct JobConfig {
  std::string name;  ///< its own, after loading
  double arrival_us = 0;
  double deadline_us = 0;  ///< from its arrival
  std::uint32_t context = 0;
  std::int32_t priority = 0;
  std::vector<LaunchConfig> launches;
  std::string place;  ///< "file:line:column"
  void fields(ConfigVisitor& v);
};

/// Compares a buffer with what it should hold when all launches are done.
struct CheckConfig {
  std::string buffer;
  BufferContents equals;
  std::uint64_t seed = 0;
  double tolerance = 0;
  void fields(ConfigVisitor& v);
};

/// Writes a buffer's raw bytes into the run's folder.
struct DumpConfig {
  std::string buffer;
  std::string file;
  void fields(ConfigVisitor& v);
};

/// One step of a launch list that is more than launches; what a field means is said by the kind.
struct StepConfig {
  enum class Kind : std::uint8_t { kLaunch, kMemset, kCopy, kWrite, kDump, kCheck, kUntil };
  Kind kind = Kind::kLaunch;
  std::string place;
  LaunchConfig launch;           ///< kLaunch
  TargetConfig target;           ///< all others: what is set, written, read, or copied from
  TargetConfig to;               ///< kCopy
  std::uint64_t bytes = 0;       ///< 0: to the end of the buffer
  std::uint32_t value = 0;       ///< kMemset: of each byte
  std::uint32_t stream = 0;      ///< kMemset, kCopy
  std::uint32_t context = 0;     ///< kMemset, kCopy: of the stream
  ArgumentConfig data;           ///< kWrite: a struct
  std::string file;              ///< kDump
  std::string type;              ///< kCheck, kUntil: element type; empty: the buffer's
  BufferContents equals;         ///< kCheck
  std::uint64_t count = 0;       ///< kCheck: elements; 0: to the end of the buffer
  std::uint64_t seed = 0;        ///< kCheck
  double tolerance = 0;          ///< kCheck
  std::string wanted;            ///< kUntil: the value to wait for
  bool differs = false;          ///< kUntil: for any other value instead
  std::uint64_t at_most = 0;     ///< kUntil: turns
  std::vector<StepConfig> body;  ///< kUntil
};

/// `steps:` of a workload.
struct StepList : CustomValue {
  std::vector<StepConfig> items;
  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;
};

struct WorkloadConfig {
  PolicyChoice app;  ///< registry "app"; empty name: the launch list
  std::vector<LaunchConfig> launches;
  std::vector<JobConfig> jobs;
  JobStreamConfig job_stream;
  StepList steps;
  std::uint64_t pad_bytes = 0;
  std::vector<std::pair<std::string, BufferConfig>> buffers;
  std::vector<CheckConfig> checks;
  std::vector<DumpConfig> dumps;
  std::vector<ProcessConfig> processes;
  MixConfig mix;
  std::vector<ProcessConfig> drawn;  ///< by `mix`, when the file is read
  std::string replay = "once";
  std::string alone = "none";
  double cpu_scale = 1;
  CpuRateChoice cpu_rates;
  PathValue alone_times;
  void fields(ConfigVisitor& v);
  /// Written or drawn.
  const std::vector<ProcessConfig>& all_processes() const { return drawn.empty() ? processes : drawn; }
  bool has_processes() const { return !processes.empty() || mix.size != 0; }
  /// The buffer of that name, or nullptr.
  const BufferConfig* buffer(const std::string& name) const;
  bool is_launch_list() const { return !launches.empty() || !jobs.empty() || !steps.items.empty(); }
};

/// Calls `visit` with every step, those within others after them.
void for_each_step(const std::vector<StepConfig>& steps, const std::function<void(const StepConfig&)>& visit);
/// The same for every launch, of `launches`, `jobs` and `steps`.
void for_each_launch(const WorkloadConfig& workload, const std::function<void(const LaunchConfig&)>& visit);
/// Calls `visit` with every address that the workload mentions, and its dotted key.
void for_each_target(const WorkloadConfig& workload,
                     const std::function<void(const TargetConfig&, const std::string& path)>& visit);

struct LimitsConfig {
  std::uint64_t cycles = 0;
  double progress_us = 10'000;
  double wall_seconds = 0;
  void fields(ConfigVisitor& v);
};

/// Files beside result.json, on request.
struct OutputConfig {
  IntervalConfig intervals;
  bool instructions = false;
  bool redundancy = false;
  bool applications = false;
  bool kernels = true;
  std::uint32_t most_kernels = 20000;
  /// Launches that the result may list.
  std::uint32_t listed_kernels() const { return kernels ? most_kernels : 0; }
  void fields(ConfigVisitor& v);
};

/// What the run's events cost: nothing is said of it without a table.
struct EnergyConfig {
  PathValue table;
  bool given() const { return !table.written.empty(); }
  void fields(ConfigVisitor& v);
};

/// A monitor on links of the platform (interconnect/link_monitor.h).
struct MonitorConfig {
  std::string links = "*";  ///< names of links, separated by blanks; `*` stands for any text
  PolicyChoice monitor = "protocol_checker";
  void fields(ConfigVisitor& v);
};

struct RunConfig {
  PluginList plugins;
  std::uint64_t seed = 1;
  LimitsConfig limits;
  TraceConfig trace;
  OutputConfig output;
  EnergyConfig energy;
  std::vector<MonitorConfig> monitors;
  WorkloadConfig workload;
  bool profile = false;
  void fields(ConfigVisitor& v);
};

/// Which machine a run takes.
struct PlatformOrigin {
  std::string name;  ///< of the platform file; with ", changed" where settings were laid over it
  std::string file;
  bool is_default = false;  ///< nobody has named one
};

/// A run file with its `extends:` and overrides merged, not yet typed.
class RunFile {
 public:
  /// Visits a platform struct; the run file knows no more about platforms.
  using PlatformFields = std::function<void(FieldVisitor&)>;

  /// Reads the file and applies the overrides ("a.b=value"), those with shorter names first and otherwise in
  /// order. `directory` is what relative paths in overrides are relative to. InputError as YamlFieldLoader.
  static RunFile load(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                      const ConfigSearch& search, const std::string& directory = ".");
  /// The same from a tree (an experiment's base).
  static RunFile from_tree(Setting tree, const ConfigSearch& search);
  /// Applies overrides on top of earlier ones.
  void apply(const std::vector<std::string>& overrides, const std::string& directory = ".");
  /// The same with values that have places of their own (an experiment's matrix).
  void assign(std::vector<Assignment> assignments);

  const Setting& tree() const { return tree_; }
  /// True if the file has the top-level key `experiment`.
  bool is_experiment() const { return tree_.find("experiment") != nullptr; }

  /// Which machine the run takes: the file that `platform` names or extends, or the one that is taken where
  /// nothing is said (ConfigSearch::default_platform).
  PlatformOrigin platform_origin() const;
  /// Says so of a platform that is written out here, and was named elsewhere.
  void set_platform_origin(PlatformOrigin origin) { origin_ = std::move(origin); }

  /// Whether a file without a workload is wrong.
  enum class Workload : std::uint8_t { kRequired, kOptional };

  /// Loads the plugins, fills both parts and checks everything that can be checked before the run: unknown
  /// keys, types, ranges, names, numbers of arguments and buffers, files that are missing. InputError at the
  /// first fault.
  void read(RunConfig& run, const PlatformFields& platform, Workload workload = Workload::kRequired) const;
  /// The fully resolved settings. `platform` visits a default-constructed platform struct.
  /// `run`, if given, receives the typed part.
  Setting resolved(const PlatformFields& platform, PrintStyle style, RunConfig* run = nullptr,
                   Workload workload = Workload::kRequired) const;
  /// The platform alone, as `{platform: ...}`; a workload need not be there.
  Setting resolved_platform(const PlatformFields& platform, PrintStyle style) const;
  /// Fills a platform struct alone.
  void read_platform(const PlatformFields& platform) const;

 private:
  void resolve_references();
  bool names_no_platform() const;
  void take_default_platform();
  void visit_platform(const PlatformFields& platform, ConfigVisitor* printer) const;

  Setting tree_;
  ConfigSearch search_;
  int next_layer_ = 1'000'000;            // above any chain of files
  std::optional<PlatformOrigin> origin_;  // once `platform` no longer shows it
};

/// Names of jobs, their launches, and what a launch of a job may not say. Part of reading a run; `list`: the
/// setting with the jobs, if there are any.
void check_jobs(WorkloadConfig& workload, const Setting* list);
/// InputError with the place of the first job for which the device has no queue: its deadline would depend on
/// the jobs before it in another's.
void check_jobs_fit(const WorkloadConfig& workload, unsigned queues);

/// InputError with the place of the first buffer that does not fit `capacity` bytes with those before it.
/// Before any contents are made.
void check_buffers_fit(const WorkloadConfig& workload, std::uint64_t capacity);

/// Files a run reads: plugins, PTX and buffer contents, in order of mention. For noticing that an input has
/// changed.
std::vector<std::string> input_files(const RunConfig& run);

}  // namespace warpvp
