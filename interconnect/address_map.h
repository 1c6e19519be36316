#pragma once
// Which L2 bank serves a device address, and which DRAM channel serves a bank.
//
// Device addresses are dealt to banks in chunks of `interleave_bytes`. Neighbouring banks share a channel
// when there are more banks than channels. Payloads carry device addresses all the way; a bank indexes its
// sets with `bank_local` and a channel its rows with `channel_local`, both dense, so that all sets and rows
// are used. Any number of banks is allowed. All mappings are bijections.

#include <cstdint>

#include "base/fields.h"

namespace warpvp {

struct AddressMapConfig {
  std::uint32_t banks = 16;
  std::uint32_t channels = 16;
  std::uint32_t interleave_bytes = 256;
  std::string hash = "xor";

  void fields(FieldVisitor& v);
};

class AddressMap {
 public:
  explicit AddressMap(const AddressMapConfig& config);

  const AddressMapConfig& config() const { return config_; }
  unsigned banks() const { return config_.banks; }
  unsigned channels() const { return config_.channels; }
  unsigned banks_per_channel() const { return banks_per_channel_; }

  /// L2 bank of a device address.
  unsigned bank_of(std::uint64_t address) const {
    const std::uint64_t chunk = address >> shift_;
    const std::uint64_t upper = chunk / config_.banks;
    return place(static_cast<unsigned>(chunk - upper * config_.banks), upper);
  }
  /// Address within its bank: the banks' local spaces are dense.
  std::uint64_t bank_local(std::uint64_t address) const {
    const std::uint64_t upper = (address >> shift_) / config_.banks;
    return upper << shift_ | (address & (config_.interleave_bytes - 1));
  }
  /// DRAM channel behind a bank: neighbouring banks share one.
  unsigned channel_of_bank(unsigned bank) const { return bank / banks_per_channel_; }
  /// Which of the banks of its channel a bank is, 0 .. banks_per_channel()-1.
  unsigned port_of_bank(unsigned bank) const { return bank % banks_per_channel_; }
  unsigned channel_of(std::uint64_t address) const { return channel_of_bank(bank_of(address)); }
  /// Address within its channel: the banks that share the channel take turns chunk by chunk.
  std::uint64_t channel_local(std::uint64_t address) const {
    const std::uint64_t upper = (address >> shift_) / config_.banks;
    return (upper * banks_per_channel_ + port_of_bank(bank_of(address))) << shift_ |
           (address & (config_.interleave_bytes - 1));
  }
  /// Inverse of (bank_of, bank_local).
  std::uint64_t device_address(unsigned bank, std::uint64_t bank_local) const;

 private:
  // The slot `position` of row `upper` of chunks lies in this bank. The hash permutes each row: by XOR for a
  // power of two of banks, else by rotation.
  unsigned place(unsigned position, std::uint64_t upper) const {
    if (!hashed_) return position;
    const unsigned key = fold(upper);
    if (power_of_two_) return position ^ key;
    const unsigned sum = position + key;
    return sum >= config_.banks ? sum - config_.banks : sum;
  }
  // XOR of the upper bits in groups as wide as a bank number, below the number of banks.
  unsigned fold(std::uint64_t upper) const {
    std::uint64_t key = 0;
    for (; upper; upper >>= bits_) key ^= upper;
    key &= (std::uint64_t{1} << bits_) - 1;
    return static_cast<unsigned>(key >= config_.banks ? key - config_.banks : key);
  }

  AddressMapConfig config_;
  unsigned shift_ = 0;
  unsigned bits_ = 1;
  unsigned banks_per_channel_ = 1;
  bool hashed_ = false;
  bool power_of_two_ = true;
};

}  // namespace warpvp
