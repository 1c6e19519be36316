#include "modules/dram/timing.h"

#include <map>

namespace warpvp {

namespace {
std::map<std::string, DramTiming>& presets() {
  static std::map<std::string, DramTiming> tables;
  return tables;
}
}  // namespace

DramPresetRegistration::DramPresetRegistration(const char* name, const DramTiming& timing) {
  presets()[name] = timing;
}

const DramTiming* dram_preset(const std::string& name) {
  const auto it = presets().find(name);
  return it == presets().end() ? nullptr : &it->second;
}

std::vector<std::string> dram_preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, timing] : presets()) names.push_back(name);
  return names;
}

void DramTiming::fields(FieldVisitor& v) {
  const Constraint cycles = Constraint::range(1, 1 << 20);
  v.field("clock_mhz", clock_mhz, "MHz", "Command clock (CK); timings below count its cycles.",
          Constraint::range(1, 100000));
  v.field("bus_bits", bus_bits, "bit", "Data bus of the channel.", Constraint::pow2(8, 4096));
  v.field("beats_per_cycle", beats_per_cycle, "", "Transfers on a data pin per CK.", Constraint::pow2(1, 16));
  v.field("burst_length", burst_length, "", "Beats of one column access.", Constraint::pow2(1, 64));
  v.field("bank_groups", bank_groups, "", "Bank groups.", Constraint::pow2(1, 16));
  v.field("banks_per_group", banks_per_group, "", "Banks in a group.", Constraint::pow2(1, 16));
  v.field("row_bytes", row_bytes, "B", "Row (page) of one bank.", Constraint::pow2(64, 1 << 16));
  v.field("dual_command_bus", dual_command_bus, "One row and one column command can be sent in a cycle.");
  v.field("t_rcd", t_rcd, "CK", "ACT to RD or WR.", cycles);
  v.field("t_rp", t_rp, "CK", "PRE to ACT.", cycles);
  v.field("t_ras", t_ras, "CK", "ACT to PRE.", cycles);
  v.field("t_rc", t_rc, "CK", "ACT to ACT of the same bank.", cycles);
  v.field("t_cl", t_cl, "CK", "RD to its first data.", cycles);
  v.field("t_cwl", t_cwl, "CK", "WR to its first data.", cycles);
  v.field("t_rrd_s", t_rrd_s, "CK", "ACT to ACT, other bank group.", cycles);
  v.field("t_rrd_l", t_rrd_l, "CK", "ACT to ACT, same bank group.", cycles);
  v.field("t_faw", t_faw, "CK", "Window that holds at most four ACT.", cycles);
  v.field("t_ccd_s", t_ccd_s, "CK", "Column access to column access, other bank group.", cycles);
  v.field("t_ccd_l", t_ccd_l, "CK", "Column access to column access, same bank group.", cycles);
  v.field("t_wr", t_wr, "CK", "End of write data to PRE.", cycles);
  v.field("t_wtr_s", t_wtr_s, "CK", "End of write data to RD, other bank group.", cycles);
  v.field("t_wtr_l", t_wtr_l, "CK", "End of write data to RD, same bank group.", cycles);
  v.field("t_rtp", t_rtp, "CK", "RD to PRE.", cycles);
  v.field("t_turnaround", t_turnaround, "CK", "Idle data bus between a read and a write.",
          Constraint::range(0, 1000));
  v.field("t_refi", t_refi, "CK", "Time in which the whole channel is refreshed once; 0: no refresh.",
          Constraint::range(0, 1 << 30));
  v.field("t_rfc", t_rfc, "CK", "Refresh to ACT.", cycles);
  v.require(banks() <= 64, "banks_per_group", "allowed: at most 64 banks in all groups");
  v.require(t_ccd_s >= burst_cycles(), "t_ccd_s", "must be at least burst_length / beats_per_cycle");
  v.require(t_ccd_l >= t_ccd_s, "t_ccd_l", "must be at least t_ccd_s");
  v.require(t_rc >= t_ras, "t_rc", "must be at least t_ras");
  v.require(row_bytes >= atom_bytes(), "row_bytes",
            "must hold a column access (bus_bits / 8 * burst_length)");
  v.require(t_refi == 0 || t_refi > t_rfc + t_rp + t_rcd, "t_refi", "must leave time between refreshes");
}

}  // namespace warpvp
