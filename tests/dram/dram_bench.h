#pragma once
// A DRAM channel driven by a requester on its own clock, with the commands it sends recorded.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interconnect/protocol_checker.h"
#include "modules/dram/dram_controller.h"
#include "tests/support/set_fields.h"
#include "tests/support/tlm_agents.h"

namespace warpvp::test {

using Record = DramController::CommandRecord;
using Kind = Record::Kind;

inline DramConfig preset(const char* name) {
  DramConfig config;
  SetFields visitor({});
  visitor.words["preset"] = name;
  config.fields(visitor);
  EXPECT_TRUE(visitor.broken.empty()) << visitor.broken[0];
  return config;
}

/// Timing whose figures are all different, so that no constraint hides behind another; no refresh.
inline DramConfig distinct_timing() {
  DramConfig c = preset("gddr5");
  DramTiming& t = c.timing;
  t.clock_mhz = 1000;
  t.t_rcd = 11;
  t.t_rp = 13;
  t.t_ras = 29;
  t.t_rc = 47;
  t.t_cl = 10;
  t.t_cwl = 5;
  t.t_rrd_s = 3;
  t.t_rrd_l = 7;
  t.t_faw = 31;
  t.t_ccd_s = 2;
  t.t_ccd_l = 5;
  t.t_wr = 17;
  t.t_wtr_s = 6;
  t.t_wtr_l = 9;
  t.t_rtp = 4;
  t.t_turnaround = 2;
  t.t_refi = 0;
  c.bank_hash = false;
  c.frontend_cycles = 8;
  c.backend_cycles = 6;
  return c;
}

/// A policy with parameters.
inline PolicyChoice choose(const std::string& name, const std::map<std::string, double>& values = {}) {
  PolicyChoice choice(name.c_str());
  if (!values.empty())
    choice.load = [values](const std::function<void(FieldVisitor&)>& fields) {
      SetFields set(values);
      fields(set);
      EXPECT_TRUE(set.broken.empty()) << set.broken[0];
    };
  return choice;
}

struct DramBench {
  explicit DramBench(const DramConfig& config, unsigned ports = 1)
      : config(config),
        clock("clock", config.timing.clock_mhz),
        memory(std::uint64_t{1} << 32),
        map(map_config(ports)),
        dram("dram", {clock, memory, map, 0, ports}, config) {
    for (unsigned p = 0; p < ports; ++p) {
      requesters.push_back(std::make_unique<Requester>(("requester_" + std::to_string(p)).c_str(), clock));
      checkers.push_back(std::make_unique<ProtocolChecker>(("checker_" + std::to_string(p)).c_str()));
      requesters[p]->port.socket.bind(checkers[p]->target);
      checkers[p]->initiator.bind(dram.in(p));
    }
    dram.set_command_listener([this](const Record& r) { commands.push_back(r); });
  }
  static AddressMapConfig map_config(unsigned ports) {
    AddressMapConfig c;
    c.banks = ports;
    c.channels = 1;
    c.hash = "none";
    return c;
  }
  /// Device address of a place; one port and no bank hash.
  std::uint64_t at(unsigned group, unsigned bank, unsigned row, unsigned column) const {
    const DramTiming& t = config.timing;
    const unsigned atom = t.atom_bytes(), together = config.group_interleave_bytes / atom;
    const unsigned high = t.row_bytes / config.group_interleave_bytes;
    std::uint64_t a = row;
    a = a * t.banks_per_group + bank;
    a = a * high + column / together;
    a = a * t.bank_groups + group;
    a = a * together + column % together;
    return DeviceMemory::kBase + a * atom;
  }
  void run(double microseconds) {
    sc_core::sc_start(sc_core::sc_time(microseconds, sc_core::SC_US));
    for (auto& r : requesters) EXPECT_TRUE(r->done());
    for (auto& c : checkers) EXPECT_EQ(c->count(), 0u) << c->violations()[0].text;
  }
  Cycle latency(unsigned i, unsigned port = 0) const {
    return requesters[port]->results[i].answered - requesters[port]->results[i].sent;
  }

