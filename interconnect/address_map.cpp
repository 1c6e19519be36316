#include "interconnect/address_map.h"

#include "base/error.h"

namespace warpvp {

void AddressMapConfig::fields(FieldVisitor& v) {
  v.field("banks", banks, "", "L2 banks; a multiple of the channels.", Constraint::range(1, 4096));
  v.field("channels", channels, "", "DRAM channels.", Constraint::range(1, 4096));
  v.field("interleave_bytes", interleave_bytes, "B", "Bytes given to one bank before the next one's turn.",
          Constraint::pow2(128, 1 << 20));
  v.field(
      "hash", hash,
      "How upper address bits move chunks among banks: 'xor' spreads strides that are multiples of the bank "
      "count (a rotation when the banks are no power of two), 'none' deals chunks in plain order.",
      Constraint::words({"none", "xor"}));
  v.require(channels >= 1 && banks % channels == 0, "banks", "must be a multiple of channels");
}

AddressMap::AddressMap(const AddressMapConfig& config) : config_(config) {
  if (config.banks == 0 || config.channels == 0 || config.banks % config.channels != 0)
    throw InputError("address map: banks must be a multiple of channels, both at least 1");
  while ((1u << shift_) < config.interleave_bytes) ++shift_;
  if ((1u << shift_) != config.interleave_bytes)
    throw InputError("address map: interleave_bytes must be a power of two");
  while ((1u << bits_) < config.banks) ++bits_;
  banks_per_channel_ = config.banks / config.channels;
  power_of_two_ = (config.banks & (config.banks - 1)) == 0;
  hashed_ = config.hash == "xor" && config.banks > 1;
}

std::uint64_t AddressMap::device_address(unsigned bank, std::uint64_t bank_local) const {
  const std::uint64_t upper = bank_local >> shift_;
  unsigned position = bank;
  if (hashed_) {
    const unsigned key = fold(upper);
    position = power_of_two_ ? bank ^ key : (bank >= key ? bank - key : bank + config_.banks - key);
  }
  return (upper * config_.banks + position) << shift_ | (bank_local & (config_.interleave_bytes - 1));
}

}  // namespace warpvp
