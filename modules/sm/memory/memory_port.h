#pragma once
// The SM's door to the interconnect: one request per cycle from the instruction cache, the constant cache,
// reads that the L2 answers when it recalls a line, the miss queue of the data cache, and the state of CTAs
// that leave or come back, in that order of preference; responses into an inbox.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "interconnect/address_map.h"
#include "interconnect/policy_slot.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/sm/memory/backing.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/miss_queue.h"

namespace warpvp {

/// What a response belongs to; packed into MemExtension::token.
enum class ReplyKind : std::uint8_t {
  kL1Fill,       ///< index: MSHR of the data cache
  kAccess,       ///< index: instruction of the load/store unit (bypassing load, store, atomic)
  kWriteBack,    ///< nobody waits
  kConstant,     ///< index: MSHR of the constant cache
  kInstruction,  ///< index: MSHR of the instruction cache
  kState,        ///< of a CTA: StateTransfer
  kRecall,       ///< of lines by the L2; index: bank
};
struct ReplyToken {
  ReplyKind kind = ReplyKind::kWriteBack;
  std::uint32_t index = 0;    ///< below 2^24
  std::uint32_t sectors = 0;  ///< sectors of the line that the request asked for

  std::uint64_t pack() const {
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 | std::uint64_t{index} << 32 | sectors;
  }
  static ReplyToken unpack(std::uint64_t token) {
    return {static_cast<ReplyKind>(token >> 56), static_cast<std::uint32_t>(token >> 32) & 0xffffff,
            static_cast<std::uint32_t>(token)};
  }
};

/// One request to be made.
struct PortRequest {
  bool write = false;
  AccessKind kind = AccessKind::kLoad;
  std::uint64_t address = 0;
  unsigned bytes = 0;
  AccessOwner owner;
  Cycle issue_cycle = 0;
  ReplyToken token;
  std::uint8_t in_turn = 0;  ///< MemExtension::in_turn
  bool kept = false;         ///< MemExtension::kept
};

class MemoryPort : private InitiatorPort::Client {
 public:
  MemoryPort(const MemorySidePlace& place, LaunchCounters& counters);

  /// Room for `requests` more in the data cache's miss queue.
  bool can_push(unsigned kernel_slot, unsigned requests) const {
    // What waits for the link has not left the queue.
    return queue_.call([&](MissQueue& queue) { return queue.can_push(kernel_slot, requests + late_); });
  }
  /// MissQueue::limits_instructions() and admits().
  bool limits_instructions() const {
    return queue_.call([](MissQueue& queue) { return queue.limits_instructions(); });
  }
  bool admits(unsigned kernel_slot) const {
    return queue_.call([&](MissQueue& queue) { return queue.admits(kernel_slot); });
  }
  /// No room for another store or reduction with its data.
  bool store_buffer_full() const { return stores_waiting_ >= store_buffer_entries_; }
  /// Queues a request of the data cache; requires can_push(), and !store_buffer_full() for a write of
  /// kAccess.
  void push_data(const PortRequest& request, Cycle now);
  /// Queues a request of a read-only cache; their number is limited by the caches' MSHRs.
  void push_instruction(const PortRequest& request) { instruction_.push(&make(request)); }
  void push_constant(const PortRequest& request) { constant_.push(&make(request)); }
  /// Queues a line of a CTA's state; StateTransfer limits their number.
  void push_state(const PortRequest& request) { state_.push(&make(request)); }

  /// The oldest response that reached this block before the present edge, or nullptr.
  tlm::tlm_generic_payload* response(Cycle now) const;
  /// Counts the response and lets go of it. An error is reported unless it is `of_no_use` to anybody.
  void take_response(Cycle now, bool of_no_use = false);
  struct Recall {
    std::uint64_t address = 0;
    std::uint32_t launch = 0;  ///< that needed the room, as LaunchCounters takes it
  };
  /// Takes a response of kRecall, and says that there may be one more.
  Recall take_recall();
  bool has_responses() const { return !inbox_.empty(); }

  /// Sends at most one request. True if one of the miss queue left, so that there is room again.
  bool commit(Cycle now);
  /// Next edge with something to do; kNever when only responses or link_free bring work.
  Cycle next_work(Cycle now) const;
  /// As those of MemorySide.
  void step_ahead(const AheadPlace& place) { ahead_.emplace(place); }
  bool send(Cycle now);
  Cycle next_send(Cycle now) const;
  bool waits_for_link() const { return waits_for_link_; }

  /// Nothing queued and nothing unanswered.
  bool idle() const { return unanswered_ == 0; }

  /// Of requests made from now on; 0: they name none.
  void set_page_table(std::uint16_t context, std::uint64_t root) {
    context_ = context;
    page_table_ = root;
  }
  std::uint64_t page_table() const { return page_table_; }
  /// Called with a request to a page that is not mapped.
  std::function<void(const tlm::tlm_generic_payload&)> on_page_fault;

  tlm::tlm_initiator_socket<>& socket() { return port_.socket; }
  void stats(StatVisitor& v) const {
    queue_.call([&](MissQueue& queue) { queue.stats(v); });
  }

 private:
  void link_free(InitiatorPort& port) override;
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  Transaction& make(const PortRequest& request);
  /// Sees to it that the L2 can recall what is kept of the line at `address`.
  void listen(std::uint64_t address, std::uint32_t launch);
  void open_recall(std::uint64_t address, unsigned bank, std::uint32_t launch);
  void report(const tlm::tlm_generic_payload& failed, const MemExtension& ext);

  struct Arrival {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint64_t instant = 0;
    Cycle visible = 0;  // with ahead_: from which edge on
  };
  /// Committed, to be sent when the device comes to that edge.
  struct Departure {
    Transaction* request;
    Cycle edge;
  };
  /// The link can take a request at edge `now`, as far as is known.
  bool link_open(Cycle now) const;
  bool link_ready() const;
  bool anything_queued() const;
  Cycle next_request(Cycle now) const;

  TransactionPool pool_;  // before what holds its transactions
  InitiatorPort port_;
  [[noreturn]] void broken_contract(const std::string& rule, Cycle now) const;
  /// Set in the tokens of requests that are in the miss queue.
  static constexpr std::uint64_t kInMissQueue = std::uint64_t{1} << 63;

  PolicySlot<MissQueue> queue_;
  GrowingRing<Transaction*> instruction_;
  GrowingRing<Transaction*> constant_;
  GrowingRing<Transaction*> state_;
  GrowingRing<Transaction*> recalls_;  // reads that wait to be opened
  GrowingRing<Arrival> inbox_;
  GrowingRing<Departure> outbox_;  // with ahead_
  LaunchCounters& counters_;
  std::function<void()> wake_;
  std::uint16_t sm_id_;
  std::uint16_t context_ = 0;     // whose page_table_ it is
  std::uint64_t page_table_ = 0;  // 0: addresses are not translated
  unsigned store_buffer_entries_;
  unsigned stores_waiting_ = 0;
  static constexpr std::uint64_t kLongAgo = ~std::uint64_t{0};
  std::uint64_t freed_at_ = kLongAgo;  // instant of the last END_REQ that had been withheld
  std::optional<AheadPlace> ahead_;
  unsigned late_ = 0;               // of the oldest in outbox_: the device has come past their edges
  bool waits_for_link_ = false;     // since the last commit
  std::uint64_t unanswered_ = 0;    // requests made and not yet taken back as responses, but for recalls
  const unsigned recalls_at_once_;  // SmBacking
  const AddressMap* const map_;
  std::vector<bool> listens_;  // [bank]
};

}  // namespace warpvp
