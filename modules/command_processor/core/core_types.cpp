#include "modules/command_processor/core/core_types.h"

#include "modules/command_processor/config.h"
#include "modules/command_processor/core/firmware_file.h"
#include "modules/command_processor/native/native_core.h"
#include "modules/command_processor/riscv/riscv_core.h"

namespace warpvp {

namespace {

struct CoreType {
  const char* name;
  CoreFactory make;
};

const std::vector<CoreType>& core_types() {
  static const std::vector<CoreType> types = {
      {"riscv",
       [](const CommandProcessorConfig& config, CoreSurroundings surroundings) {
         return std::make_unique<RiscvCore>("core", config.core, std::move(surroundings),
                                            riscv::ElfImage::load(firmware_path(config.firmware)));
       }},
      {"native",
       [](const CommandProcessorConfig& config, CoreSurroundings surroundings) {
         return std::make_unique<NativeCore>("core", std::move(surroundings), native_policy(config.firmware),
                                             config.core.progress_limit, config.core.native_limit);
       }},
  };
  return types;
}

}  // namespace

std::vector<std::string> command_processor_types() {
  std::vector<std::string> names = {"hardware"};
  for (const CoreType& type : core_types()) names.push_back(type.name);
  return names;
}

CoreFactory core_factory(const std::string& type) {
  for (const CoreType& t : core_types())
    if (type == t.name) return t.make;
  return {};
}

}  // namespace warpvp
