#pragma once
// Address computation, space resolution and checks of memory instructions; shared by memory.cpp and
// atomic.cpp.

#include "ptx/exec/ops/lanes.h"
#include "ptx/exec/store_log.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

enum class AccessKind : unsigned { kLoad, kStore, kAtomic, kCopy };
enum class Reason : unsigned { kBounds, kAlignment, kNull };

/// Static text of a fault.
inline const char* fault_text(AccessKind kind, Space space, Reason reason) {
#define WARPVP_TEXTS(space_name)                                                    \
  {                                                                                 \
    {"out-of-bounds " space_name " load", "misaligned " space_name " load",         \
     space_name " load through a null pointer"},                                    \
        {"out-of-bounds " space_name " store", "misaligned " space_name " store",   \
         space_name " store through a null pointer"},                               \
        {"out-of-bounds " space_name " atomic", "misaligned " space_name " atomic", \
         space_name " atomic through a null pointer"},                              \
    {                                                                               \
      "out-of-bounds " space_name " copy", "misaligned " space_name " copy",        \
          space_name " copy through a null pointer"                                 \
    }                                                                               \
  }
  static constexpr const char* kTexts[5][4][3] = {WARPVP_TEXTS("global"), WARPVP_TEXTS("constant"),
                                                  WARPVP_TEXTS("shared"), WARPVP_TEXTS("local"),
                                                  WARPVP_TEXTS("parameter")};
#undef WARPVP_TEXTS
  unsigned s = 0;
  switch (space) {
    case Space::kConst:
      s = 1;
      break;
    case Space::kShared:
      s = 2;
      break;
    case Space::kLocal:
      s = 3;
      break;
    case Space::kParam:
      s = 4;
      break;
    default:
      break;
  }
  return kTexts[s][static_cast<unsigned>(kind)][static_cast<unsigned>(reason)];
}

/// Addresses below this are reported as null pointers.
constexpr std::uint64_t kNullPage = 0x1'0000;

/// The 32 lanes of one memory access, ready to be moved.
class AccessLanes {
 public:
  /// Computes addresses from src[0] and the offset, resolves and checks; fills the warp's MemoryAccess. False
  /// after a fault. `bytes`: per lane, all vector elements.
  template <Space space>
  bool resolve(const Inst& inst, Warp& w, LaneMask active, unsigned bytes, AccessKind kind) {
    MemoryAccess& out = w.access_for_exec();
    std::uint64_t* a = out.address;
    const std::uint64_t offset = static_cast<std::uint64_t>(inst.offset);
    if (inst.src[0].kind == OperandKind::kNone) {
      const std::uint64_t same = offset + (inst.depot ? w.depot_base() : 0);
      WARPVP_LANES a[i] = same;
    } else if (src_wide(inst, 0)) {
      const Row64* r = source<std::uint64_t>(w, inst.src[0]);
      WARPVP_LANES a[i] = r[i] + offset;
    } else {
      // An address has the width of its register: 32-bit ones wrap.
      const Row32* r = source<std::uint32_t>(w, inst.src[0]);
      const auto low = static_cast<Row32>(offset);
      WARPVP_LANES a[i] = static_cast<Row32>(r[i] + low);
    }
    out.bytes = static_cast<std::uint8_t>(bytes);
    out.store = kind == AccessKind::kStore;
    out.atomic = kind == AccessKind::kAtomic;
    out.async = kind == AccessKind::kCopy;
    out.returns_value = inst.dst_count != 0 && (inst.dst[0].kind != OperandKind::kNone || inst.dst_count > 1);
    out.cache_op = inst.cache_op;
    out.lanes = active;
    out.shared_lanes = 0;
    fill_inactive(a, active);
    if (!check<space>(w, a, active, bytes, kind)) return false;
    // The .param space of device functions lies in the depot too.
    if (space == Space::kLocal) out.space = inst.space;
    if constexpr (space == Space::kGlobal || space == Space::kGeneric || space == Space::kConst)
      if (kind == AccessKind::kLoad || kind == AccessKind::kCopy) see_own_stores(w, active, bytes);
    return true;
  }
  /// The same for addresses already in `a`; fills space and lanes of the warp's MemoryAccess.
  template <Space space>
  bool check(Warp& w, std::uint64_t* a, LaneMask active, unsigned bytes, AccessKind kind) {
    MemoryAccess& out = w.access_for_exec();
    offset_ = a;
    stride_ = 0;
    if constexpr (space == Space::kGlobal || space == Space::kConst) {
      out.space = space;
      return global(w, a, active, bytes, kind, space);
    } else if constexpr (space == Space::kShared) {
      out.space = Space::kShared;
      base_ = reinterpret_cast<std::uintptr_t>(w.cta().shared_data());
      return bounded(w, a, active, bytes, kind, Space::kShared, w.cta().shared_bytes());
    } else if constexpr (space == Space::kLocal) {
      out.space = Space::kLocal;
      base_ = reinterpret_cast<std::uintptr_t>(w.depot_data());
      stride_ = w.depot_stride();
      return bounded(w, a, active, bytes, kind, Space::kLocal, w.depot_stride());
    } else if constexpr (space == Space::kParam) {
      out.space = Space::kParam;
      base_ = reinterpret_cast<std::uintptr_t>(w.cta().param_data());
      return bounded(w, a, active, bytes, kind, Space::kParam, w.cta().param_bytes());
    } else {
      return generic(w, a, active, bytes, kind);
    }
  }

