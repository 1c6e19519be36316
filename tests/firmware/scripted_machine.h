#pragma once
// The registers that firmware sees, as a script: queues whose heads become ready at given times, kernel slots
// and DMA engines that take a given time, signals in memory. Each access takes 20 ns. What the firmware did
// is a list of lines. One machine at a time: the HAL's primitives, which firmware calls, belong to the
// machine alive.

#include <csetjmp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "native.h"

namespace warpvp::test {

/// A policy's choice among heads: none.
inline int none(const fw_set*) { return -1; }

struct ScriptedPacket {
  unsigned type = FW_KERNEL;
  bool barrier = true;
  int priority = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t signal = 0;
  std::vector<std::uint64_t> waits_for;    ///< barrier packets
  std::uint64_t run_ns = 1000;             ///< kernels and copies
  std::uint32_t status = FW_SLOT_RUNNING;  ///< what a kernel slot answers
  bool fails = false;                      ///< copies
  std::uint64_t doorbell_ns = 0;           ///< set by push
  // Kernels, of jobs:
  std::uint32_t kernel = 1;  ///< bits 37:6 of the kernel object
  std::uint32_t ctas = 1;
  std::uint32_t job = 0, job_index = 0, job_kernels = 0;
  bool job_last = false;
  std::uint64_t arrival_ns = 0;
  std::uint32_t expected_ns = 0;
};

class ScriptedMachine {
 public:
  explicit ScriptedMachine(unsigned queues = 8, unsigned slots = 2, unsigned engines = 1);
  ~ScriptedMachine();
  ScriptedMachine(const ScriptedMachine&) = delete;

  static constexpr std::uint64_t kAccessNs = 20, kParseNs = 100;
  static constexpr std::uint64_t kSignals = 0x1'0000'0000, kSignalStride = 64;
  static std::uint64_t signal(unsigned i) { return kSignals + i * kSignalStride; }

  unsigned signal_poll_ns = 0;
  std::uint32_t period_ns = 100'000, ageing_ns = 0, late_ticks = 0;
  std::uint32_t parameters[FW_PARAMETERS] = {};
  std::uint64_t now = 1000;
  std::map<std::uint64_t, std::int64_t> signals;                ///< by bus address
  std::map<std::uint64_t, std::vector<std::uint32_t>> records;  ///< 64-byte records in device memory

  /// Puts packets into a queue; the first becomes its head kParseNs later. They also lie in the queue's ring, if that was
  /// set, with extension records.
  void push(unsigned queue, std::vector<ScriptedPacket> packets);
  /// A job of kernels of that many CTAs, 1 us each unless `run_ns` says otherwise.
  static std::vector<ScriptedPacket> job(std::uint32_t number, std::uint64_t arrival_ns, std::uint64_t deadline_ns,
                                         const std::vector<ScriptedPacket>& kernels);
  void at(std::uint64_t ns, std::function<void()> action);
  void send_word(std::uint32_t word);
  void queue_event(unsigned kind, std::uint32_t index);
  /// What the host can do to a queue.
  void unmap(unsigned queue);
  void set_first_index(unsigned queue, std::uint64_t index) {
    queues_[queue].read = queues_[queue].first = index;
  }
  void set_ring(unsigned queue, std::uint64_t base, unsigned packets);
  /// Whether `push` writes the packets into their queue's ring; if not, `records` has what firmware finds there.
  bool fills_rings = true;

  /// Runs firmware until nothing can happen any more, `until` has come, or it halted.
  void run(const fw_policy& policy, std::uint64_t until = kEver);
  /// Goes on from there.
  void resume(std::uint64_t until = kEver);
  static constexpr std::uint64_t kEver = 10'000'000;

