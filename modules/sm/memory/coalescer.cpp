#include "modules/sm/memory/coalescer.h"

#include <algorithm>

namespace warpvp {

using ptx::first_lane;
using ptx::kWarpSize;
using ptx::LaneMask;

namespace {
constexpr LaneMask kAllLanes = ~LaneMask{0};
}  // namespace

Coalescer::Coalescer(unsigned line_bytes, unsigned sector_bytes, bool whole_warp)
    : line_bytes_(line_bytes), whole_warp_(whole_warp) {
  while ((1u << line_shift_) < line_bytes) ++line_shift_;
  while ((1u << sector_shift_) < sector_bytes) ++sector_shift_;
}

LineAccess Coalescer::first_of(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t line = begin >> line_shift_ << line_shift_;
  const unsigned first = static_cast<unsigned>(begin - line);
  const unsigned last = static_cast<unsigned>(std::min(end, line + line_bytes_) - line);
  return {line, sectors(first, last), 0, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
}

unsigned Coalescer::range(std::uint64_t begin, std::uint64_t end, LineAccess* out) const {
  unsigned count = 0;
  while (begin < end) {
    out[count] = first_of(begin, end);
    begin = out[count].line + out[count].end;
    ++count;
  }
  return count;
}

unsigned Coalescer::group(const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                          LineAccess* out) const {
  unsigned count = 0;
  LineAccess* last = nullptr;
  std::uint64_t highest = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    std::uint64_t begin = address[first_lane(rest)];
    const std::uint64_t end = begin + bytes;
    do {
      const std::uint64_t line = begin >> line_shift_ << line_shift_;
      const std::uint64_t stop = std::min(end, line + line_bytes_);
      const auto first_byte = static_cast<std::uint16_t>(begin - line);
      const auto end_byte = static_cast<std::uint16_t>(stop - line);
      if (!last || last->line != line) {
        last = nullptr;
        // Lines above all seen so far (ascending strides) need no search.
        if (count != 0 && line <= highest)
          for (unsigned i = 0; i < count; ++i)
            if (out[i].line == line) {
              last = &out[i];
              break;
            }
      }
      if (last) {
        last->sectors |= sectors(first_byte, end_byte);
        last->begin = std::min(last->begin, first_byte);
        last->end = std::max(last->end, end_byte);
      } else {
        last = &out[count++];
        *last = {line, sectors(first_byte, end_byte), 0, first_byte, end_byte};
        highest = std::max(highest, line);
      }
      begin = stop;
    } while (begin < end);
  }
  return count;
}

// Of naturally aligned words, as atomics need them.
void Coalescer::count_in_turn(const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                              LineAccess* accesses, unsigned count) const {
  const std::uint64_t word_mask = ~std::uint64_t{std::max(4u, bytes) - 1};
  struct Sector {
    std::uint64_t at;
    unsigned fullest;
  } found[kWarpSize];
  unsigned sectors = 0;
  for (LaneMask rest = lanes; rest;) {
    const std::uint64_t word = address[first_lane(rest)] & word_mask;
    LaneMask same = 0;
    for (LaneMask look = rest; look; look &= look - 1)
      if ((address[first_lane(look)] & word_mask) == word) same |= look & (~look + 1);
    rest &= ~same;
    const std::uint64_t at = word >> sector_shift_;
    unsigned s = 0;
    while (s < sectors && found[s].at != at) ++s;
    if (s == sectors) found[sectors++] = {at, 0};
    found[s].fullest = std::max(found[s].fullest, static_cast<unsigned>(__builtin_popcount(same)));
  }
  for (unsigned s = 0; s < sectors; ++s)
    for (unsigned i = 0; i < count; ++i)
      if (accesses[i].line == found[s].at << sector_shift_ >> line_shift_ << line_shift_)
        accesses[i].in_turn = static_cast<std::uint16_t>(accesses[i].in_turn + found[s].fullest);
}

unsigned Coalescer::global(const std::uint64_t* address, LaneMask lanes, unsigned bytes, LineAccess* out,
                           bool atomic) const {
  const bool together = bytes <= 4 || (whole_warp_ && !atomic);
  const unsigned group_lanes = together ? kWarpSize : std::max(1u, 128 / bytes);
  unsigned count = 0;
  if (lanes == kAllLanes) {
    const std::uint64_t base = address[0];
    if (address[kWarpSize - 1] - base == std::uint64_t{kWarpSize - 1} * bytes) {
      std::uint64_t differs = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        differs |= address[lane] - base - std::uint64_t{lane} * bytes;
      if (differs == 0) {
        for (unsigned lane = 0; lane < kWarpSize; lane += group_lanes)
          count += range(base + std::uint64_t{lane} * bytes, base + std::uint64_t{lane + group_lanes} * bytes,
                         out + count);
        if (atomic)  // of words narrower than four bytes several in one
          for (unsigned i = 0; i < count; ++i)
            out[i].in_turn = static_cast<std::uint16_t>(
                static_cast<unsigned>(__builtin_popcount(out[i].sectors)) * std::max(1u, 4 / bytes));
        return count;
      }
    } else if (address[kWarpSize - 1] == base && group_lanes == kWarpSize) {
      std::uint64_t differs = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) differs |= address[lane] ^ base;
      if (differs == 0) {
        count = range(base, base + bytes, out);
        if (atomic) out[0].in_turn = kWarpSize;
        return count;
      }
    }
  }
  if (group_lanes == kWarpSize && !atomic) return group(address, lanes, bytes, out);
  for (unsigned lane = 0; lane < kWarpSize; lane += group_lanes) {
    const LaneMask part = lanes & (kAllLanes >> (kWarpSize - group_lanes)) << lane;
    if (!part) continue;
    const unsigned lines = group(address, part, bytes, out + count);
    if (atomic) count_in_turn(address, part, bytes, out + count, lines);
    count += lines;
  }
  return count;
}

