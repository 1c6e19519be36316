/* CCBP (Lin, Dai, Mantor and Zhou, ACM TACO 2019): each of the kernels that share the device has a number of CTAs on every
   SM and a rate of requests, such that each has an equal part of what it needs most. Needs SMs whose miss queue gives
   credits (sm.memory.l1.miss_queue: ccbp), and no bandwidth_controller, whose work it does. Queues are taken in turn.

   command_processor.parameters, each 0 for what is in brackets:
     0  M, units of each bandwidth (20; at most 1000)
     1  bits: 1 weighted speedup is the goal (harmonic); 2 priorLSK stays 1.0 (it is adjusted); 4 CTAs above a new limit
        wait (they run to their ends)
     2  length of the phases in percent of the paper's (100; 1000 is its offline detection)
     3  SM cycles after which a kernel that has not come again has left the mix (200,000)
     4 to 7  IPC alone of the first four kernels, in warp instructions per 1000 cycles (not known: that with even shares) */
#include "bandwidth/phases.h"
#include "policy.h"
#include "ranks.h"

static bool looked; /* whether somebody else controls bandwidth */

#define WEIGHTED 1u
#define FIXED_PRIORITY 2u
#define THROTTLES 4u

static void read_facts(struct bw_facts *facts) {
  uint32_t word[8];
  hal_read_burst(SYSCTL_SM_CLOCK_KHZ, word, 8);
  facts->sm_clock_khz = word[0];
  facts->credit_cycles = word[1];
  facts->line_bytes = word[2];
  facts->reply_header_bytes = word[3];
  facts->network_rate = (uint64_t)word[5] << 32 | word[4];
  facts->dram_rate = (uint64_t)word[7] << 32 | word[6];
}

static uint32_t parameter(unsigned i, uint32_t otherwise) {
  const uint32_t value = hal_parameter(i);
  return value != 0 ? value : otherwise;
}

static void init(void) {
  looked = false;
  if (fw_assisted())
    hal_panic(FW_HALT_POLICY,
              "ccbp: type assisted starts kernels before firmware could give them terms; allowed: riscv, native");
  struct bw_facts facts;
  read_facts(&facts);
  if (facts.credit_cycles == 0)
    hal_panic(FW_HALT_POLICY,
              "ccbp: the SMs' miss queues give no credits; set sm.memory.l1.miss_queue: ccbp");
  const uint32_t units = parameter(0, 20), flags = hal_parameter(1), percent = parameter(2, 100);
  if (units > BW_MOST_UNITS || flags > 7 || percent > 10000)
    hal_panic(FW_HALT_POLICY, "ccbp: parameters %u %u %u; allowed: at most %u units, bits up to 7, 10000 percent",
              (unsigned)units, (unsigned)flags, (unsigned)percent, BW_MOST_UNITS);
  struct bw_settings settings = {
      .weighted = (flags & WEIGHTED) != 0,
      .fixed_priority = (flags & FIXED_PRIORITY) != 0,
      .throttles = (flags & THROTTLES) != 0,
      .percent = percent,
      .absent_cycles = parameter(3, 200000),
  };
  for (unsigned i = 0; i < BW_ALONE_IPCS; ++i) settings.alone[i] = hal_parameter(4 + i);
  struct bw_device device;
  bw_device_of(&device, &facts, hal_read32(WD_SM_COUNT), units);
  struct bw_room room; /* nothing runs yet */
  hal_read_burst(WD_SMSR_FREE_CTAS(0), (uint32_t *)&room, sizeof room / sizeof(uint32_t));
  bw_phases_start(&settings, &device, &room);
}

static int pick(const struct fw_set *can_start) { return fw_after(can_start, fw_last_started()); }

static void prepare(unsigned queue, unsigned slot) {
  (void)queue;
  if (!looked && hal_read64(WD_WATCHER) != 0)
    hal_panic(FW_HALT_POLICY, "ccbp: there is a bandwidth controller, too; set bandwidth_controller: none");
  looked = true;
  bw_phases_prepare(slot);
}

static void started(unsigned queue, unsigned destination) {
  if (fw_queues[queue].type == FW_KERNEL) bw_phases_started(destination);
}

/* Copy engines are numbered as slots are; but only a kernel that has ended leaves its slot without a queue. */
static void completed(unsigned queue, unsigned destination) {
  (void)queue;
  if (destination != FW_NO_DESTINATION && fw_slot_queue(destination) < 0) bw_phases_ended(destination);
}

/* It says itself when it is to be called; the period is for the first time, which init puts off. */
FW_POLICY = {.name = "ccbp",
             .tick_ns = 1000000000,
             .init = init,
             .pick = pick,
             .prepare = prepare,
             .started = started,
             .completed = completed,
             .tick = bw_phases_tick,
             .round_robin = true};