  std::vector<std::string>
      log;  ///< "start q3 slot0", "barrier q1", "done q3 @16", "stop q2 error 5 packet 0", "tick" ...
  /// The queues in the order in which their packets were started.
  std::vector<unsigned> starts;
  /// Jobs whose packets were rejected, with the code.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rejected;
  std::map<std::uint32_t, std::uint64_t> job_ends;  ///< when the last kernel of a job ended
  int halted = 0;  ///< fw_halt
  std::string console;
  std::vector<std::uint32_t> to_host;
  std::uint64_t accesses = 0, signal_reads = 0, sleeps = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slot_writes;  ///< to kernel slots, address and value

  /// Registers beyond those below, or other values for them; false: not of these. Writes that they take are
  /// no others'.
  std::function<bool(std::uint32_t address, std::uint32_t& value)> more_registers;
  std::function<bool(std::uint32_t address, std::uint32_t value)> more_writes;
  /// What was forwarded to a kernel slot last, and whether it runs.
  const ScriptedPacket& in_slot(unsigned slot) const { return slot_.at(slot).packet; }
  bool runs(unsigned slot) const { return slot_.at(slot).status == FW_SLOT_RUNNING; }

  std::function<void()> on_start = [] {};  ///< a kernel slot or engine was started
  std::function<void(std::uint32_t job)> on_job_start = [](std::uint32_t) {};  ///< with a packet of a job

  // The HAL's primitives.
  std::uint32_t read(std::uint32_t address);
  void read_burst(std::uint32_t address, std::uint32_t* to, unsigned words);
  void write_burst(std::uint32_t address, const std::uint32_t* from, unsigned words);
  void write(std::uint32_t address, std::uint32_t value);
  void sleep();
  bool timer_expired() const { return now >= timer_; }
  [[noreturn]] void halt(int code);
  bool wakeup = false;

 private:
  struct Queue {
    std::deque<ScriptedPacket> packets;
    bool ready = false, stopped = false;
    bool changed = false;   // event 5 waits: nothing is parsed
    bool vanished = false;  // was ready when it changed: firmware may be starting its head
    ScriptedPacket head;    // the one that vanished
    std::uint64_t read = 0, first = 0;
    unsigned in_flight = 0;
    std::uint64_t ring_base = 0;
    std::uint32_t ring_packets = 0;
    std::vector<std::uint32_t> rejected_jobs;
    bool told = false;  // event 6 waits
    std::uint64_t written() const { return read + packets.size(); }
  };
  struct Destination {
    bool forwarded = false;
    unsigned queue = 0;
    std::uint32_t status = FW_SLOT_FREE;
    std::uint64_t start_ns = 0;
    ScriptedPacket packet;
  };

  void go(const fw_policy* start, std::uint64_t until);
  void pass(std::uint64_t ns);
  void advance_to(std::uint64_t ns);
  void parse_next(unsigned queue);
  void raise(std::uint32_t line) { pending_ |= line; }
  std::uint32_t head_register(unsigned queue, std::uint32_t offset);
  std::uint32_t memory_word(std::uint64_t address);
  std::uint32_t value(std::uint32_t address);
  void put_into_ring(Queue& queue, std::uint64_t index, const ScriptedPacket& packet);
  void reject(unsigned queue, std::uint32_t code, bool job);
  void forward(unsigned queue, unsigned destination);
  void take(unsigned queue, unsigned destination);
  void stop(unsigned queue, unsigned error);
  void change(unsigned queue);
  void pop_event();
  void complete(unsigned queue);
  void start(bool kernel, unsigned destination);

  unsigned slots_, engines_;
  std::vector<Queue> queues_;
  std::vector<Destination> slot_, engine_;
  std::deque<std::uint32_t> events_, words_;
  std::uint32_t pending_ = 0, enabled_ = 0;
  std::uint32_t options_ = 0;
  std::uint64_t timer_ = ~0ull, signal_ = 0, start_ns_ = 0, stop_index_ = 0;
  std::uint64_t apertures_[FW_APERTURES];
  std::multimap<std::uint64_t, std::function<void()>> actions_;
  bool finished_ = false;
  std::uint64_t until_ = 0;
  std::jmp_buf end_;
};

/// The policy of a native build by name.
const fw_policy& policy(const std::string& name);

}  // namespace warpvp::test
