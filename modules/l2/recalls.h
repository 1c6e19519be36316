#pragma once
// Lines of a bank that SMs hold in their L1s, and how a bank makes them drop what leaves it.
//
// TLM's base protocol has no way for a target to begin: so an SM keeps reads of kind AccessKind::kRecall open
// at each bank from which it holds lines, L2InclusionPolicy::recalls_at_once() of them, of 8 bytes each. The
// bank answers one when it has something to recall; the answer travels the reply network as any other and
// brings the line's address as its data. The SM then drops the line and sends the next such read, which tells
// the bank that it may send one more. Recalls for which no read is open wait in the bank, in order. A recall
// passes the bank in the time of a hit or of a fill, whichever is longer, so that it overtakes no answer with
// data of its line.

#include <cstdint>
#include <deque>
#include <tlm>
#include <vector>

#include "base/cycle.h"
#include "interconnect/ring.h"

namespace warpvp {

class Recalls {
 public:
  struct Ready {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;
  };

  /// `lines` of a bank, `sms` of the platform; `latency`: from a departure, or from an
  /// SM's being ready for one that waits, to the answer.
  Recalls(std::uint32_t lines, unsigned sms, Cycle latency);

  /// From now on the SM holds the line.
  void add_holder(std::uint32_t line, unsigned sm) {
    if (sm < sms_) bits_[std::size_t{line} * words_ + sm / 64] |= std::uint64_t{1} << sm % 64;
  }
  unsigned holders(std::uint32_t line) const;
  /// Another line takes the place of this one; recalls it from all its holders if `address` is of a line that
  /// they have to drop. `launch`: who is the cause. Returns how many recalls that are.
  unsigned replace(std::uint32_t line, const std::uint64_t* address, std::uint32_t launch, Cycle now);
  /// Nobody holds anything.
  void forget_holders();

  /// An SM is ready for a recall. False if the payload is none of its reads. The answer may be ready at once.
  bool listen(tlm::tlm_generic_payload& payload, Cycle now);
  /// Answers to be sent, in order of `ready`.
  GrowingRing<Ready>& ready() { return ready_; }
  const GrowingRing<Ready>& ready() const { return ready_; }

 private:
  struct Waiting {
    std::uint64_t address;
    std::uint32_t launch;
  };
  void answer(tlm::tlm_generic_payload& payload, const Waiting& recall, Cycle ready);

  unsigned sms_;
  Cycle latency_;
  unsigned words_;  // of a line
  std::vector<std::uint64_t> bits_;
  std::vector<std::vector<tlm::tlm_generic_payload*>> open_;  // [sm]: reads that wait for a recall
  std::vector<std::deque<Waiting>> waiting_;                  // [sm]: recalls that wait for a read
  GrowingRing<Ready> ready_;
};

}  // namespace warpvp
