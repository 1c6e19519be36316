#pragma once
// A block of memory-mapped registers, declared once. From the declaration come the decoder that a module puts
// behind its register socket, with the TLM response for everything it forbids, the Markdown of
// docs/register-map.md and the C header that firmware includes.
//
// An access may span several consecutive registers (a burst that writes a whole kernel status register); it
// must cover each of them whole (or, where a register allows it, a half). It is checked completely before any
// part of it takes effect.

#include <cstdint>
#include <functional>
#include <string>
#include <tlm>
#include <vector>

#include "interconnect/register_spec.h"

namespace warpvp {

/// A window that takes one record whole, as one burst (launch window, completion mailbox). Write only.
struct MailboxSpec {
  std::string name;
  std::uint64_t offset = 0;
  unsigned bytes = 8;  ///< the only accepted access size
  std::string doc;
  std::function<void(const unsigned char* record)> deliver = {};
};

class RegisterBlock {
 public:
  using Id = unsigned;

  /// `bytes`: size of the block's window. `title` and `doc` head its section of the register map.
  RegisterBlock(std::string title, std::uint64_t bytes, std::string doc);

  /// Adds a register; throws std::logic_error when it overlaps another or leaves the window.
  Id add(RegisterSpec spec);
  void add(MailboxSpec spec);

  std::uint64_t size() const { return bytes_; }
  const std::string& title() const { return title_; }
  /// The stored value, as the module itself sees it (no hooks).
  std::uint64_t get(Id id, unsigned index = 0) const { return registers_[id].values[index]; }
  void set(Id id, std::uint64_t value, unsigned index = 0) { registers_[id].values[index] = value; }

  /// Performs the payload's access; its address is an offset into the block. Responses: address error (no
  /// register there), command error (access the declaration forbids), generic error (write that is refused at
  /// present), burst error (size or alignment), byte enable error. Takes no time.
  void transport(tlm::tlm_generic_payload& payload);
  /// Debug access: reads without side effects, also of what may not be read otherwise; writes nothing.
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  /// The block's section of docs/register-map.md. `base`: bus address of the first instance; `instances` and
  /// `stride`: how often the block is there.
  std::string markdown(std::uint64_t base, unsigned instances = 1, std::uint64_t stride = 0) const;
  /// C preprocessor definitions of the addresses, each with its meaning: PREFIX_NAME, or PREFIX_NAME(n) where
  /// there are several, and PREFIX_NAME_AT, its offset within one of them.
  std::string c_header(const std::string& prefix, std::uint64_t base, unsigned instances = 1,
                       std::uint64_t stride = 0) const;
  const std::vector<MailboxSpec>& mailboxes() const { return mailboxes_; }
  /// Calls `visit(const RegisterSpec&)` for each register.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Register& r : registers_) visit(r.spec);
  }
  /// What lies at an offset: "CONTROL", "Q_STATE[3]", "SIGNAL+4"; empty: nothing.
  std::string name_of(std::uint64_t offset) const;

 private:
  struct Register {
    RegisterSpec spec;
    std::vector<std::uint64_t> values;
  };
  struct Hit {
    Id id = 0;
    unsigned index = 0;  // of the value: element * repeat + place in the row
    unsigned skew = 0;   // bytes into the value
  };
  bool find(std::uint64_t offset, Hit& hit) const;
  /// Bytes that an access of [at, end) takes of the register at `hit`; 0: it may not be cut that way.
  unsigned step(const Hit& hit, std::uint64_t at, std::uint64_t end) const;
  const MailboxSpec* mailbox_at(std::uint64_t offset) const;
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  std::uint64_t read_value(const Hit& hit) const;
  void take(const std::string& name, std::uint64_t offset, std::uint64_t bytes);

  std::string title_;
  std::uint64_t bytes_;
  std::string doc_;
  std::vector<bool> taken_;  // by word of four bytes, up to the last one that anything has
  std::vector<Register> registers_;
  std::vector<MailboxSpec> mailboxes_;
};

}  // namespace warpvp
