#pragma once
// A fixed sequencer in hardware: heads are started round robin, kernels in the first free kernel status
// register, copies on the first free DMA engine, barrier packets when their signals say so. Packets of one
// queue start in order; without the barrier bit the next one may start while earlier ones run.

#include <vector>

#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

class HardwareSequencer : public Sequencer {
 public:
  HardwareSequencer(const CommandProcessorConfig& config, QueueController& queues);

 protected:
  // For sequencers that start in another order.

  /// Whether the head was started, or its queue stopped.
  bool try_start(unsigned queue, Cycle now);
  Cycle next_start() const { return next_start_; }
  /// The next edge at which something can be started, as far as is known.
  Cycle next_edge() const;
  /// The head waits for something that is not known here.
  virtual bool waits(unsigned /*queue*/) const { return false; }
  unsigned running_in_slot(unsigned slot) const { return slots_[slot].queue; }
  unsigned running_in_engine(unsigned engine) const { return engines_[engine].queue; }

  void head_ready(unsigned queue) override { check_at_[queue] = 0; }
  void doorbell(unsigned queue) override { check_at_[queue] = queues_.domain().now(); }
  void kernel_done(unsigned slot) override;
  void copy_done(unsigned engine, bool failed) override;
  void signals_changed(std::uint64_t signal, Cycle due) override;
  void queue_changed(unsigned) override {}
  bool accesses_in_step() const override { return true; }
  Cycle step(Cycle now) override;

  QueueController& queues_;

 private:
  using QueueError = regmap::cp::QueueError;
  /// What runs in a kernel slot or DMA engine.
  struct Running {
    unsigned queue = 0;
    std::uint64_t index = 0, signal = 0, start_ns = 0;
  };

  void start_kernel(unsigned queue, unsigned slot, Cycle now);
  void start_copy(unsigned queue, unsigned engine, Cycle now);
  bool start_barrier(unsigned queue, Cycle now);
  void pace(Cycle now, const sc_core::sc_time& taken);

  sc_core::sc_time dispatch_, poll_;
  std::vector<Cycle> check_at_;  // barrier packets: when to look at the signals again, by queue
  std::vector<Running> slots_, engines_;
  unsigned next_ = 0;     // queue whose turn it is
  Cycle next_start_ = 0;  // pacing of starts
};

}  // namespace warpvp