unsigned Coalescer::texels(const ptx::TexelRows& rows, unsigned bytes, LineAccess* out) const {
  const unsigned group_lanes = bytes <= 4 ? kWarpSize : std::max(1u, 128 / bytes);
  unsigned count = 0;
  for (unsigned lane = 0; lane < kWarpSize; lane += group_lanes) {
    const LaneMask part = (kAllLanes >> (kWarpSize - group_lanes)) << lane;
    const unsigned first = count;
    for (unsigned row = 0; row < rows.count; ++row) {
      LineAccess found[2 * kWarpSize];
      const unsigned n = group(rows.address[row], rows.lanes[row] & part, bytes, found);
      for (unsigned i = 0; i < n; ++i) {
        unsigned at = first;
        while (at < count && out[at].line != found[i].line) ++at;
        if (at == count) {
          out[count++] = found[i];
          continue;
        }
        out[at].sectors |= found[i].sectors;
        out[at].begin = std::min(out[at].begin, found[i].begin);
        out[at].end = std::max(out[at].end, found[i].end);
      }
    }
  }
  return count;
}

unsigned Coalescer::local(const std::uint64_t* offset, LaneMask lanes, unsigned bytes, std::uint64_t base,
                          LineAccess* out) const {
  unsigned count = 0;
  std::uint64_t interleaved[kWarpSize];
  for (unsigned done = 0; done < bytes; done += 4) {
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      const std::uint64_t o = offset[lane] + done;
      interleaved[lane] = base + (o / 4 * kWarpSize + lane) * 4 + o % 4;
    }
    count += group(interleaved, lanes, std::min(4u, bytes), out + count);
  }
  return count;
}

unsigned Coalescer::distinct(const std::uint64_t* address, LaneMask lanes, std::uint64_t* out) {
  unsigned count = 0;
  for (LaneMask rest = lanes; rest;) {
    const std::uint64_t value = address[first_lane(rest)];
    out[count++] = value;
    LaneMask others = 0;
    for (LaneMask look = rest; look; look &= look - 1)
      if (address[first_lane(look)] != value) others |= look & (~look + 1);
    rest = others;
  }
  return count;
}

}  // namespace warpvp
