#include "modules/command_processor/core_types.h"

#include "modules/command_processor/config.h"
#include "modules/command_processor/core/firmware_file.h"
#include "modules/command_processor/native/native_core.h"
#include "modules/command_processor/native/native_policy.h"
#include "modules/command_processor/riscv_core/riscv_core.h"

namespace warpvp {

namespace {

struct CoreType {
  const char* name;
  const char* doc;
  CoreFactory make;
  CoreStats stats;
};

std::unique_ptr<FirmwareCore> make_riscv(const CommandProcessorConfig& config, CoreSurroundings surroundings) {
  riscv::ElfImage image = riscv::ElfImage::load(firmware_path(config.firmware));
  if (config.type == "assisted") image.enter_at("_start_assisted");
  return std::make_unique<RiscvCore>("core", config.core, std::move(surroundings), std::move(image));
}

std::unique_ptr<FirmwareCore> make_native(const CommandProcessorConfig& config, CoreSurroundings surroundings) {
  return std::make_unique<NativeCore>("core", std::move(surroundings), native_policy(config.firmware),
                                      config.core.progress_limit, config.core.native_limit, config.type == "assisted");
}

constexpr CoreStats kRiscvStats = {[](StatVisitor& v) { RiscvCoreStats().stats(v); }};

const std::vector<CoreType>& core_types() {
  static const std::vector<CoreType> types = {
      {"riscv", "Hardware queues, and firmware on a RISC-V core that decides which packet starts next.", make_riscv,
       kRiscvStats},
      {"native", "As riscv, with the firmware compiled for the host: its decisions take no time of a core.",
       make_native,
       {[](StatVisitor& v) { NativeCoreStats().stats(v); }}},
      {"assisted",
       "Hardware starts packets by itself, in an order that firmware on a core (assisted_core) gives it now and then.",
       [](const CommandProcessorConfig& config, CoreSurroundings surroundings) {
         return (config.assisted_core == "native" ? make_native : make_riscv)(config, std::move(surroundings));
       },
       kRiscvStats},
  };
  return types;
}

}  // namespace

std::vector<CoreTypeInfo> command_processor_types() {
  std::vector<CoreTypeInfo> types = {
      {"hardware", "Hardware queues that are taken in turn, without firmware."}};
  for (const CoreType& type : core_types()) types.push_back({type.name, type.doc});
  return types;
}

CoreFactory core_factory(const std::string& type) {
  for (const CoreType& t : core_types())
    if (type == t.name) return t.make;
  return {};
}

CoreStats core_stats(const std::string& type) {
  for (const CoreType& t : core_types())
    if (type == t.name) return t.stats;
  return {};
}

}  // namespace warpvp
