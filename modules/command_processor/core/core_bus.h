#pragma once
// The bus as a 32-bit core sees it (interconnect/register_map.h, namespace core): register bus at the same
// addresses, and four apertures into the 64-bit address space. Local memory is the core's own affair.

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "interconnect/register_map.h"

namespace warpvp {

class CoreBus : public sc_core::sc_module {
 public:
  /// One access, for fault messages.
  struct Access {
    std::uint32_t address = 0;  ///< as the core sees it
    std::uint64_t bus_address = 0;
    std::uint32_t value = 0;
    bool write = false;
    bool ok = true;
    sc_core::sc_time at;
  };

  explicit CoreBus(sc_core::sc_module_name name);

  tlm_utils::simple_initiator_socket<CoreBus> socket;

  /// Aperture `i` shows bus addresses from `base` on.
  void set_aperture(unsigned i, std::uint64_t base) { apertures_[i] = base; }
  /// The bus address that the core's `address` stands for; false: nothing is there.
  bool translate(std::uint32_t address, std::uint64_t& bus_address) const;

  /// A load or store of 1, 2 or 4 bytes, naturally aligned, or a burst of words, performed now. Takes no time itself: the caller
  /// waits `delay`. Anything but TLM_OK_RESPONSE means that nothing happened.
  tlm::tlm_response_status access(bool write, std::uint32_t address, void* data, unsigned bytes,
                                  sc_core::sc_time& delay);
  /// The same through the debug path: no time, no side effects. Returns the bytes done.
  unsigned debug(bool write, std::uint32_t address, void* data, unsigned bytes);

  std::uint64_t accesses() const { return accesses_; }
  /// The last accesses to device registers (apertures and console left out), oldest first; at most kRemembered.
  std::vector<Access> recent() const;
  static constexpr unsigned kRemembered = 8;
  /// Names a bus address, as "WORK_DISTRIBUTOR.SLOT_STATUS[3]"; set by whoever knows the register blocks.
  std::function<std::string(std::uint64_t bus_address)> name_of;
  /// One line for each of recent().
  std::string describe_recent() const;

 private:
  std::array<std::uint64_t, regmap::sysctl::kApertureCount> apertures_;
  std::array<Access, kRemembered> recent_;
  std::uint64_t remembered_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace warpvp
