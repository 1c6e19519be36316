#include "hal.h"

struct hal_machine hal_machine;

static uint64_t apertures[FW_APERTURES];
static struct {
  uint32_t low, high;
  bool high_known; /* the upper half still is what it was: no sleep since it was read */
} time;
static uint32_t timer_high;

uint64_t hal_read64(uint32_t address) {
  const uint32_t low = hal_read32(address);
  const uint32_t high = hal_read32(address + 4);
  return (uint64_t)high << 32 | low;
}

void hal_write64(uint32_t address, uint64_t value) {
  hal_write32(address, (uint32_t)value);
  hal_write32(address + 4, (uint32_t)(value >> 32));
}

void hal_init(uint32_t lines) {
  hal_machine.queues = hal_read32(SYSCTL_QUEUES);
  hal_machine.slots = hal_read32(SYSCTL_SLOTS);
  hal_machine.engines = hal_read32(SYSCTL_ENGINES);
  hal_machine.signal_poll_ns = hal_read32(SYSCTL_SIGNAL_POLL_NS);
  for (unsigned i = 0; i < FW_APERTURES; ++i) apertures[i] = hal_read64(SYSCTL_APERTURE(i));
  time.high_known = false;
  timer_high = UINT32_MAX; /* as the timer is reset */
  hal_write32(INTC_ENABLE, lines);
  hal_enable_wakeup();
}

uint32_t hal_poll(void) {
  uint32_t happened = hal_read32(INTC_PENDING);
  if (happened != 0) hal_write32(INTC_PENDING, happened);
  if (hal_timer_expired()) happened |= HAL_TIMER;
  return happened;
}

uint32_t hal_wait(void) {
  hal_sleep();
  time.high_known = false; /* the sleep may have been a long one */
  return hal_poll();
}

/* Awake, firmware asks for the time far more often than its lower half wraps (4.3 s), so that one read will do. */
uint64_t hal_now_ns(void) {
  uint32_t low = hal_read32(TIMER_MTIME);
  if (time.high_known) {
    if (low < time.low) ++time.high;
  } else {
    time.high = hal_read32(TIMER_MTIME + 4);
    time.high_known = true;
    if (low >= 0xffff0000u) { /* it may have wrapped between the two reads */
      uint32_t before;
      do {
        before = time.high;
        low = hal_read32(TIMER_MTIME);
        time.high = hal_read32(TIMER_MTIME + 4);
      } while (time.high != before);
    }
  }
  time.low = low;
  return (uint64_t)time.high << 32 | low;
}

/* The line is a level and only looked at by hal_sleep and hal_poll: what the halves make in between is not seen. */
void hal_set_timer(uint64_t at_ns) {
  const uint32_t high = (uint32_t)(at_ns >> 32);
  if (high != timer_high) hal_write32(TIMER_MTIMECMP + 4, high);
  timer_high = high;
  hal_write32(TIMER_MTIMECMP, (uint32_t)at_ns);
}

uint32_t hal_map(uint64_t bus_address) {
  for (unsigned i = 0; i < FW_APERTURES; ++i) {
    const uint64_t offset = bus_address - apertures[i];
    if (offset < FW_APERTURE_BYTES) return FW_APERTURE_BASE + i * FW_APERTURE_BYTES + (uint32_t)offset;
  }
  const unsigned last = FW_APERTURES - 1;
  apertures[last] = bus_address & ~(uint64_t)(FW_APERTURE_BYTES - 1);
  hal_write64(SYSCTL_APERTURE(last), apertures[last]);
  return FW_APERTURE_BASE + last * FW_APERTURE_BYTES + (uint32_t)(bus_address - apertures[last]);
}

uint32_t hal_parameter(unsigned i) { return i < FW_PARAMETERS ? hal_read32(SYSCTL_PARAMETER(i)) : 0; }

void hal_send_host(uint32_t word) { hal_write32(MAILBOX_TO_HOST, word); }