  /// A store that has been resolved. True: it goes to global memory and is put off as a whole. Where stores
  /// of the SM are kept for later instead (ExecEnv::stores), lanes in global memory are given a place there,
  /// and it goes on.
  bool put_off_store(const Inst& inst, Warp& w, LaneMask active, unsigned bytes) {
    ExecEnv& env = w.cta().env();
    env.granted = {};
    if (w.access().space != Space::kGlobal) return false;
    if (env.stores == nullptr || !env.defer_effects) return w.put_off(inst, active);
    keep(w, *env.stores, bytes);
    return false;
  }
  /// A store or atomic that has been resolved: true if some of it goes to global memory and is put off.
  static bool put_off(const Inst& inst, Warp& w, LaneMask active) {
    return w.access().space == Space::kGlobal && w.put_off(inst, active);
  }

  /// Of a load: lanes read what the SM itself has stored and others do not see yet.
  void see_own_stores(Warp& w, LaneMask active, unsigned bytes) {
    ExecEnv& env = w.cta().env();
    OwnStores* const stores = env.stores;
    if (stores == nullptr || (stores->empty() && !stores->journals())) return;
    env.granted = {};
    const MemoryAccess& access = w.access();
    const bool outside = access.space == Space::kGlobal || access.space == Space::kConst;
    const LaneMask there = outside ? access.lanes & active : 0;
    if (there == 0) return;
    // Lanes that are not there have the address of one that is, or lie in shared memory.
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    WARPVP_LANES {
      const std::uint64_t a = access.address[i];
      low = a < low ? a : low;
      high = a > high ? a : high;
    }
    if (stores->journals()) {
      env.grant_load(low, high + bytes);
      if (stores->empty()) return;
    }
    if (stores->within(low, high)) read_from(*stores, w, there, bytes);
  }
  std::byte* host(unsigned lane) const {
    return reinterpret_cast<std::byte*>(base_ + offset_[lane] + lane * std::uintptr_t{stride_});
  }
  /// Whether lane i lies at host(0) + i * element: the access is one block.
  bool contiguous(unsigned element) const {
    if (stride_ != 0) return false;
    std::uint64_t differ = 0;
    const std::uint64_t first = offset_[0];
    WARPVP_LANES differ |= offset_[i] ^ (first + i * std::uint64_t{element});
    return differ == 0;
  }
  bool one_address() const {
    if (stride_ != 0) return false;
    std::uint64_t differ = 0;
    const std::uint64_t first = offset_[0];
    WARPVP_LANES differ |= offset_[i] ^ first;
    return differ == 0;
  }
  /// How half a warp's lanes lie, from `first` on, 0 or kWarpSize / 2. Tiles are often that wide.
  enum class Shape { kApart, kBlock, kOne };
  static constexpr unsigned kHalf = kWarpSize / 2;
  WARPVP_INLINE Shape shape(unsigned first, unsigned element) const {
    if (stride_ != 0) return Shape::kApart;
    const std::uint64_t* const a = offset_ + first;
    const std::uint64_t begin = a[0];
    std::uint64_t block = 0, one = 0;
    for (unsigned i = 0; i < kHalf; ++i) {
      block |= a[i] ^ (begin + i * std::uint64_t{element});
      one |= a[i] ^ begin;
    }
    return block == 0 ? Shape::kBlock : one == 0 ? Shape::kOne : Shape::kApart;
  }

