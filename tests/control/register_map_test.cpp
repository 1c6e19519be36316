// docs/register-map.md and sw/firmware/hal/registers.h are what the register blocks say. To write them anew
// after a change, run these tests with WARPVP_UPDATE_DOCS=1 in the environment.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/registry.h"
#include "interconnect/policy_reference.h"
#include "modules/bandwidth/ccbp_controller.h"
#include "modules/l2/l2_bank.h"
#include "modules/sm/sm.h"
#include "modules/sm/sm_registers.h"
#include "modules/vfio_user/served_endpoint.h"
#include "tests/control/rig.h"
#include "tests/control/scripted_core.h"

namespace warpvp::test {
namespace {

/// The device with a core, and all its blocks.
struct Device {
  Device()
      : path("path", options()),
        sm(make_sm_registers({}, SmResources{}.shared_bytes)),
        controller("bandwidth_controller", CcbpConfig(), {path.sm_clock, path.faults, resources}) {
    RegisterDirectory& d = path.processor.directory();
    d.add("WORK_DISTRIBUTOR", "WD", path.distributor.register_block(), regmap::wd::kBase);
    d.add("DMA", "DMA", path.engines[0]->register_block(), regmap::dma::kBase, options().dma_engines,
          regmap::dma::kStride);
    d.add("MEMORY_MANAGER", "", path.manager.register_block(), regmap::mm::kBase);
    d.add("BANDWIDTH", "", controller.register_block(), regmap::bandwidth::kBase);
    d.add("SM", "SM", sm, regmap::sm::kBase, options().sms, regmap::sm::kStride);
  }
  static ControlPathOptions options() {
    ControlPathOptions options;
    options.sms = 80;
    options.core = ScriptedCore::factory({});
    return options;
  }
  RegisterDirectory& directory() { return path.processor.directory(); }

  ControlPath path;
  RegisterBlock sm;
  SmResources resources;
  CcbpController controller;
};

std::string register_map() {
  Device device;
  std::string out =
      "# Register map\n\n"
      "Generated from the register blocks' declarations; do not edit. Addresses are those of the device as "
      "the host, "
      "the command processor and the other masters of the register bus see it "
      "(`interconnect/register_map.h`). The "
      "numbers of queues, slots and SMs are parameters; those shown are the defaults, with 80 SMs.\n\n"
      "An access may span consecutive registers and must cover each of them whole. Otherwise: address error "
      "where "
      "there is no register, command error for a direction that the access column does not list, burst error "
      "for a "
      "part of a register or of a mailbox record. A refused access changes nothing.\n\n"
      "| base | block |\n|---|---|\n";
  const auto row = [&](std::uint64_t base, const std::string& text) {
    out += fmt::format("| `{:#x}` | {} |\n", base, text);
  };
  row(regmap::ep::kBase, "endpoint of the PCI function, for a host outside alone");
  row(regmap::cp::kBase, "command processor, the host's side of the queues");
  row(regmap::qc::kBase, "scheduler port, the firmware's side of the queues");
  row(regmap::uart::kBase, "devices of the command processor's core, one every `0x1000`");
  row(regmap::wd::kBase, "work distributor");
  row(regmap::dma::kBase, fmt::format("DMA engines, one every `{:#x}`", regmap::dma::kStride));
  row(regmap::mm::kBase, "memory manager");
  row(regmap::bandwidth::kBase, "bandwidth controller, where there is one");
  row(regmap::sm::kBase, fmt::format("SMs, one every `{:#x}`", regmap::sm::kStride));
  row(regmap::l2::kBase,
      fmt::format("banks of the L2 whose policies have registers, one every `{:#x}`", regmap::l2::kStride));
  row(DeviceMemory::kBase, "device memory");
  row(regmap::kHostBusBase, "host memory, for DMA engines and completion writes");
  out += "\n" + vfio_user::ServedEndpoint({}, {}, {}).block().markdown(regmap::ep::kBase);
  out += device.directory().markdown();
  out +=
      "\n# Registers of policies\n\nWhat policies of the project declare ([policies.md](policies.md)), in "
      "the windows of "
      "their blocks; those of a sub-core at the address of sub-core 0, with " +
      fmt::format("{:#x} from one to the next.\n", regmap::sm::kSubCoreStride);
  const auto show = [&](std::uint64_t base, unsigned instances, std::uint64_t stride) {
    return
        [&out, base, instances, stride](const std::string&, const std::string&, const RegisterBlock& block) {
          out += "\n" + block.markdown(base, instances, stride);
        };
  };
  Registry<WorkDistributorType>::instance()
      .make(default_choice("status_registers"))
      ->visit_policy_registers(show(regmap::wd::kBase, 1, 0));
  Registry<SmType>::instance()
      .make(default_choice("cycle"))
      ->visit_policy_registers(show(regmap::sm::kBase, Device::options().sms, regmap::sm::kStride));
  Registry<L2Type>::instance()
      .make(default_choice("cache"))
      ->visit_policy_registers(show(regmap::l2::kBase, 1, 0));
  return out;
}

void expect_file(const std::string& path, const std::string& now) {  // tests run in the source folder
  if (std::getenv("WARPVP_UPDATE_DOCS") != nullptr) std::ofstream(path) << now;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), now) << "run this test with WARPVP_UPDATE_DOCS=1";
}