  DramConfig config;
  ClockDomain clock;
  DeviceMemory memory;
  AddressMap map;
  DramController dram;
  std::vector<std::unique_ptr<Requester>> requesters;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  std::vector<Record> commands;
};

/// All timing rules between every pair of commands of a trace, written down a second time and checked pair by
/// pair. Returns the broken ones.
/// `refresh_cycles`: how long a refresh takes its banks; 0: tRFC.
inline std::vector<std::string> illegal_pairs(const std::vector<Record>& trace, const DramTiming& t,
                                              Cycle refresh_cycles = 0) {
  std::vector<std::string> out;
  if (refresh_cycles == 0) refresh_cycles = t.t_rfc;
  const auto data = t.burst_cycles();
  const auto group = [&](const Record& r) { return r.bank / t.banks_per_group; };
  const auto need = [&](const Record& a, const Record& b, Cycle distance, const char* rule) {
    if (b.cycle < a.cycle + distance && out.size() < 20)
      out.push_back(std::string(rule) + " at " + std::to_string(a.cycle) + " and " + std::to_string(b.cycle));
  };
  const auto is_column = [](const Record& r) { return r.kind == Kind::kRead || r.kind == Kind::kWrite; };
  for (std::size_t j = 0; j < trace.size(); ++j) {
    const Record& b = trace[j];
    unsigned activates_in_window = 0;
    for (std::size_t i = j; i-- > 0 && trace[i].cycle + 400 > b.cycle;) {
      const Record& a = trace[i];
      const bool same_bank = a.bank == b.bank, same_group = group(a) == group(b);
      if (b.kind == Kind::kRefresh) {
        if (a.kind == Kind::kRefresh || !(b.refreshed >> a.bank & 1)) continue;
        // Its banks are precharged before it.
        need(a, b,
             t.t_rp + (a.kind == Kind::kActivate ? t.t_ras
                       : a.kind == Kind::kRead   ? t.t_rtp
                       : a.kind == Kind::kWrite  ? t.t_cwl + data + t.t_wr
                                                 : 0),
             "refresh of a bank that is not precharged");
        continue;
      }
      if (a.kind == Kind::kRefresh) {
        if ((a.refreshed >> b.bank & 1) && b.kind == Kind::kActivate) need(a, b, refresh_cycles, "tRFC");
        continue;
      }
      if (a.kind == Kind::kActivate && b.kind == Kind::kActivate) {
        need(a, b, same_bank ? t.t_rc : same_group ? t.t_rrd_l : t.t_rrd_s, "tRC/tRRD");
        if (a.cycle + t.t_faw > b.cycle) ++activates_in_window;
      }
      if (same_bank && a.kind == Kind::kActivate && is_column(b)) need(a, b, t.t_rcd, "tRCD");
      if (same_bank && a.kind == Kind::kActivate && b.kind == Kind::kPrecharge) need(a, b, t.t_ras, "tRAS");
      if (same_bank && a.kind == Kind::kPrecharge && b.kind == Kind::kActivate) need(a, b, t.t_rp, "tRP");
      if (same_bank && a.closes_row && b.kind == Kind::kActivate)
        need(a, b, t.t_rp + (a.kind == Kind::kRead ? t.t_rtp : t.t_cwl + data + t.t_wr), "auto-precharge");
      if (same_bank && a.kind == Kind::kRead && b.kind == Kind::kPrecharge) need(a, b, t.t_rtp, "tRTP");
      if (same_bank && a.kind == Kind::kWrite && b.kind == Kind::kPrecharge)
        need(a, b, t.t_cwl + data + t.t_wr, "tWR");
      if (is_column(a) && a.kind == b.kind) need(a, b, same_group ? t.t_ccd_l : t.t_ccd_s, "tCCD");
      if (a.kind == Kind::kWrite && b.kind == Kind::kRead)
        need(a, b, t.t_cwl + data + (same_group ? t.t_wtr_l : t.t_wtr_s), "tWTR");
      if (a.kind == Kind::kRead && b.kind == Kind::kWrite)
        need(a, b, t.t_cl + data + t.t_turnaround - t.t_cwl, "tRTW");
      if (!t.dual_command_bus) need(a, b, 1, "command bus");
      if (t.dual_command_bus && is_column(a) == is_column(b)) need(a, b, 1, "command bus");
    }
    if (activates_in_window >= 4) out.push_back("tFAW at " + std::to_string(b.cycle));
  }
  // Column accesses find their row open.
  std::map<unsigned, std::uint32_t> open;
  for (const Record& r : trace) {
    for (std::uint64_t banks = r.kind == Kind::kRefresh ? r.refreshed : 0; banks; banks &= banks - 1)
      open.erase(static_cast<unsigned>(__builtin_ctzll(banks)));
    if (r.kind == Kind::kPrecharge) open.erase(r.bank);
    if (r.kind == Kind::kActivate) {
      if (open.count(r.bank)) out.push_back("ACT of an open bank");
      open[r.bank] = r.row;
    }
    if (is_column(r) && (!open.count(r.bank) || open[r.bank] != r.row))
      out.push_back("access to a closed row");
    if (r.closes_row) open.erase(r.bank);
  }
  return out;
}

}  // namespace warpvp::test
