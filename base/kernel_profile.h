#pragma once
// What `sm.type: profile` knows of a kernel: what its CTAs take from an SM, how long one takes when nothing
// slows it down, and what it asks of the things that slow CTAs down. docs/profile-grain.md says what is made
// of it.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/fields.h"

namespace warpvp {

struct KernelProfile {
  std::uint32_t threads = 0;    ///< of a CTA
  std::uint32_t registers = 0;  ///< of a thread
  std::uint32_t shared_bytes = 0;
  double cta_us = 0, cta_cycles = 0;  ///< one of them is given
  double cold_cycles = 0;             ///< before those, of what starts first on an SM
  double instructions = 0;            ///< warp instructions of a CTA
  double sm_cycles = 0;               ///< of the SM's throughput, of a CTA
  double memory_bytes = 0;            ///< of device memory, of a CTA
  double variation = 0;
  double launch_us = 0;  ///< of a launch alone; nothing is timed by it, mixes are drawn by it
  bool idempotent = false;
  std::string place;  ///< "file:line:column"

  void fields(FieldVisitor& v);

  /// Cycles of a CTA that nothing slows down, at that clock.
  double cycles(double clock_mhz) const { return cta_us > 0 ? cta_us * clock_mhz : cta_cycles; }
};

/// Profiles by name, from files. A name is a kernel's entry, or `ENTRY@CTASxTHREADS` for launches of that
/// many CTAs of that many threads alone.
struct KernelProfiles {
  std::vector<PathValue> files;
  std::map<std::string, KernelProfile> by_name;

  /// The field `key`: files of profiles. A name that two of them have, or one twice, is an InputError.
  void visit(FieldVisitor& v, const char* key, const char* doc);
  /// The same for who reads records otherwise: `read_into` is given their heading and what takes each.
  void read(const std::function<void(const char* heading, const RecordReader&)>& read_into);
  /// The profile for a launch, the one for its shape if there is one; nullptr: none.
  const KernelProfile* find(const std::string& entry, std::uint64_t ctas, std::uint32_t threads) const;
};

}  // namespace warpvp
