#pragma once
// What has been sent and is not answered, and what to do with an answer that is an error.
//
// Reads of kind AccessKind::kRecall are meant to stay open and are left out.
//
// Nothing is kept for it beside the transactions themselves: their pools know which are in flight, and
// InitiatorPort writes into each where it is (Transaction::Whereabouts).

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace warpvp {

/// A transaction in flight that its initiator has had no answer to.
struct Unanswered {
  enum class State {
    kSent,      ///< over `link`, whose far end has not answered
    kAnswered,  ///< over `link`, and the answer was not passed on
    kQueued     ///< in its own block, which has not sent it yet
  };
  State state = State::kSent;
  const sc_core::sc_object* link = nullptr;   ///< an initiator socket; nullptr: queued
  const sc_core::sc_object* block = nullptr;  ///< that sends or holds it; nullptr: unknown
  const sc_core::sc_object* owner = nullptr;  ///< that made it, and waits for it; nullptr: unknown
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  unsigned bytes = 0;
  sc_core::sc_time since;  ///< when it was made
};

/// All of the platform, the oldest first. Slow: for runs that are over or stuck.
std::vector<Unanswered> unanswered();
/// How many transactions made until `time` are in flight. Those that have been answered and whose initiator
/// has not let go of them count too.
std::size_t in_flight_since(const sc_core::sc_time& time);

/// Type of the SystemC report by which an error response leaves the model, as with kBrokenContract.
inline constexpr const char* kFailedAccess = "/warpvp/failed_access";

/// For an answer that its initiator does not pass on to anybody who would hear of an error: ends the
/// simulation unless it is TLM_OK_RESPONSE. `purpose`: what the transaction was for ("write-back of the L2").
void require_answer_ok(const tlm::tlm_generic_payload& answered, const sc_core::sc_object& link,
                       const char* purpose);

}  // namespace warpvp
