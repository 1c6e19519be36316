// HBM2: one 128-bit channel of a stack, 1.7 Gbit/s a pin.
// [GTV] GPGPU-Sim 4, tested-cfgs/SM7_TITANV/gpgpusim.config (JESD235 and Chatterjee et al., HPCA 2017, at 850
// MHz) [DS3] DRAMsim3, configs/HBM2_8Gb_x128.ini (tCK 1 ns), rescaled to 850 MHz and rounded up

#include "modules/dram/timing.h"

namespace warpvp {
namespace {
DramTiming hbm2_timing() {
  DramTiming t;
  t.clock_mhz = 850;          // [GTV] gpgpu_clock_domains
  t.bus_bits = 128;           // [GTV] gpgpu_dram_buswidth 16 bytes
  t.beats_per_cycle = 2;      // [GTV] dram_data_command_freq_ratio
  t.burst_length = 2;         // [GTV] gpgpu_dram_burst_length
  t.bank_groups = 4;          // [GTV] nbkgrp
  t.banks_per_group = 4;      // [GTV] nbk=16
  t.row_bytes = 2048;         // [GTV] address mapping: 64 columns of 32 B; JESD235: 2 KiB page
  t.dual_command_bus = true;  // [GTV] dram_dual_bus_interface; JESD235: row and column command buses
  t.t_rcd = 12;               // [GTV] RCD
  t.t_rp = 12;                // [GTV] RP
  t.t_ras = 28;               // [GTV] RAS
  t.t_rc = 40;                // [GTV] RC
  t.t_cl = 12;                // [GTV] CL
  t.t_cwl = 2;                // [GTV] WL
  t.t_rrd_s = 3;              // [GTV] RRD
  t.t_rrd_l = 6;              // [DS3] tRRD_L 6 ns
  t.t_faw = 26;               // [DS3] tFAW 30 ns
  t.t_ccd_s = 1;              // [GTV] CCD
  t.t_ccd_l = 2;              // [GTV] CCDL
  t.t_wr = 10;                // [GTV] WR
  t.t_wtr_s = 6;              // [DS3] tWTR_S 6 ns
  t.t_wtr_l = 7;              // [DS3] tWTR_L 8 ns
  t.t_rtp = 3;                // [GTV] RTPL
  t.t_turnaround = 2;         // GPGPU-Sim: tRTW = CL + BL / ratio + 2 - WL
  t.t_refi = 3315;            // [DS3] tREFI 3900 ns
  t.t_rfc = 221;              // [DS3] tRFC 260 ns
  return t;
}
const DramPresetRegistration hbm2_registration("hbm2", hbm2_timing());
}  // namespace
}  // namespace warpvp
