#pragma once
// Transfers that take their time and move no bytes: a payload whose byte enables enable none (IEEE 1666-2011,
// section 14.11: a disabled byte is neither read nor written). For runs that compute nothing
// (`dma.values: false`); who passes such a payload on need not carry data, and who has the memory leaves it
// what it is.

#include <tlm>

namespace warpvp {

/// The payload keeps its length, and its data pointer, which the standard wants there.
inline void disable_bytes(tlm::tlm_generic_payload& payload) {
  static unsigned char none = TLM_BYTE_DISABLED;  // one entry stands for all bytes
  payload.set_byte_enable_ptr(&none);
  payload.set_byte_enable_length(1);
}

/// Made so, by disable_bytes() or by another's one entry.
inline bool moves_no_bytes(const tlm::tlm_generic_payload& payload) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  return enables != nullptr && payload.get_byte_enable_length() == 1 && *enables == TLM_BYTE_DISABLED;
}

}  // namespace warpvp
