// GDDR5X: one 32-bit device in quad-data-rate mode, 12 Gbit/s a pin.
// [DS3] DRAMsim3, configs/GDDR5X_8Gb_x32.ini (tCK 0.666 ns)

#include "modules/dram/timing.h"

namespace warpvp {
namespace {
DramTiming gddr5x_timing() {
  DramTiming t;
  t.clock_mhz = 1500;          // [DS3] tCK 0.666 ns
  t.bus_bits = 32;             // [DS3] device_width
  t.beats_per_cycle = 8;       // [DS3] 12 Gbit/s at 1.5 GHz; JESD232: QDR relative to WCK = 2 CK
  t.burst_length = 16;         // [DS3] BL; JESD232: 16n prefetch
  t.bank_groups = 4;           // [DS3] bankgroups
  t.banks_per_group = 4;       // [DS3] banks_per_group
  t.row_bytes = 2048;          // JESD232: 2 KiB page
  t.dual_command_bus = false;  // JESD232: one command bus
  t.t_rcd = 24;                // [DS3] tRCDRD
  t.t_rp = 24;                 // [DS3] tRP
  t.t_ras = 56;                // [DS3] tRAS
  t.t_rc = 80;                 // [DS3] tRAS + tRP
  t.t_cl = 24;                 // [DS3] CL
  t.t_cwl = 7;                 // [DS3] CWL
  t.t_rrd_s = 10;              // [DS3] tRRD_S
  t.t_rrd_l = 10;              // [DS3] tRRD_L
  t.t_faw = 40;                // [DS3] tFAW
  t.t_ccd_s = 2;               // [DS3] tCCD_S
  t.t_ccd_l = 3;               // [DS3] tCCD_L
  t.t_wr = 24;                 // [DS3] tWR
  t.t_wtr_s = 10;              // [DS3] tWTR_S
  t.t_wtr_l = 10;              // [DS3] tWTR_L
  t.t_rtp = 2;                 // [DS3] tRTP_L
  t.t_turnaround = 2;          // GPGPU-Sim: tRTW = CL + BL / ratio + 2 - WL
  t.t_refi = 3800;             // [DS3] tREFI
  t.t_rfc = 74;                // [DS3] tRFC
  return t;
}
const DramPresetRegistration gddr5x_registration("gddr5x", gddr5x_timing());
}  // namespace
}  // namespace warpvp
