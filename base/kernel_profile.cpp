#include "base/kernel_profile.h"

#include "base/error.h"

namespace warpvp {

void KernelProfile::fields(FieldVisitor& v) {
  v.field("threads", threads, "", "Threads of a CTA.", Constraint::range(1, 4096));
  v.field("registers", registers, "",
          "Registers of a thread; 0: what the launch says, which is what counts in any case.",
          Constraint::range(0, 65535));
  v.field("shared_bytes", shared_bytes, "bytes", "Shared memory of a CTA, static and dynamic.",
          Constraint::range(0, 16777216));
  v.field("cta_us", cta_us, "us",
          "Time of a CTA that nothing slows down: alone on its SM, with all of the memory's bandwidth.",
          Constraint::range(0, 1e9));
  v.field("cta_cycles", cta_cycles, "cycles", "The same in cycles of the SM clock, instead of cta_us.",
          Constraint::range(0, 1e12));
  v.field(
      "cold_cycles", cold_cycles, "cycles",
      "For so long the first CTA of a launch on an SM waits for caches that are cold, before the time that "
      "the profile says; those that start there meanwhile wait with it.",
      Constraint::range(0, 1e9));
  v.field("instructions", instructions, "warp instructions", "Warp instructions of a CTA; 0: no demand.",
          Constraint::range(0, 1e12));
  v.field("sm_cycles", sm_cycles, "cycles",
          "What a CTA takes of the time of an SM that is full of them: between the ends of two. Where it is "
          "more than "
          "instructions by issue_per_cycle, something else than issue slots is the bound, and this counts.",
          Constraint::range(0, 1e12));
  v.field("memory_bytes", memory_bytes, "bytes", "Bytes that a CTA moves to and from DRAM; 0: no demand.",
          Constraint::range(0, 1e15));
  v.field("variation", variation, "",
          "Coefficient of variation of the CTAs' times, which are log-normal: drawn from the run's seed, the "
          "launch and the CTA's number.",
          Constraint::range(0, 10));
  v.field("launch_us", launch_us, "us",
          "Time of a launch alone, where it is known. Nothing is timed by it; mixes may tell short "
          "applications from long "
          "ones by it (workload.mix.by).",
          Constraint::range(0, 1e9));
  v.field(
      "idempotent", idempotent,
      "A CTA may be dropped and run again from the start at any time (work_distributor.preemption: flush).");
  v.require(threads > 0, "threads", "is missing; allowed: a whole number from 1 to 4096");
  v.require((cta_us > 0) != (cta_cycles > 0), "cta_us",
            "a profile has either cta_us or cta_cycles, and it is more than 0");
}

void KernelProfiles::visit(FieldVisitor& v, const char* key, const char* doc) {
  read([&](const char* heading, const RecordReader& each) { v.records(key, heading, files, each, doc); });
}

void KernelProfiles::read(const std::function<void(const char*, const RecordReader&)>& read_into) {
  read_into("kernels", [this](const std::string& name, const std::string& place, FieldVisitor& fields) {
    KernelProfile profile;
    profile.fields(fields);
    profile.place = place;
    const auto [at, added] = by_name.emplace(name, profile);
    if (!added)
      throw InputError(place + ": '" + name + "' has a profile already, at " + at->second.place +
                       "; allowed: one for each name");
  });
}

const KernelProfile* KernelProfiles::find(const std::string& entry, std::uint64_t ctas,
                                          std::uint32_t threads) const {
  auto found = by_name.find(entry + "@" + std::to_string(ctas) + "x" + std::to_string(threads));
  if (found == by_name.end()) found = by_name.find(entry);
  return found == by_name.end() ? nullptr : &found->second;
}

}  // namespace warpvp
