#pragma once
// One direction of a crossbar: an input-queued switch of packets. Plain C++, no SystemC.
//
// Each input has one first-in first-out queue, so a packet whose output is taken holds up those behind it
// (head-of-line blocking; Karol, Hluchyj and Morgan 1987 give the limit 2 - sqrt(2) = 0.586 under uniform
// traffic). The fabric does not block: any idle input can be connected to any idle output (CCBP section 2.1).
// Every output chooses among the heads that want it in round-robin order. A packet of f flits occupies its
// input and its output for f cycles, or less where they move several flits a cycle. It can be taken at the
// output when its last flit has come: with one flit a cycle, `latency + f - 1` cycles after its grant.
//
// Ports may form groups (the SMs of a GPC) that share a link behind them: then the packets granted to the
// ports of a group take turns on that link, which moves `group_flits` in a cycle, and no packet is granted
// while it is taken.
//
// An output has room for `output_packets + latency` packets that are granted and not yet taken; without room
// it grants nothing. State changes only at events (arrivals, ports that become free while packets wait for
// them, deliveries), which lie on a timing wheel of bit masks; between events the owner need not call.

#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "interconnect/ring.h"
#include "interconnect/timing_wheel.h"

namespace warpvp {

class CrossbarSwitch {
 public:
  /// Greatest packet length; the timing wheel spans it together with the latency.
  static constexpr unsigned kMaxFlits = 160;
  static constexpr unsigned kMaxLatency = 800;

  struct Config {
    unsigned inputs = 1;
    unsigned outputs = 1;
    unsigned latency = 1;         ///< cycles, 1 .. kMaxLatency
    unsigned input_packets = 8;   ///< depth of each input queue
    unsigned output_packets = 4;  ///< packets an output holds for a receiver that is busy
    unsigned input_flits = 1;     ///< flits that an input moves in a cycle; a power of two
    unsigned output_flits = 1;    ///< the same of an output
    /// The group of each input or of each output, kNoGroup: none. Empty: no groups at all.
    std::vector<unsigned> input_groups = {}, output_groups = {};
    unsigned group_flits = 1;  ///< flits that the ports of a group move in a cycle together
  };
  static constexpr unsigned kNoGroup = ~0u;
  struct Packet {
    std::uint32_t output = 0;
    std::uint32_t flits = 1;  ///< 1 .. kMaxFlits
    std::uint32_t port = 0;   ///< for the owner, as the next two
    std::uint32_t launch = 0;
    void* cargo = nullptr;
    Cycle visible = 0;  ///< first cycle at which the packet may be granted; set by push
    Cycle granted = 0;  ///< set by the grant
  };
  /// Bit sets over inputs or outputs, 64 a word.
  using Bits = std::vector<std::uint64_t>;

  explicit CrossbarSwitch(const Config& config);

  bool can_push(unsigned input) const { return !inputs_[input].queue.full(); }
  /// Appends a packet that is seen from cycle `visible` on (later than the last `evaluate`).
  void push(unsigned input, Packet packet, Cycle visible);

  /// Handles everything due up to `now` and grants. Call at every cycle that `next_event` names.
  void evaluate(Cycle now) {
    if (due_ <= now || any_drained_ || can_grant()) advance(now);
  }
  /// The next cycle at which `evaluate` has something to do, kNever if only pushes or pops can change that.
  Cycle next_event(Cycle now) const { return can_grant() ? now + 1 : due_; }

  /// Outputs whose oldest packet can be taken now.
  const Bits& deliverable() const { return deliverable_; }
  const Packet& front(unsigned output) const { return outputs_[output].egress.front().packet; }
  /// Takes the packet of a deliverable output.
  void pop(unsigned output, Cycle now);

  /// Inputs from which packets were granted in the last `evaluate` (room was made).
  const Bits& drained_inputs() const { return drained_; }
  bool any_drained() const { return any_drained_; }
  unsigned packets_inside() const { return inside_; }
  /// Nothing is inside and nothing was at the last `evaluate`: none is needed before the next push.
  bool idle() const { return inside_ == 0 && due_ == kNever && !any_drained_; }

  struct Totals {
    std::uint64_t packets = 0;  ///< granted
    std::uint64_t flits = 0;    ///< granted; output-busy cycles, summed, where outputs move one a cycle
    std::uint64_t queueing_cycles = 0;  ///< from visible to granted, summed over packets
  };
  const Totals& totals() const { return totals_; }

 private:
  enum class InputState : std::uint8_t { kIdle, kScheduled, kRequesting };
  struct Input {
    Ring<Packet> queue;
    InputState state = InputState::kIdle;  // kIdle: the queue is empty
    Cycle free_at = 0;                     // when its last packet has left
  };
  struct Delivery {
    Packet packet;
    Cycle ready = 0;
  };
  struct Output {
    Ring<Delivery> egress;   // granted, in order
    unsigned next = 0;       // round robin: first input to look at
    unsigned wanted = 0;     // heads that want this output
    Cycle free_at = 0;       // when its last packet has been transmitted
    std::uint64_t turn = 0;  // number of its last grant
  };

  void schedule(Cycle cycle, unsigned section_word, unsigned index);
  void await_head(unsigned input);
  void request(unsigned input, Cycle now);
  void set_free_if_room(unsigned output);
  void advance(Cycle now);
  void handle_due(Cycle now);
  bool can_grant() const;
  void arbitrate_in_turn(Cycle now);
  void open_groups(Cycle now);
  /// The group's link carries a packet of so many flits.
  void occupy(unsigned group, unsigned flits, Cycle now);
  void arbitrate(unsigned output, Cycle now);

  Config config_;
  unsigned input_shift_, output_shift_;  // log2 of the flits a cycle
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  unsigned in_words_, out_words_;
  Bits requests_;  // [output][word]: inputs whose head wants the output
  Bits free_;      // wanted outputs that can be granted: they transmit nothing and have room
  // Of groups: until when each link is taken, in flits since the beginning; ports whose group's link is free.
  std::vector<std::uint64_t> taken_until_;
  Bits open_inputs_, open_outputs_;
  std::vector<Bits> inputs_of_, outputs_of_;  // by group
  std::vector<unsigned> closed_;              // groups whose link is taken
  std::vector<unsigned> turn_;                // outputs that may be granted at this cycle, in order
  Bits deliverable_, drained_;
  bool any_drained_ = false;
  // For each cycle three sets, one behind the other: inputs whose head is due, wanted outputs that have
  // transmitted their packet, outputs whose oldest packet is ready.
  SetWheel wheel_;
  Cycle done_ = 0;      // everything up to here was handled
  Cycle due_ = kNever;  // the first cycle with something on the wheel
  unsigned inside_ = 0;
  Totals totals_;
};

}  // namespace warpvp
