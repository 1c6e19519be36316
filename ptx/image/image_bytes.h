#pragma once
// Little-endian numbers into and out of bytes, for kernel images.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/image/kernel_image.h"

namespace warpvp::ptx::image {

/// Appends.
class ByteWriter {
 public:
  void u8(std::uint64_t v) { put(v, 1); }
  void u16(std::uint64_t v) { put(v, 2); }
  void u32(std::uint64_t v) { put(v, 4); }
  void u64(std::uint64_t v) { put(v, 8); }
  void align(std::size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to, 0); }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  void put(std::uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

/// Takes from the front of a section; ImageError where it ends too early.
class ByteReader {
 public:
  ByteReader(const std::uint8_t* begin, std::size_t bytes, const char* what)
      : at_(begin), left_(bytes), what_(what) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(take(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(take(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(take(4)); }
  std::uint64_t u64() { return take(8); }
  bool flag() {
    const std::uint8_t v = u8();
    if (v > 1) fail("a flag that is neither 0 nor 1");
    return v != 0;
  }
  /// A number of things of at least `each` bytes: no more than the section can hold.
  std::uint32_t count(std::size_t each) {
    const std::uint32_t n = u32();
    if (n > left_ / each) fail("a count beyond its end");
    return n;
  }
  std::size_t left() const { return left_; }
  const std::uint8_t* at() const { return at_; }
  void done() const {
    if (left_ != 0) fail("bytes behind its end");
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw ImageError(std::string(what_) + " have " + why);
  }

 private:
  std::uint64_t take(unsigned bytes) {
    if (left_ < bytes) fail("too few bytes");
    std::uint64_t v = 0;
    for (unsigned i = 0; i < bytes; ++i) v |= std::uint64_t{at_[i]} << (8 * i);
    at_ += bytes;
    left_ -= bytes;
    return v;
  }
  const std::uint8_t* at_;
  std::size_t left_;
  const char* what_;
};

}  // namespace warpvp::ptx::image
