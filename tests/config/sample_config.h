#pragma once
// A small machine of our own, with every kind of field, and two registered policies.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/registry.h"

namespace warpvp::sample {

class Chooser {
 public:
  static constexpr const char* kKind = "chooser";
  virtual ~Chooser() = default;
  virtual std::uint32_t group_size() const = 0;
};

struct CacheConfig {
  std::uint64_t bytes = 32768;
  std::uint32_t ways = 4;
  void fields(FieldVisitor& v) {
    v.field("bytes", bytes, "bytes", "Capacity.", Constraint::pow2(1024, 1 << 20));
    v.field("ways", ways, "", "Associativity.", Constraint::at_least(1));
  }
};

struct SmConfig {
  std::uint32_t warps = 64;
  std::uint32_t registers = 65536;
  bool trace = false;
  double clock_mhz = 1200;
  std::int32_t offset = 0;
  std::string write_policy = "through";
  std::vector<std::uint32_t> latencies = {4, 8};
  PolicyChoice chooser = "first";
  CacheConfig l1;
  void fields(FieldVisitor& v) {
    v.field("warps", warps, "warps", "Warps resident.", Constraint::range(1, 64));
    v.field("registers", registers, "", "Registers of 32 bits.", Constraint::at_least(256));
    v.field("trace", trace, "Log everything.");
    v.field("clock_mhz", clock_mhz, "MHz", "Clock.", Constraint::range(1, 5000));
    v.field("offset", offset, "", "Signed.", Constraint::range(-10, 10));
    v.field("write_policy", write_policy, "What stores do.", Constraint::words({"through", "back"}));
    v.field("latencies", latencies, "cycles", "Of units.", Constraint::range(1, 100));
    v.policy("chooser", "chooser", chooser, "Who goes first.");
    v.group("l1", l1, "First-level cache.");
    v.require(registers >= warps * 256, "warps",
              "more warps than the registers hold; allowed: registers / 256");
  }
};

struct PlatformConfig {
  SmConfig sm;
  std::uint32_t sms = 2;
  void fields(FieldVisitor& v) {
    v.field("sms", sms, "", "Number of SMs.", Constraint::range(1, 128));
    v.group("sm", sm, "Streaming multiprocessor.");
  }
};

}  // namespace warpvp::sample
