#pragma once
// Kernel images: a kernel as bytes in device memory, complete without anything of the host's. The host's
// driver writes them (image_writer.h), the device decodes them (image_reader.h). docs/kernel-images.md has
// the layout field by field.
//
// Little-endian, whatever the host is. The same program gives the same bytes, and every byte of an image has
// one meaning: what is read and written again is the same.
//
//   header    32 bytes
//   table     one entry of 16 bytes for each section, in the order of their kinds
//   sections  one after another in that order, each at a multiple of 8 bytes, zeros between
//
// An image is linked: the addresses in it are those at which its module's variables and its code lie.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpvp::ptx::image {

inline constexpr std::uint32_t kMagic = 0x474d4957;  ///< "WIMG"
/// Changes with every change of the layout, of an opcode's number or of what a field means. A reader takes
/// its own.
inline constexpr std::uint16_t kVersion = 3;
inline constexpr std::uint32_t kHeaderBytes = 32, kEntryBytes = 16, kSectionAlignment = 8;
/// At whose multiples images lie in device memory.
inline constexpr std::uint32_t kAlignment = 256;
/// The longest image.
inline constexpr std::uint32_t kMostBytes = 256u << 20;

/// Header, by offset: magic (u32), version (u16), header bytes (u16), bytes of the image (u32), sections
/// (u32), checksum (u64), zero (u64).
inline constexpr std::uint32_t kTotalAt = 8, kChecksumAt = 16;

enum class Section : std::uint32_t {
  kResources = 1,  ///< what a warp and a CTA need, and where the code lies
  kParameters,     ///< of the kernel, in order
  kConstants,      ///< rows of the constant bank
  kModifiers,      ///< suffixes of instructions, each combination once
  kCode,           ///< instructions
  kBranchTables,   ///< of brx.idx
  kFragments,      ///< rows of the registers of matrix products
  kPresets,        ///< registers with one value for all threads of a launch
  kConstRanges,    ///< where .const variables lie
  kSymbols,        ///< functions: those in the code by name, and where those lie that have an address
  kTexts,          ///< debug: disassembly
  kLines,          ///< debug: source line and text of each instruction
  kStrings,        ///< characters of names and texts
  kEnd
};
inline constexpr std::uint32_t kSections = static_cast<std::uint32_t>(Section::kEnd) - 1;

/// Greatest sizes that a warp may ask for.
inline constexpr std::uint32_t kMostRows = 0xffff, kMostPreds = 0xffff, kMostDepotBytes = 16u << 20,
                               kMostConstantRows = 0x1'0000, kMostParamBytes = 0x8000;

/// Why bytes are no kernel image: one line, without a full stop.
class ImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// FNV-1a over words of 8 bytes (little-endian, the last one filled up with zeros) of [bytes, bytes + size),
/// the checksum's own place counted as zeros.
std::uint64_t checksum(const std::uint8_t* bytes, std::size_t size);

}  // namespace warpvp::ptx::image