TEST(RegisterMap, DocumentIsUpToDate) { expect_file("docs/register-map.md", register_map()); }

/// Registers of the device, and of the one policy of an SM that firmware of the project knows.
std::string firmware_header() {
  std::string header = Device().directory().c_header(), policies;
  Registry<SmType>::instance()
      .make(default_choice("cycle"))
      ->visit_policy_registers([&](const std::string& kind, const std::string& name,
                                   const RegisterBlock& block) {
        if (kind == "miss_queue" && name == "ccbp")
          policies +=
              "\n" + block.c_header("SM_CCBP", regmap::sm::kBase, Device::options().sms, regmap::sm::kStride);
      });
  return header.insert(header.rfind("\n#endif"), policies);
}

TEST(RegisterMap, FirmwareHeaderIsUpToDate) { expect_file("sw/firmware/hal/registers.h", firmware_header()); }

TEST(RegisterMap, SystemViewDescriptionIsUpToDate) {
  expect_file("docs/warpvp.svd", Device().directory().svd());
}

// Offsets in it are those of the register map, and its text is well-formed as far as brackets go.
TEST(RegisterMap, SystemViewDescriptionNamesEveryBlock) {
  Device device;
  const std::string svd = device.directory().svd();
  device.directory().for_each([&](const std::string& name, const RegisterBlock& block, std::uint64_t base) {
    EXPECT_TRUE(svd.find(fmt::format("<name>{}", name)) != std::string::npos) << name;
    EXPECT_TRUE(svd.find(fmt::format("<baseAddress>{:#x}<", base)) != std::string::npos) << name;
    block.for_each([&](const RegisterSpec& r) {
      EXPECT_TRUE(svd.find(fmt::format("<name>{}", r.name)) != std::string::npos) << r.name;
      EXPECT_TRUE(svd.find(fmt::format("<addressOffset>{:#x}<", r.offset)) != std::string::npos) << r.name;
    });
  });
  for (const char* tag : {"register", "cluster", "peripheral"}) {
    const auto count = [&](const std::string& text) {
      std::size_t n = 0;
      for (std::size_t at = svd.find(text); at != std::string::npos; at = svd.find(text, at + 1)) ++n;
      return n;
    };
    EXPECT_EQ(count(fmt::format("<{}>", tag)) + count(fmt::format("<{} ", tag)),
              count(fmt::format("</{}>", tag)))
        << tag;
  }
}

TEST(RegisterMap, AddressesHaveNames) {
  Device device;
  const auto name = [&](std::uint64_t address) { return device.directory().name_of(address); };
  EXPECT_EQ(name(regmap::qc::kBase + regmap::qc::kTake), "QUEUES.TAKE");
  EXPECT_EQ(name(regmap::qc::head(3) + regmap::qc::kType), "QUEUES.HEAD_TYPE[3]");
  EXPECT_EQ(name(regmap::qc::head(3) + regmap::qc::kHeadSignal + 4), "QUEUES.HEAD_SIGNAL[3]+4");
  EXPECT_EQ(name(regmap::qc::head(2) + regmap::qc::kPayload + 8), "QUEUES.HEAD_PAYLOAD[2][2]");
  EXPECT_EQ(name(regmap::wd::slot(3) + regmap::wd::kSlotStart), "WORK_DISTRIBUTOR.KSR_START[3]");
  EXPECT_EQ(name(regmap::dma::engine(1) + regmap::dma::kStart), "DMA[1].START");
  EXPECT_EQ(name(regmap::cp::doorbell(7)), "COMMAND_PROCESSOR.DOORBELL[7]");
  EXPECT_EQ(name(regmap::cp::kBase + regmap::cp::kKernelDone + 4), "COMMAND_PROCESSOR.KERNEL_DONE");
  EXPECT_EQ(name(regmap::uart::kBase + 0x80), "UART+0x80");
  EXPECT_EQ(name(0x20), "0x20");
}

}  // namespace
}  // namespace warpvp::test
