#include "modules/sm/execute/product_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace warpvp {
namespace {

using ptx::OpClass;

struct ElementType {
  const char* word;
  OpClass op_class;
  std::uint32_t TensorConfig::*rate;
};
constexpr ElementType kTypes[] = {{"f16", OpClass::kTensorHalf, &TensorConfig::half},
                                  {"tf32", OpClass::kTensorSingle, &TensorConfig::single},
                                  {"f64", OpClass::kTensorDouble, &TensorConfig::dual},
                                  {"s8", OpClass::kTensorByte, &TensorConfig::byte},
                                  {"e4m3", OpClass::kTensorFloat8, &TensorConfig::float8},
                                  {"s4", OpClass::kTensorNibble, &TensorConfig::nibble},
                                  {"b1", OpClass::kTensorBit, &TensorConfig::bit}};

/// Multiply-adds of a shape, "m16n8k16"; 0: it is none.
std::uint64_t multiply_adds(const std::string& shape) {
  unsigned m = 0, n = 0, k = 0;
  int end = 0;
  if (std::sscanf(shape.c_str(), "m%4un%4uk%4u%n", &m, &n, &k, &end) != 3 ||
      static_cast<std::size_t>(end) != shape.size())
    return 0;
  return std::uint64_t{m} * n * k;
}

/// Is that of products: a power of two that Inst::access_bytes can have.
bool is_size(std::uint64_t multiply_adds) {
  return multiply_adds > 1 && (multiply_adds & (multiply_adds - 1)) == 0 && multiply_adds <= 1u << 16;
}

}  // namespace

void ProductTime::fields(FieldVisitor& v) {
  std::vector<std::string> types;
  for (const ElementType& t : kTypes) types.emplace_back(t.word);
  v.field("shape", shape, "As in PTX, m16n8k16. Products of as many multiply-adds count as the same.");
  v.field("type", type,
          "Of the elements: f16 stands for bf16, s8 and s4 for unsigned ones, e4m3 for all floats of 8 bits.",
          Constraint::words(types));
  v.field("sparse", sparse, "It is one of mma.sp.");
  v.field("interval", interval, "cycles",
          "For which it occupies the unit. Fractions of 1/64 count: over many products the mean is this.",
          Constraint::range(1, 4096));
  v.field("latency", latency, "cycles", "From issue to the earliest issue of a dependent instruction.",
          Constraint::range(1, 4096));
  v.require(
      is_size(multiply_adds(shape)), "shape",
      fmt::format("'{}' is no shape; allowed: mMnNkK of as many multiply-adds as a power of two, at most "
                  "65536",
                  shape.substr(0, 80)));
  v.require(!type.empty(), "type", "is missing; allowed: " + fmt::format("{}", fmt::join(types, ", ")));
  v.require(interval >= 1, "interval", "is missing or below a cycle; allowed: a number from 1 to 4096");
  v.require(latency >= 1, "latency", "is missing; allowed: a whole number from 1 to 4096");
}

std::uint8_t ProductTime::size() const {
  const std::uint64_t all = multiply_adds(shape);
  const auto log = static_cast<std::uint8_t>(__builtin_ctzll(sparse ? all / 2 : all));
  return sparse ? log | ptx::kSparseProduct : log;
}

OpClass ProductTime::op_class() const {
  return std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return type == t.word; })
      ->op_class;
}

void TensorConfig::fields(FieldVisitor& v) {
  const Constraint c = Constraint::range(1, 1 << 20);
  v.field("half", half, "multiply-adds/cycle", "Of f16 and bf16.", c);
  v.field("single", single, "multiply-adds/cycle", "Of tf32.", c);
  v.field("dual", dual, "multiply-adds/cycle", "Of f64.", c);
  v.field("byte", byte, "multiply-adds/cycle", "Of 8-bit integers.", c);
  v.field("float8", float8, "multiply-adds/cycle", "Of 8-bit floats.", c);
  v.field("nibble", nibble, "multiply-adds/cycle", "Of 4-bit integers.", c);
  v.field("bit", bit, "multiply-adds/cycle", "Of single bits.", c);
  v.field("least", least, "cycles", "Cycles that a product, however small, occupies the unit for.",
          Constraint::range(1, 64));
  v.field("queue", queue, "instructions", "Matrix products that may wait in collectors for the unit.",
          Constraint::range(0, 16));
  v.records(
      "products", "products", product_files,
      [this](const std::string& name, const std::string& place, FieldVisitor& record) {
        ProductTime time;
        time.fields(record);
        if (time.type.empty()) return;  // a visitor that documents
        for (const auto& [other, its] : products)
          if (its.op_class() == time.op_class() && its.size() == time.size())
            throw InputError(
                fmt::format("{}: '{}' is of the same type and as many multiply-adds as '{}'; "
                            "allowed: one record for them",
                            place, name, other));
        products.emplace_back(name, time);
      },
      "Times of products that are not what the rates above say, shape by shape.");
}

ProductTimes::ProductTimes(const TensorConfig& config, std::uint32_t latency) {
  for (const auto& [word, c, rate] : kTypes) {
    const std::uint32_t a_cycle = config.*rate;
    for (std::uint8_t size = 0; size < kSizes; ++size) {
      const std::uint32_t cycles = std::max(config.least, ((1u << size) + a_cycle - 1) / a_cycle);
      times_[place(c, size)] =
          times_[place(c, size | ptx::kSparseProduct)] = {cycles * kParts, latency + cycles};
    }
  }
  for (const auto& [name, time] : config.products)
    times_[place(time.op_class(), time.size())] = {
        static_cast<std::uint32_t>(std::lround(time.interval * kParts)), time.latency};
}

}  // namespace warpvp
