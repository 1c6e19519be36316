#include "modules/sm/sm_registers.h"

#include <fmt/format.h>

#include <cstring>

#include "interconnect/register_map.h"

namespace warpvp {

namespace {

std::function<std::uint64_t(unsigned)> shown(const std::function<std::uint32_t()>& value) {
  if (!value) return {};
  return [value](unsigned) { return std::uint64_t{value()}; };
}

std::function<void(unsigned, std::uint64_t)> told(const std::function<void(std::uint32_t)>& act) {
  if (!act) return {};
  return [act](unsigned, std::uint64_t value) { act(static_cast<std::uint32_t>(value)); };
}

}  // namespace

RegisterBlock make_sm_registers(const SmRegisterHooks& hooks, std::uint32_t shared_bytes) {
  namespace sm = regmap::sm;
  RegisterBlock block("SM", sm::kStride,
                      "Takes CTAs from the work distributor, and what it must know before. Writes act in the "
                      "order of their arrival.");
  const auto launch = hooks.launch;
  block.add(MailboxSpec{"LAUNCH", sm::kLaunch, sizeof(CtaLaunch),
                        "The work distributor writes a CtaLaunch record here to start a CTA.",
                        [launch](const unsigned char* data) {
                          CtaLaunch record;
                          std::memcpy(&record, data, sizeof record);
                          if (launch) launch(record);
                        }});
  block.add({"KERNEL_START",
             sm::kKernelStart,
             4,
             1,
             0,
             RegisterAccess::kWriteOnly,
             0,
             "Launch id of a kernel whose first CTA comes next: L1 data cache and constant cache drop what "
             "they hold, unless sm.memory.invalidate is never.",
             {},
             told(hooks.kernel_start)});
  block.add(
      {"SHARED_BYTES", sm::kSharedBytes, 4, 1, 0, RegisterAccess::kReadWrite, shared_bytes,
       "Bytes that shared memory has of the array that it divides with the L1 data cache, one of "
       "sm.resources.shared_options_kib. A change empties the L1. Refused (generic error): another size, "
       "less than CTAs here have, any with a fixed division, and with sm.resources.shared_grows: "
       "when_empty a change while there are CTAs.",
       shown(hooks.shared_bytes), told(hooks.divide)});
  block.add({"CONTEXT", sm::kContext, 4, 1, 0, RegisterAccess::kReadWrite, 0,
             "Context whose CTAs come from now on (CUsched, section III.B). A CTA of another one is a device "
             "fault.",
             shown(hooks.context), told(hooks.set_context)});
  const auto table = [&](const char* name, std::uint64_t offset, const char* doc,
                         const std::function<void(std::uint64_t)>& act) {
    RegisterSpec spec{name, offset, 8, 1, 0, RegisterAccess::kReadWrite, 0, doc};
    if (act) spec.write = [act](unsigned, std::uint64_t value) { act(value); };
    block.add(in_halves(std::move(spec)));
  };
  table("PAGE_TABLE", sm::kPageTable,
        "Device address of the root of that context's page tables; 0: addresses are not translated (CUsched, "
        "section III.B). Another root than before empties the caches of the SM, which are virtual.",
        hooks.set_page_table);
  table("TEXTURES", sm::kTextures,
        "Device address of that context's table of texture and surface descriptors, which handles number; 0: "
        "handles are addresses of descriptors.",
        hooks.set_texture_table);
  table("LOCAL_MEMORY", sm::kLocalMemory,
        "Device address of that context's local memory, and of the saved states of its CTAs; 0: those of "
        "context 0.",
        hooks.set_local_memory);
  block.add({"PREEMPT",
             sm::kPreempt,
             4,
             1,
             0,
             RegisterAccess::kWriteOnly,
             0,
             "The CTAs here leave: 1 their state is saved in device memory, 2 those that may start again are "
             "dropped, the others run to their ends, 3 all are dropped. Each that leaves is reported to the "
             "distributor's "
             "PREEMPTED mailbox. Refused (generic error): another value.",
             {},
             told(hooks.preempt)});
  block.add({"RESUME",
             sm::kResume,
             4,
             1,
             0,
             RegisterAccess::kWriteOnly,
             0,
             "The CTA launched next goes on from this state, as it was reported when it left its SM.",
             {},
             told(hooks.resume)});
  block.add({"FUNCTIONAL",
             sm::kFunctional,
             4,
             1,
             0,
             RegisterAccess::kWriteOnly,
             0,
             "1: the CTA launched next computes and takes no cycles: one that sampling leaves out "
             "(docs/sampling.md). It has nothing of the SM's resources. Only sm.type: cycle heeds it.",
             {},
             told(hooks.functional)});
  RegisterSpec limits{
      "CTA_LIMIT",
      sm::kCtaLimits,
      4,
      regmap::wd::kMaxSlots,
      4,
      RegisterAccess::kReadWrite,
      sm::kNoCtaLimit,
      "CTAs of the kernel in this kernel slot that issue instructions here: the oldest ones. "
      "Others that are here keep their state and issue nothing (CCBP, section 5.4). All ones: "
      "no limit. The work distributor writes it (CTA_LIMIT there)."};
  if (hooks.limit)
    limits.write = [limit = hooks.limit](unsigned slot, std::uint64_t value) {
      limit(slot, static_cast<std::uint32_t>(value));
    };
  block.add(std::move(limits));
  const auto status = [&](const char* name, std::uint64_t offset, const std::function<std::uint32_t()>& value,
                          const char* doc) {
    block.add({name, offset, 4, 1, 0, RegisterAccess::kReadOnly, 0, doc, shown(value)});
  };
  RegisterSpec instructions{"INSTRUCTIONS",
                            sm::kInstructions,
                            8,
                            regmap::wd::kMaxSlots,
                            8,
                            RegisterAccess::kReadOnly,
                            0,
                            "Warp instructions issued here of the kernels of this kernel slot, since reset."};
  instructions.read = hooks.instructions;
  block.add(in_halves(std::move(instructions)));
  status("L1_BYTES", sm::kL1Bytes, hooks.l1_bytes, "Bytes of the L1 data cache at present.");
  status("RESIDENT_CTAS", sm::kResidentCtas, hooks.resident_ctas, "CTAs that run.");
  status("RESIDENT_WARPS", sm::kResidentWarps, hooks.resident_warps, "Warps that run or drain.");
  status("WAITING_CTAS", sm::kWaitingCtas, hooks.waiting_ctas, "CTAs launched here that have not begun.");
  return block;
}

std::string wrong_context(std::uint32_t came, std::uint32_t expected) {
  return fmt::format("a CTA of context {} came to an SM that is set up for context {}", came, expected);
}

}  // namespace warpvp
