#pragma once
// Hardware that polls, starts and completes packets by itself, in an order that firmware gives it: by rank of
// their queues. Heads may have to wait at their queue's gate until firmware has admitted them. What it did it
// keeps in a log for firmware that wants to know.
//
// So a start costs no instruction; firmware is there for slow decisions: ranks, now and then, and admission.

#include <deque>
#include <vector>

#include "modules/command_processor/hardware/hardware_sequencer.h"
#include "modules/command_processor/queues/assistance.h"
#include "modules/command_processor/queues/scheduler_port.h"

namespace warpvp {

class AssistedSequencer : public HardwareSequencer, public Assistance {
 public:
  AssistedSequencer(const CommandProcessorConfig& config, QueueController& queues, SchedulerPort& port);

 private:
  using LogEntry = regmap::qc::LogEntry;
  struct Gate {
    std::uint32_t rank = 0xffff'fffe;  ///< the last, as firmware has it
    bool open = false;
    std::uint64_t stamp = 0;  ///< order among equal ranks
  };
  struct Watch : QueueObserver {
    explicit Watch(AssistedSequencer& s) : sequencer(s) {}
    void decision(const SchedulingDecision& d) override {
      if (d.kind == SchedulingDecision::kTake) sequencer.taken(d.queue, static_cast<unsigned>(d.detail));
    }
    AssistedSequencer& sequencer;
  };
  struct Kernel {
    std::uint32_t kernel = 0, ctas = 0;
  };

  // Sequencer
  void head_ready(unsigned queue) override;
  void doorbell(unsigned queue) override;
  void kernel_done(unsigned slot) override;
  void copy_done(unsigned engine, bool failed) override;
  void queue_changed(unsigned queue) override;
  void priority_changed(unsigned queue) override;
  bool may_parse(unsigned queue) const override;
  Cycle step(Cycle now) override;
  // Assistance
  void set_options(std::uint32_t options) override;
  void set_rank(unsigned queue, std::uint32_t rank) override;
  void admit(unsigned queue) override;
  bool gated(unsigned queue) const override;
  const std::deque<LogEntry>& log() const override { return log_; }
  void drop_log(std::uint32_t entries) override;

  /// A packet goes through its gate; its head still stands there.
  void taken(unsigned queue, unsigned destination);

  bool has(std::uint32_t option) const { return (options_ & option) != 0; }
  /// The queue that goes first of those not `tried`; queue_count(): none.
  unsigned first(const std::vector<bool>& tried) const;
  bool before(unsigned a, unsigned b) const;
  void note(regmap::qc::LogKind kind, unsigned queue, unsigned destination, Kernel kernel, bool last);
  bool waits(unsigned queue) const override;

  Watch watch_{*this};
  SchedulerPort& port_;
  std::uint32_t options_ = 0;
  std::vector<Gate> gates_;
  std::vector<Kernel> kernels_;  // by slot
  std::deque<LogEntry> log_;
  bool told_half_ = false;
  unsigned last_;
  std::uint64_t stamps_ = 0;
};

}  // namespace warpvp
