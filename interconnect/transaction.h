#pragma once
// Memory transactions: the TLM-2.0 generic payload, the one ignorable extension that carries what the model
// adds, and the pool that makes both at once.
//
// Values and time are separate in this model: the values of kernels live in DeviceMemory and are touched when
// an instruction issues; a timed transaction carries address and size. Its data pointer names a scratch
// buffer inside the pooled object, so that a third party's memory, which may copy data, binds unaltered.

#include <cassert>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <typeinfo>
#include <vector>

namespace warpvp {

/// Why an access was made.
enum class AccessKind : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kInstruction,
  kConstant,
  kLocal,
  kCommand,
  kCopy,
  kTranslation,  ///< of a page: by a TLB, or of page tables
  kState,        ///< of a CTA that is taken off its SM, or put back
  kRecall        ///< of lines from an L1: stays unanswered until there is one (modules/l2/recalls.h)
};

/// What the model adds to a payload. Ignorable: a module that does not know it forwards it untouched.
struct MemExtension : tlm::tlm_extension<MemExtension> {
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr unsigned kMaxHops = 4;

  std::uint16_t kernel_slot = kNone;  ///< slot of the work distributor
  std::uint16_t context = 0;
  std::uint16_t sm = kNone;
  std::uint16_t warp = kNone;
  std::uint32_t launch = 0xffffffffu;  ///< launch id, the key of per-kernel statistics
  AccessKind kind = AccessKind::kLoad;
  std::uint8_t dram_accesses = 0;  ///< 0 L2 hit, 1 miss with clean victim, 2 with dirty victim (CCBP 6.3)
  bool kept = false;               ///< the requester keeps the line in a cache of its own
  bool seen_later = false;         ///< the requester sees the answer L2Place::reply_edges later than it comes
  std::uint8_t in_turn = 0;        ///< of an atomic: lanes on the fullest words of its sectors; 0: not known
  std::uint64_t issue_cycle = 0;   ///< SM cycle at which the instruction issued
  std::uint64_t token = 0;         ///< private to the initiator (which MSHR, which instruction)
  std::uint64_t page_table = 0;    ///< root of the page tables by which the address is translated; 0: none

  /// Ports by which interconnects on the way were entered, so that responses find their way back.
  std::uint16_t route[kMaxHops] = {};
  std::uint8_t hops = 0;
  void push_port(unsigned port) {
    assert(hops < kMaxHops);
    route[hops++] = static_cast<std::uint16_t>(port);
  }
  unsigned pop_port() {
    assert(hops > 0);
    return route[--hops];
  }

  tlm::tlm_extension_base* clone() const override { return new MemExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const MemExtension&>(other);
  }
  /// The payload's extension, or nullptr.
  static MemExtension* find(const tlm::tlm_generic_payload& payload);
  /// The payload's extension; when it has none (a third party's initiator), attaches a fresh one.
  static MemExtension& of(tlm::tlm_generic_payload& payload) {
    MemExtension* const ext = find(payload);
    return ext ? *ext : attach(payload);
  }

 private:
  static MemExtension& attach(tlm::tlm_generic_payload& payload);
};

/// A pooled payload with its extension and scratch data.
class Transaction final : public tlm::tlm_generic_payload {
 public:
  static constexpr unsigned kScratchBytes = 128;
  MemExtension ext;
  alignas(16) unsigned char scratch[kScratchBytes] = {};

  /// Gives it data of any length to carry, and that length. They stay what they are until the transaction is
  /// free, as the protocol demands of a request's data: its initiator may forget it earlier than those who
  /// pass it on.
  void carry(std::vector<unsigned char> data);

  /// The pooled transaction that the payload is, or nullptr.
  static Transaction* find(tlm::tlm_generic_payload& payload) {
    return &typeid(payload) == &typeid(Transaction) ? static_cast<Transaction*>(&payload) : nullptr;
  }
  /// Where it is, for the account of what is unanswered (interconnect/outstanding.h). InitiatorPort keeps it.
  struct Whereabouts {
    const sc_core::sc_object* link = nullptr;  ///< the socket over which it was last sent; nullptr: not yet
    sc_dt::uint64 made = 0;                    ///< when it was made
    std::uint8_t links = 0;                    ///< over which it was sent and no answer has come
    bool came_back = false;                    ///< `link` has answered
  };
  Whereabouts whereabouts;
  void left_over(const sc_core::sc_object& link) {
    whereabouts.link = &link;
    whereabouts.came_back = false;
    ++whereabouts.links;
  }
  void came_back_over(const sc_core::sc_object& link) {
    whereabouts.link = &link;
    whereabouts.came_back = true;
    if (whereabouts.links != 0) --whereabouts.links;
  }

 private:
  friend class TransactionPool;
  explicit Transaction(tlm::tlm_mm_interface* pool);
  std::vector<unsigned char> carried_;
};

// Most payloads are ours and carry their extension within: no need to search their list of extensions.
inline MemExtension* MemExtension::find(const tlm::tlm_generic_payload& payload) {
  if (&typeid(payload) == &typeid(Transaction))
    return const_cast<MemExtension*>(&static_cast<const Transaction&>(payload).ext);
  return payload.get_extension<MemExtension>();
}

/// Makes transactions and takes them back when their reference count falls to zero. One pool per initiator
/// block, of which it is an object: by walking the platform all pools are found, and so what has not been
/// answered yet (interconnect/outstanding.h). A pool outlives its transactions in flight.
class TransactionPool : public tlm::tlm_mm_interface, public sc_core::sc_object {
 public:
  TransactionPool() : sc_object(sc_core::sc_gen_unique_name("transactions")) {}
  TransactionPool(const TransactionPool&) = delete;
  ~TransactionPool() override;

  /// A transaction with reference count 1, ready to send: no byte enables, streaming width = length, response
  /// TLM_INCOMPLETE, extension reset. `bytes` at most Transaction::kScratchBytes; release() it when done.
  Transaction& make(tlm::tlm_command command, std::uint64_t address, unsigned bytes);
  void free(tlm::tlm_generic_payload* payload) override;
  std::size_t in_flight() const { return all_.size() - free_.size(); }

  /// Those in flight and those that are free.
  const std::vector<std::unique_ptr<Transaction>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> free_;
};

}  // namespace warpvp
