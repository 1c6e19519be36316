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
#include "platform/config/plugin_list.h"
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

/// What a buffer holds: `zero`, `iota`, `random`, `{fill: V}`, `{values: [..]}` or `{file: PATH}` (raw
/// little-endian elements).
struct BufferContents : CustomValue {
  enum class Kind : std::uint8_t { kZero, kIota, kRandom, kFill, kValues, kFile };
  Kind kind = Kind::kZero;
  std::vector<std::string> values;  ///< kValues: one an element; kFill: one
  PathValue file;
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

/// One kernel argument: a buffer's address, a texture or surface over a buffer, a scalar, or raw bytes (a
/// struct passed by value).
struct ArgumentConfig {
  std::string type;  ///< "buffer", "texture", "surface", an element type, or "bytes"
  std::string text;  ///< buffer name (of an image too), number, or hexadecimal digits
  std::string place;
  ImageConfig image;  ///< of textures and surfaces

  bool is_image() const { return type == "texture" || type == "surface"; }
  bool names_buffer() const { return type == "buffer" || is_image(); }

  /// The bytes as the kernel sees them; empty for a buffer, whose address only the run knows.
  std::vector<std::uint8_t> bytes() const;
};

struct ArgumentList : CustomValue {
  std::vector<ArgumentConfig> items;
  std::string place;
  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;
};

/// One kernel launch of a launch list.
struct LaunchConfig {
  PathValue ptx;
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
  ArgumentList args;
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

struct WorkloadConfig {
  PolicyChoice app;  ///< registry "app"; empty name: the launch list
  std::vector<LaunchConfig> launches;
  std::vector<std::pair<std::string, BufferConfig>> buffers;
  std::vector<CheckConfig> checks;
  std::vector<DumpConfig> dumps;
  void fields(ConfigVisitor& v);
  /// The buffer of that name, or nullptr.
  const BufferConfig* buffer(const std::string& name) const;
};

struct LimitsConfig {
  std::uint64_t cycles = 0;
  double progress_us = 10'000;
  double effect_us = 100'000;
  double wall_seconds = 0;
  void fields(ConfigVisitor& v);
};

struct TraceConfig {
  bool enabled = false;
  std::string file = "trace.json";
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
  std::vector<MonitorConfig> monitors;
  WorkloadConfig workload;
  bool profile = false;
  void fields(ConfigVisitor& v);
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
  void visit_platform(const PlatformFields& platform, ConfigVisitor* printer) const;

  Setting tree_;
  ConfigSearch search_;
  int next_layer_ = 1'000'000;  // above any chain of files
};

/// InputError with the place of the first buffer that does not fit `capacity` bytes with those before it.
/// Before any contents are made.
void check_buffers_fit(const WorkloadConfig& workload, std::uint64_t capacity);

/// Files a run reads: plugins, PTX and buffer contents, in order of mention. For noticing that an input has
/// changed.
std::vector<std::string> input_files(const RunConfig& run);

}  // namespace warpvp
