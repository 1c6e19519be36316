// GDDR5: one 32-bit device of a channel, 3.7 Gbit/s a pin.
// [G480] GPGPU-Sim 4, tested-cfgs/SM2_GTX480/gpgpusim.config (timing of Hynix H5GQ1H24AFR at 924 MHz)
// [DS3]  DRAMsim3, configs/GDDR5_8Gb_x32.ini (tCK 0.5 ns), rescaled to 924 MHz and rounded up

#include "modules/dram/timing.h"

namespace warpvp {
namespace {
DramTiming gddr5_timing() {
  DramTiming t;
  t.clock_mhz = 924;           // [G480] gpgpu_clock_domains
  t.bus_bits = 32;             // [G480] gpgpu_dram_buswidth 4 bytes
  t.beats_per_cycle = 4;       // [G480] dram_data_command_freq_ratio
  t.burst_length = 8;          // [G480] gpgpu_dram_burst_length; JESD212: BL8 only
  t.bank_groups = 4;           // [G480] nbkgrp
  t.banks_per_group = 4;       // [G480] nbk=16
  t.row_bytes = 2048;          // [G480] address mapping: 4 KiB over two devices; JESD212: 2 KiB page
  t.dual_command_bus = false;  // JESD212: one command bus
  t.t_rcd = 12;                // [G480] RCD
  t.t_rp = 12;                 // [G480] RP
  t.t_ras = 28;                // [G480] RAS
  t.t_rc = 40;                 // [G480] RC
  t.t_cl = 12;                 // [G480] CL
  t.t_cwl = 4;                 // [G480] WL
  t.t_rrd_s = 6;               // [G480] RRD
  t.t_rrd_l = 6;               // [G480] RRD (one figure for both)
  t.t_faw = 19;                // [DS3] 40 * 0.5 ns = 20 ns
  t.t_ccd_s = 2;               // [G480] CCD
  t.t_ccd_l = 3;               // [G480] CCDL
  t.t_wr = 12;                 // [G480] WR
  t.t_wtr_s = 5;               // [G480] CDLR
  t.t_wtr_l = 5;               // [G480] CDLR (one figure for both)
  t.t_rtp = 2;                 // [G480] RTPL
  t.t_turnaround = 2;          // GPGPU-Sim: tRTW = CL + BL / ratio + 2 - WL
  t.t_refi = 1756;             // [DS3] 3800 * 0.5 ns = 1.9 us
  t.t_rfc = 35;                // [DS3] 74 * 0.5 ns = 37 ns
  return t;
}
const DramPresetRegistration gddr5_registration("gddr5", gddr5_timing());
}  // namespace
}  // namespace warpvp
