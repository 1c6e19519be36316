#pragma once
// The registers that policies of an L2 bank declare, on the register bus (window regmap::l2). A bank whose
// policies declare none is not on the bus.

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/clock_domain.h"
#include "interconnect/policy_context.h"
#include "interconnect/register_block.h"

namespace warpvp {

class BankRegisters {
 public:
  /// `clock_id`: the bank's in `clock`, which is woken for each write.
  BankRegisters(ClockDomain& clock, unsigned clock_id);
  /// For the policy `name` of a kind. What was written acts at an edge of the bank, and is read back at once;
  /// whether the policy takes it is known from that edge on.
  PolicyRegisters of(const char* kind, const std::string& name);
  /// After all policies have been made, while the bank is under construction: makes the socket, if any of
  /// them has declared a register.
  void finish();

  /// nullptr: no policy has any.
  tlm::tlm_target_socket<>* socket() { return socket_.get(); }
  const RegisterBlock& block() const { return block_; }
  /// The edge at which something that was written acts; kNever: nothing waits.
  Cycle next() const { return writes_.empty() ? kNever : writes_.front().due; }
  /// Has the policies take what has been written for this edge or an earlier one.
  void act(Cycle now);

 private:
  struct Target {
    std::string kind, name;  // of the policy
    std::function<void(unsigned index, std::uint64_t value)> write;
  };
  struct Write {
    Cycle due;
    sc_core::sc_time arrived;
    std::size_t target;
    unsigned index;
    std::uint64_t value;
  };
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }

  ClockDomain& clock_;
  const unsigned clock_id_;
  RegisterBlock block_;
  bool any_ = false;
  std::unique_ptr<tlm_utils::simple_target_socket<BankRegisters>> socket_;
  std::vector<Target> targets_;
  sc_core::sc_time access_time_;  // of the present access
  Cycle access_edge_ = 0;         // at which it acts
  std::vector<Write> writes_;     // by due
};

}  // namespace warpvp
