#pragma once
// What DARSIE's structures take, in bits (Yeh's thesis, section 7.7.4).

#include <cstdint>

namespace warpvp::darsie {

struct HardwareCost {
  std::uint32_t ctas = 32;  ///< of an SM
  std::uint32_t warps_per_cta = 32;
  std::uint32_t table_entries = 8;    ///< of a CTA
  std::uint32_t rename_entries = 32;  ///< of a CTA
  std::uint32_t pc_bits = 48, name_bits = 8, tag_bits = 8, version_bits = 5;

  /// PC, the mask of the warps that wait, IsLoad, LeaderWB.
  std::uint64_t table_entry_bits() const { return pc_bits + warps_per_cta + 1 + 1; }
  std::uint64_t table_bits() const { return table_entry_bits() * table_entries * ctas; }
  std::uint64_t path_bits() const { return std::uint64_t{warps_per_cta} * ctas; }
  /// The name that the program has, the physical register, the version.
  std::uint64_t rename_entry_bits() const { return name_bits + tag_bits + version_bits; }
  std::uint64_t rename_bits() const { return rename_entry_bits() * rename_entries * ctas; }
  std::uint64_t total_bytes() const { return (table_bits() + path_bits() + rename_bits()) / 8; }
};

}  // namespace warpvp::darsie
