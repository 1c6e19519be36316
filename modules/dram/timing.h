#pragma once
// What a DRAM device can do when: the timing constraints of a channel, in command-clock cycles (CK), and the
// named presets. A preset is one file in presets/, which registers its table.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"

namespace warpvp {

struct DramTiming {
  double clock_mhz = 1000;            ///< command clock (CK)
  std::uint32_t bus_bits = 32;        ///< data bus of the channel
  std::uint32_t beats_per_cycle = 4;  ///< transfers on each data pin per CK
  std::uint32_t burst_length = 8;     ///< beats of one column access
  std::uint32_t bank_groups = 4;
  std::uint32_t banks_per_group = 4;
  std::uint32_t row_bytes = 2048;
  bool dual_command_bus = false;   ///< a row and a column command can go in one cycle
  std::uint32_t t_rcd = 12;        ///< ACT to RD or WR
  std::uint32_t t_rp = 12;         ///< PRE to ACT
  std::uint32_t t_ras = 28;        ///< ACT to PRE
  std::uint32_t t_rc = 40;         ///< ACT to ACT, same bank
  std::uint32_t t_cl = 12;         ///< RD to its first data
  std::uint32_t t_cwl = 4;         ///< WR to its first data
  std::uint32_t t_rrd_s = 6;       ///< ACT to ACT, other bank group
  std::uint32_t t_rrd_l = 6;       ///< ACT to ACT, same bank group
  std::uint32_t t_faw = 24;        ///< window that holds at most four ACT
  std::uint32_t t_ccd_s = 2;       ///< column to column, other bank group
  std::uint32_t t_ccd_l = 3;       ///< column to column, same bank group
  std::uint32_t t_wr = 12;         ///< end of write data to PRE
  std::uint32_t t_wtr_s = 5;       ///< end of write data to RD, other bank group
  std::uint32_t t_wtr_l = 5;       ///< end of write data to RD, same bank group
  std::uint32_t t_rtp = 2;         ///< RD to PRE
  std::uint32_t t_turnaround = 2;  ///< idle bus between read data and write data
  std::uint32_t t_refi = 3800;     ///< time in which every bank is refreshed once; 0: no refresh
  std::uint32_t t_rfc = 74;        ///< REF to ACT

  void fields(FieldVisitor& v);

  std::uint32_t banks() const { return bank_groups * banks_per_group; }
  /// Bytes of one column access.
  std::uint32_t atom_bytes() const { return bus_bits / 8 * burst_length; }
  /// Cycles the data bus is taken by one column access.
  std::uint32_t burst_cycles() const { return (burst_length + beats_per_cycle - 1) / beats_per_cycle; }
  /// RD to WR: the write data must follow the read data after the bus has turned.
  std::uint32_t t_rtw() const {
    const std::uint32_t sum = t_cl + burst_cycles() + t_turnaround;
    return sum > t_cwl ? sum - t_cwl : 1;
  }
  double peak_bytes_per_second() const { return clock_mhz * 1e6 * bus_bits / 8 * beats_per_cycle; }
};

/// The table of a preset; nullptr if there is none of that name.
const DramTiming* dram_preset(const std::string& name);
/// Names of all presets, sorted.
std::vector<std::string> dram_preset_names();

/// Registers a preset; one static object in its file.
struct DramPresetRegistration {
  DramPresetRegistration(const char* name, const DramTiming& timing);
};

}  // namespace warpvp
