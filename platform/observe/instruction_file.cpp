#include "platform/observe/instruction_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "modules/sm/instruction_profile.h"
#include "modules/sm/sm.h"
#include "platform/build/platform.h"

namespace warpvp {

namespace {

/// The same programs as SMs have them, summed.
std::vector<ProgramProfile> sum_of(const Platform& platform) {
  std::vector<ProgramProfile> sums;
  for (const auto& sm : platform.sms()) {
    const WarpView* const warps = sm->warps();
    if (warps == nullptr) continue;
    for (const auto& profile : warps->instruction_profiles()) {
      auto sum = std::find_if(sums.begin(), sums.end(),
                              [&](const ProgramProfile& s) { return s.program == profile->program; });
      if (sum == sums.end()) {
        sums.push_back(*profile);
        continue;
      }
      sum->first_launch = std::min(sum->first_launch, profile->first_launch);
      for (std::size_t pc = 0; pc < sum->counters.size(); ++pc) sum->counters[pc].add(profile->counters[pc]);
    }
  }
  std::stable_sort(sums.begin(), sums.end(), [](const ProgramProfile& a, const ProgramProfile& b) {
    return a.first_launch < b.first_launch;
  });
  return sums;
}

/// As RFC 4180 has it.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

void profile_instructions(Platform& platform) {
  for (const auto& sm : platform.sms())
    if (WarpView* const warps = sm->warps()) warps->profile_instructions();
}

void count_executed(Platform& platform) {
  for (const auto& sm : platform.sms())
    if (WarpView* const warps = sm->warps()) warps->count_executed();
}

std::string instructions_csv(const Platform& platform) {
  const std::vector<ProgramProfile> profiles = sum_of(platform);
  // Only where there are any.
  const bool skips = std::any_of(profiles.begin(), profiles.end(), [](const ProgramProfile& profile) {
    return std::any_of(profile.counters.begin(), profile.counters.end(),
                       [](const ExecutionCounts& c) { return c.skipped != 0; });
  });
  std::string csv = "kernel,file,line,pc,text";
  csv += skips ? ",skipped,issued,threads,divergent" : ",issued,threads,divergent";
  for (unsigned r = 0; r < static_cast<unsigned>(Stall::kCount); ++r)
    csv += std::string(",") + stall_name(static_cast<Stall>(r));
  csv += '\n';
  for (const ProgramProfile& profile : profiles) {
    const ptx::Program& program = *profile.program;
    const std::string place = quoted(program.name) + ',' + quoted(program.file) + ',';
    for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
      const ptx::Inst& inst = program.code[pc];
      const ExecutionCounts& c = profile.counters[pc];
      csv += place + fmt::format("{},{},{},", inst.line, pc, quoted(program.texts[inst.ir_index]));
      if (skips) csv += fmt::format("{},", c.skipped);
      csv += fmt::format("{},{},{}", c.issued, c.threads, c.divergent);
      for (const std::uint64_t cycles : c.stalls) csv += fmt::format(",{}", cycles);
      csv += '\n';
    }
  }
  return csv;
}

}  // namespace warpvp