 private:
  __attribute__((noinline)) void keep(Warp& w, OwnStores& stores, unsigned bytes) {
    const MemoryAccess& access = w.access();
    ExecEnv& env = w.cta().env();
    w.note_outside();
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      mixed_[lane] = reinterpret_cast<std::uintptr_t>(host(lane));
      if ((access.lanes >> lane & 1) == 0) continue;
      const std::uint64_t a = access.address[lane];
      low = a < low ? a : low;
      high = a > high ? a : high;
    }
    stores.add(env.cycle, access.address, access.lanes, bytes, mixed_);
    use_mixed();
    if (stores.journals()) env.grant_store(low, high + bytes);
  }
  __attribute__((noinline)) void read_from(OwnStores& stores, Warp& w, LaneMask there, unsigned bytes) {
    ExecEnv& env = w.cta().env();
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      mixed_[lane] = reinterpret_cast<std::uintptr_t>(host(lane));
    stores.find(w.access().address, there, bytes, env.cycle, env.own_data, mixed_);
    use_mixed();
  }
  void use_mixed() {
    base_ = 0;
    offset_ = mixed_;
    stride_ = 0;
  }

  static WARPVP_INLINE void fill_inactive(std::uint64_t* a, LaneMask active) {
    if (active == ~0u) return;
    const std::uint64_t some = a[__builtin_ctz(active)];
    WARPVP_LANES a[i] = ((active >> i) & 1) != 0 ? a[i] : some;
  }

  /// All of [a, a + bytes) inside [begin, begin + size), aligned. Branch-free over the lanes: a sign bit
  /// shows a lane below or beyond, since sizes are far below 2^63.
  static WARPVP_INLINE bool inside(const std::uint64_t* a, std::uint64_t begin, std::uint64_t size,
                                   unsigned bytes) {
    if (size < bytes) return false;
    const std::uint64_t limit = size - bytes;
    std::uint64_t outside = 0, low = 0;
    WARPVP_LANES {
      const std::uint64_t u = a[i] - begin;
      outside |= u | (limit - u);
      low |= a[i];
    }
    return (outside >> 63) == 0 && (low & (bytes - 1)) == 0;
  }

  bool global(Warp& w, const std::uint64_t* a, LaneMask active, unsigned bytes, AccessKind kind,
              Space space) {
    ExecEnv& env = w.cta().env();
    base_ =
        reinterpret_cast<std::uintptr_t>(env.global->host) - static_cast<std::uintptr_t>(env.global->origin);
    if (env.range_generation == env.global->generation() && env.range_context == w.cta().context() &&
        inside(a, env.range.begin, env.range.end - env.range.begin, bytes)) {
      return true;
    }
    return global_slow(w, a, active, bytes, kind, space);
  }
  __attribute__((noinline)) bool global_slow(Warp& w, const std::uint64_t* a, LaneMask active, unsigned bytes,
                                             AccessKind kind, Space space) {
    // Mostly all lanes went to another allocation, together.
    ExecEnv& env = w.cta().env();
    if (env.find_reachable(a[0], w.cta().context(), bytes) && !(env.range_strays && env.stray) &&
        inside(a, env.range.begin, env.range.end - env.range.begin, bytes))
      return true;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (((active >> lane) & 1) != 0 && !global_lane(w, a[lane], lane, bytes, kind, space)) return false;
    }
    return true;
  }
  bool global_lane(Warp& w, std::uint64_t a, unsigned lane, unsigned bytes, AccessKind kind, Space space) {
    ExecEnv& env = w.cta().env();
    Reason reason = Reason::kBounds;
    if (a < kNullPage) {
      reason = Reason::kNull;
    } else if ((a & (bytes - 1)) != 0) {
      reason = Reason::kAlignment;
    } else {
      const bool cached = env.range_generation == env.global->generation() &&
                          env.range_context == w.cta().context() && a >= env.range.begin &&
                          a < env.range.end && env.range.end - a >= bytes;
      if (cached || env.find_reachable(a, w.cta().context(), bytes)) {
        if (env.range_strays && env.stray) tell_of_stray(w, a, lane, bytes, kind, space);
        return true;
      }
    }
    w.fault(fault_text(kind, space, reason), static_cast<int>(lane), a, bytes);
    return false;
  }
  static void tell_of_stray(Warp& w, std::uint64_t a, unsigned lane, unsigned bytes, AccessKind kind,
                            Space space) {
    ExecFault access;
    access.what = fault_text(kind, space, Reason::kBounds);
    access.address = a;
    access.has_address = true;
    access.lane = static_cast<int>(lane);
    access.bytes = bytes;
    w.cta().env().stray(w, access);
    w.cta().env().stray = nullptr;
  }

  bool bounded(Warp& w, const std::uint64_t* a, LaneMask active, unsigned bytes, AccessKind kind, Space space,
               std::uint64_t size) {
    if (inside(a, 0, size, bytes)) return true;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (((active >> lane) & 1) != 0 && !bounded_lane(w, a[lane], lane, bytes, kind, space, size))
        return false;
    }
    return true;
  }
  static bool bounded_lane(Warp& w, std::uint64_t a, unsigned lane, unsigned bytes, AccessKind kind,
                           Space space, std::uint64_t size) {
    if (a > size || size - a < bytes) {
      w.fault(fault_text(kind, space, Reason::kBounds), static_cast<int>(lane), a, bytes);
      return false;
    }
    if ((a & (bytes - 1)) != 0) {
      w.fault(fault_text(kind, space, Reason::kAlignment), static_cast<int>(lane), a, bytes);
      return false;
    }
    return true;
  }

  bool generic(Warp& w, std::uint64_t* a, LaneMask active, unsigned bytes, AccessKind kind) {
    ExecEnv& env = w.cta().env();
    MemoryAccess& out = w.access_for_exec();
    out.space = Space::kGlobal;
    base_ =
        reinterpret_cast<std::uintptr_t>(env.global->host) - static_cast<std::uintptr_t>(env.global->origin);
    if (env.range_generation == env.global->generation() && env.range_context == w.cta().context() &&
        inside(a, env.range.begin, env.range.end - env.range.begin, bytes)) {
      return true;
    }
    return generic_slow(w, a, active, bytes, kind);
  }
  __attribute__((noinline)) bool generic_slow(Warp& w, std::uint64_t* a, LaneMask active, unsigned bytes,
                                              AccessKind kind) {
    MemoryAccess& out = w.access_for_exec();
    LaneMask shared = 0, local = 0, param = 0;
    for (unsigned i = 0; i < kWarpSize; ++i) {
      shared |= static_cast<LaneMask>(a[i] - kSharedWindow < kWindowBytes) << i;
      local |= static_cast<LaneMask>(a[i] - kLocalWindow < kWindowBytes) << i;
      param |= static_cast<LaneMask>(a[i] - kParamWindow < kWindowBytes) << i;
    }
    if (shared == ~0u) {
      WARPVP_LANES a[i] -= kSharedWindow;
      return check<Space::kShared>(w, a, active, bytes, kind);
    }
    if (local == ~0u) {
      WARPVP_LANES a[i] -= kLocalWindow;
      return check<Space::kLocal>(w, a, active, bytes, kind);
    }
    if (param == ~0u && kind == AccessKind::kLoad) {
      WARPVP_LANES a[i] -= kParamWindow;
      return check<Space::kParam>(w, a, active, bytes, kind);
    }
    if ((shared | local | param) == 0) return global_slow(w, a, active, bytes, kind, Space::kGlobal);

    // Several spaces at once: a host address for each lane.
    Cta& cta = w.cta();
    const std::uintptr_t global_base = base_;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const LaneMask bit = 1u << lane;
      const bool takes_part = (active & bit) != 0;
      std::uintptr_t host = 0;
      if ((shared & bit) != 0) {
        a[lane] -= kSharedWindow;
        if (takes_part && !bounded_lane(w, a[lane], lane, bytes, kind, Space::kShared, cta.shared_bytes()))
          return false;
        host = reinterpret_cast<std::uintptr_t>(cta.shared_data()) + a[lane];
      } else if ((local & bit) != 0) {
        a[lane] -= kLocalWindow;
        if (takes_part && !bounded_lane(w, a[lane], lane, bytes, kind, Space::kLocal, w.depot_stride()))
          return false;
        host = reinterpret_cast<std::uintptr_t>(w.depot_data()) + lane * std::uintptr_t{w.depot_stride()} +
               a[lane];
      } else if ((param & bit) != 0 && kind == AccessKind::kLoad) {
        a[lane] -= kParamWindow;
        if (takes_part && !bounded_lane(w, a[lane], lane, bytes, kind, Space::kParam, cta.param_bytes()))
          return false;
        host = reinterpret_cast<std::uintptr_t>(cta.param_data()) + a[lane];
      } else {
        if (takes_part && !global_lane(w, a[lane], lane, bytes, kind, Space::kGlobal)) return false;
        host = global_base + a[lane];
      }
      mixed_[lane] = host;
    }
    base_ = 0;
    offset_ = mixed_;
    const LaneMask other = active & ~shared;
    const LaneMask in_global = other & ~local & ~param;
    // One space is reported besides shared: global if any lane is there.
    out.space = in_global != 0 ? Space::kGlobal : (other & local) != 0 ? Space::kLocal : Space::kParam;
    out.lanes = in_global != 0 ? in_global : (other & local) != 0 ? other & local : other & param;
    out.shared_lanes = active & shared;
    if (out.lanes == 0) {
      out.space = Space::kShared;
      out.lanes = out.shared_lanes;
      out.shared_lanes = 0;
    }
    return true;
  }

  std::uintptr_t base_ = 0;
  const std::uint64_t* offset_ = nullptr;
  unsigned stride_ = 0;
  std::uint64_t mixed_[kWarpSize];
};

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
