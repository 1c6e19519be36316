#pragma once
// Watches a link for violations of the TLM-2.0 base protocol (IEEE 1666-2011 section 15.2) and forwards
// everything untouched. Slip it between an initiator socket and a target socket:
//
//   initiator.socket.bind(checker.target);  checker.initiator.bind(target.socket);

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace warpvp {

/// The rules the checker knows.
enum class ProtocolRule : std::uint8_t {
  kRequestExclusion,     ///< BEGIN_REQ while an earlier request waits for its END_REQ
  kResponseExclusion,    ///< BEGIN_RESP while an earlier response waits for its END_RESP
  kPhaseOrder,           ///< a phase that cannot follow the transaction's last one, or a wrong path for it
  kReturnValue,          ///< a returned status and phase that do not go together
  kTimeGoesBack,         ///< a phase earlier than the previous one of its transaction
  kTransactionReused,    ///< BEGIN_REQ with a payload that is still under way
  kNoMemoryManager,      ///< nb_transport with a payload that has no memory manager
  kReferenceCount,       ///< a payload under way with reference count zero
  kNullData,             ///< no data pointer
  kZeroLength,           ///< data length or streaming width zero
  kByteEnableLength,     ///< byte enables of length zero
  kStatusNotIncomplete,  ///< a request (or b_transport call) whose status is not TLM_INCOMPLETE_RESPONSE
  kStatusMissing,        ///< a response whose status is still TLM_INCOMPLETE_RESPONSE
  kAttributeChanged,     ///< command, length, data, byte enables or streaming width changed after BEGIN_REQ
  kDataChanged,          ///< what a write carries changed while the transaction was under way
  kCalledByMethod,       ///< b_transport called by a method (section 11.1.1.4)
  kTargetWaits,          ///< b_transport called wait() where that is not allowed
};
const char* name_of(ProtocolRule rule);

class ProtocolChecker : public sc_core::sc_module,
                        private tlm::tlm_fw_transport_if<>,
                        private tlm::tlm_bw_transport_if<> {
 public:
  struct Violation {
    ProtocolRule rule;
    sc_core::sc_time time;
    std::uint64_t address;
    /// "TIME: RULE, address A, at CHECKER".
    std::string text;
  };

  explicit ProtocolChecker(sc_core::sc_module_name name);

  tlm::tlm_target_socket<> target;        ///< bind the initiator here
  tlm::tlm_initiator_socket<> initiator;  ///< bind this to the target

  /// Called at each violation, for example to end the run. May throw: nothing is forwarded after that.
  std::function<void(const Violation&)> on_violation;
  /// b_transport must not let time pass (register accesses). A target that calls wait() for a method is
  /// reported whatever this says.
  bool forbid_waiting = false;
  /// All violations.
  std::uint64_t count() const { return count_; }
  /// The first 1000 of them.
  const std::vector<Violation>& violations() const { return violations_; }
  /// Transactions that have begun and not ended.
  std::size_t in_flight() const { return transactions_.size(); }

 private:
  enum class State : std::uint8_t { kRequesting, kRequested, kResponding };
  struct Attributes {
    tlm::tlm_command command;
    unsigned char* data;
    unsigned length, width;
    unsigned char* enables;
    unsigned enable_length;
    explicit Attributes(const tlm::tlm_generic_payload& p);
    bool operator==(const Attributes& o) const;
  };
  struct Record {
    State state;
    sc_core::sc_time last;  // effective time of the last phase
    Attributes attributes;
    std::vector<unsigned char> data;  // of a write
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  void begin_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);
  void end_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);
  void begin_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);
  void end_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);
  void completed_early(tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);
  void check_payload(const tlm::tlm_generic_payload& payload);
  void check_under_way(Record& record, const tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);
  Record* find(tlm::tlm_generic_payload& payload);
  void report(ProtocolRule rule, const tlm::tlm_generic_payload& payload);

  std::unordered_map<const tlm::tlm_generic_payload*, Record> transactions_;
  const tlm::tlm_generic_payload* requesting_ = nullptr;  // waits for END_REQ
  const tlm::tlm_generic_payload* responding_ = nullptr;  // waits for END_RESP
  sc_core::sc_time request_free_;                         // effective time of the last END_REQ
  sc_core::sc_time response_free_;                        // effective time of the last END_RESP
  std::uint64_t count_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace warpvp
