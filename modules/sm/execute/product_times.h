#pragma once
// How long the tensor unit of a sub-core takes for products of matrices: by rate, or shape by shape as
// somebody has measured it.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "ptx/program.h"

namespace warpvp {

/// What a product of one shape and type takes: a record of `sm.tensor_unit.products`.
struct ProductTime {
  std::string shape, type;
  bool sparse = false;
  double interval = 0;        ///< cycles for which it occupies the unit, which may have a fraction
  std::uint32_t latency = 0;  ///< cycles from issue to the earliest issue of a dependent instruction

  void fields(FieldVisitor& v);
  /// As Inst::access_bytes of such a product has it; nothing but a power of two is allowed.
  std::uint8_t size() const;
  ptx::OpClass op_class() const;
};

/// Rate of the tensor unit of a sub-core. The defaults are those of an A100: its whitepaper ("NVIDIA A100
/// Tensor Core GPU Architecture", table 3 and "A100 SM") has four times as much for an SM.
struct TensorConfig {
  std::uint32_t half = 256, single = 128, dual = 16, byte = 512, float8 = 512, nibble = 1024, bit = 4096;
  std::uint32_t least = 1, queue = 2;
  std::vector<PathValue> product_files;
  std::vector<std::pair<std::string, ProductTime>> products;  ///< by name, in the order of writing

  void fields(FieldVisitor& v);
};

/// The same, to look up.
class ProductTimes {
 public:
  /// Parts of a cycle in which intervals are counted.
  static constexpr std::uint32_t kParts = 64;
  struct Time {
    std::uint32_t interval = 0;  ///< parts of cycles
    std::uint32_t latency = 0;   ///< cycles, from the start on the unit
  };

  /// `latency`: LatencyConfig::tensor, for products that only have a rate.
  ProductTimes(const TensorConfig& config, std::uint32_t latency);
  const Time& of(const ptx::Inst& product) const {
    return times_[place(product.op_class, product.access_bytes)];
  }

 private:
  static constexpr unsigned kSizes = 17, kClasses = static_cast<unsigned>(ptx::OpClass::kCount);
  static constexpr std::size_t place(ptx::OpClass c, std::uint8_t size) {
    const bool sparse = (size & ptx::kSparseProduct) != 0;
    return (static_cast<std::size_t>(c) * 2 + sparse) * kSizes + (size & ~ptx::kSparseProduct);
  }
  std::array<Time, std::size_t{kClasses} * 2 * kSizes> times_{};
};

}  // namespace warpvp
