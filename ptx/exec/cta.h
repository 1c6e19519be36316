#pragma once
// What the warps of one CTA share while they execute: identity, shared memory, barriers, and the environment
// (global memory, device printf) they act on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ptx/exec/own_stores.h"
#include "ptx/exec/stretches.h"
#include "ptx/program.h"

namespace warpvp::ptx {

struct ExecFault;
struct Inst;
class Warp;

/// Generic address windows: a generic address inside one of them means shared memory, local memory or the
/// kernel's argument block. Addresses of device functions lie in a window of their own.
inline constexpr std::uint64_t kParamWindow = 0x7ffd'0000'0000'0000ull;
inline constexpr std::uint64_t kSharedWindow = 0x7fff'0000'0000'0000ull;
inline constexpr std::uint64_t kLocalWindow = 0x7ffe'0000'0000'0000ull;
inline constexpr std::uint64_t kWindowBytes = 0x1'0000'0000ull;

/// Global memory as execution sees it: one host array that backs device addresses [origin, origin + size),
/// and a question for whether an address is allocated. The answer's range is cached by the caller until
/// `generation` changes.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  using Range = AddressRange;  ///< empty: the address is not allocated
  virtual Range range_of(std::uint64_t address, unsigned context) const = 0;
  /// What loads, stores and atomics may touch at `address` and next to it though it is not allocated; what is
  /// allocated there may be part of it. Empty: nothing.
  virtual Range surroundings_of(std::uint64_t /*address*/, unsigned /*context*/) const { return {}; }
  virtual std::uint64_t generation() const = 0;
  /// Device-side malloc and free on the heap of a context. 0: no room. False: no live block begins there.
  virtual std::uint64_t heap_allocate(std::uint64_t bytes, unsigned context) = 0;
  virtual bool heap_release(std::uint64_t address, unsigned context) = 0;

  std::byte* host = nullptr;
  std::uint64_t origin = 0;
};

/// Texels that a filtered or gathered read touches: in row r, one of `bytes` each for the lanes of lanes[r].
/// What neighbouring lanes share is in the rows of both.
struct TexelRows {
  static constexpr unsigned kMost = 8;  ///< linear filtering in three dimensions
  unsigned count = 0;
  LaneMask lanes[kMost];
  std::uint64_t address[kMost][kWarpSize];
};

/// What the lanes of a bulk copy move in global memory, or in shared memory alone: a span each.
struct BulkSpans {
  static constexpr std::uint32_t kNoSignal = ~std::uint32_t{0};
  std::uint64_t address[kWarpSize];
  std::uint32_t bytes[kWarpSize];
  /// What to tell the warp when all of them have come (InstructionStream::copy_done).
  std::uint32_t signal = kNoSignal;
};

/// The memory side effect of the last step, for the timing model. Addresses of inactive lanes are undefined.
struct MemoryAccess {
  Space space = Space::kNone;  ///< resolved: kGlobal, kConst, kShared, kLocal or kParam, never kGeneric
  LaneMask lanes = 0;          ///< lanes that access this space
  std::uint8_t bytes = 0;      ///< per lane, all vector elements together
  bool store = false, atomic = false, async = false;
  bool returns_value = false;  ///< loads and atomics with a destination
  std::uint8_t cache_op = 0;
  std::uint64_t address[kWarpSize];  ///< global/const: device addresses; shared/local/param: byte offsets
  /// A generic access may touch two spaces at once; then the SM also serves this part (lanes in shared).
  LaneMask shared_lanes = 0;
  /// Meaningful with the cache_op `tex` only: then these rows, in global memory, take the place of `address`,
  /// and `lanes` has every lane of theirs. Valid as long as the access itself.
  const TexelRows* texels = nullptr;
  /// Likewise with the cache_op `bulk`: spans of the lanes in `lanes`, at `address`.
  const BulkSpans* bulk = nullptr;
  bool is_bulk() const { return cache_op == static_cast<std::uint8_t>(CacheOp::bulk); }
};

/// mbarriers that a bulk copy completes bytes of: of each lane one in shared memory.
struct CopySignal {
  LaneMask lanes = 0;
  std::uint32_t barrier[kWarpSize], bytes[kWarpSize];
};

/// How the divergent paths of a warp share it (docs/ptx.md, section Divergence).
struct DivergencePolicy {
  /// Every path makes progress, and lanes on different paths can wait for each other: compute capability 7.0
  /// and later. Otherwise a path runs until it reconverges.
  bool independent_threads = true;
  /// Iterations of a waiting loop after which another path that has waited so long has its turn; at least 1.
  std::uint32_t switch_after = 64;
};

/// An instruction that acts on what several SMs share (a store, an atomic, text, the device's heap) and has
/// been put off: what its step did to the warp stands, the rest happens in `Warp::apply`.
struct PendingEffect {
  const Inst* inst = nullptr;
  Warp* warp = nullptr;
  Pc pc = 0;
  LaneMask lanes = 0;
  unsigned row_base = 0, pred_base = 0, depot_base = 0;  ///< of the frame that it belongs to
  std::uint64_t edge = 0;                                ///< ExecEnv::cycle of its step
  std::uint64_t after = 0;                               ///< stores that came before it: OwnStores::added()
};

/// Everything a CTA's execution touches outside itself. One per SM; outlives the CTAs.
struct ExecEnv {
  GlobalMemory* global = nullptr;
  /// Text printed by device printf/vprintf of a context, whole lines not guaranteed.
  std::function<void(const std::string&, unsigned context)> print;
  /// Device functions reachable by address (indirect calls): see ptx/module.h.
  ExecFault* fault = nullptr;  ///< filled by a step that returns kFault
  /// Told of the first access that touches what is not allocated, and may.
  std::function<void(const Warp&, const ExecFault&)> stray;
  std::uint64_t cycle = 0;  ///< value of %clock/%clock64/%globaltimer reads; the SM keeps it current
  std::uint32_t sm_id = 0, sm_count = 1;
  /// Where the descriptors lie that handles below kTextureTableEntries number; 0: handles are addresses.
  std::uint64_t texture_table = 0;
  DivergencePolicy divergence;       ///< of the warps that start from now on
  std::uint64_t group_switches = 0;  ///< counts turns taken from paths that looped while others waited

  /// Puts off what steps would do outside the SM, into `pending`, in the order of the steps. The caller
  /// applies these before the warps concerned step again. Otherwise everything happens in the step.
  bool defer_effects = false;
  std::vector<PendingEffect> pending;
  /// With defer_effects: where stores to global memory go instead, with their data, so that their warps may
  /// step again at once. Loads see them. nullptr: they are put off as other effects.
  OwnStores* stores = nullptr;
  std::byte own_data[kWarpSize * OwnStores::kMostBytes];  ///< of the last load that read there
  /// Bulk copies tell their mbarriers when the caller says that they are done (InstructionStream::copy_done);
  /// otherwise in the step.
  bool defer_signals = false;

  MemoryAccess access;  ///< of the last memory instruction of any warp here
  TexelRows texels;     ///< what access.texels points to
  BulkSpans bulk;       ///< what access.bulk points to

  // Cache of the last allocated ranges hit, private to execution: the latest, and a few before it.
  AddressRange range;
  bool range_strays = false;  ///< not all of it is allocated
  AddressRange surroundings;  ///< the last of those
  std::uint64_t range_generation = ~0ull;
  unsigned range_context = 0;
  static constexpr unsigned kRecentRanges = 8;
  GlobalMemory::Range recent_ranges[kRecentRanges];
  AddressRange native_ranges[NativeFrame::kRanges];  ///< of loads and stores that are code of the host
  // With `stores`, code of the host loads where they need not be looked for, and stores to their journal.
  AddressRange granted;  ///< to the access that was called last; empty: it is to be called again
  unsigned next_recent = 0;
  /// Slow path of that cache: makes the range that holds `address` the latest; false if it is not allocated.
  bool find_range(std::uint64_t address, unsigned context);
  /// The same for a range that holds all `bytes`, or surroundings that do.
  bool find_reachable(std::uint64_t address, unsigned context, unsigned bytes);
  /// What is known of ranges holds for the context as memory is now.
  bool knows_ranges(unsigned context) const {
    return range_generation == global->generation() && range_context == context;
  }
  /// Forgets what is no longer so.
  void renew_ranges(unsigned context) {
    if (!knows_ranges(context)) forget_ranges(context);
  }
  /// What is stored from now on has nothing to do with what has been. Requires `stores`, which have been
  /// written.
  void forget_stores();
  /// To a load, or a store, that has been in [begin, end). Requires stores->journals().
  void grant_load(std::uint64_t begin, std::uint64_t end);
  void grant_store(std::uint64_t begin, std::uint64_t end);

 private:
  void forget_ranges(unsigned context);
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

/// A warp's arrival at a barrier, for those who note what warps do.
struct BarrierArrival {
  std::uint64_t number = 0;  ///< counts the arrivals of the CTA's warps, from 1; 0: none yet
  unsigned id = 0, threads = 0;
  bool waits = false;
};

/// State of one named barrier.
struct BarrierState {
  std::uint32_t expected = 0;  ///< threads that must arrive; 0: idle
  std::uint32_t arrived = 0;   ///< threads, counted in whole warps as PTX says
  bool whole_cta = false;      ///< no count given: `expected` follows the warps that exit
  bool reduction = false;      ///< bar.red
  std::uint64_t waiting = 0;   ///< warps (by index in the CTA) blocked on it
  std::uint32_t popc = 0;      ///< bar.red accumulators
  bool all = true, any = false;
};

class Cta {
 public:
  /// Prepares for a new CTA; reuses storage. `params` points to the argument block (copied).
  void start(const Program& program, ExecEnv& env, Dim3 grid, Dim3 block, Dim3 cta,
             unsigned dynamic_shared_bytes, unsigned context, std::uint64_t grid_id,
             const std::uint8_t* params);

  const Program& program() const { return *program_; }
  const Stretches& stretches() {
    if (stretches_ == nullptr) stretches_ = &Stretches::of(*program_);
    return *stretches_;
  }
  ExecEnv& env() { return *env_; }
  unsigned threads() const { return threads_; }
  unsigned warps() const { return (threads_ + kWarpSize - 1) / kWarpSize; }
  Dim3 grid() const { return grid_; }
  Dim3 block() const { return block_; }
  Dim3 id() const { return cta_; }
  /// x, y and z of grid, block and id.
  const std::uint32_t* sizes() const { return &grid_.x; }
  unsigned context() const { return context_; }
  std::uint64_t grid_id() const { return grid_id_; }
  std::vector<std::byte>& shared() { return shared_; }
  /// Shared memory of this CTA, for execution.
  std::byte* shared_data() { return shared_data_; }
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  const std::uint8_t* param_data() const { return param_data_; }
  std::uint32_t param_bytes() const { return param_bytes_; }
  /// Warps that have not exited.
  unsigned live_warps() const { return live_warps_; }
  const std::vector<std::uint8_t>& params() const { return params_; }
  /// It has put off effects on what SMs share, so that it cannot start again as if nothing had happened.
  bool acted_outside() const { return acted_outside_; }
  void note_outside() { acted_outside_ = true; }
  /// It goes on in another environment; so must each of its warps (Warp::follow_cta).
  void move_to(ExecEnv& env) { env_ = &env; }
  unsigned dynamic_shared_offset() const { return program_->static_shared_bytes; }

  // ---- barriers. Warps are named by a bit mask over their index in the CTA (at most 64 warps).

  /// A warp arrives (called by execution). `wait` false: bar.arrive. Returns true if the arriving warp must
  /// block. `threads`: how many must arrive, 0 for the whole CTA. When the barrier completes, the bit of
  /// every warp that waited moves to the mask take_released() returns and reductions are delivered; the warp
  /// whose arrival completes it does not block (its step returns kNormal). Exits too can complete a barrier:
  /// look at take_released() after every step of an instruction with Effect::kBarrier or kExit.
  bool barrier_arrive(unsigned id, Warp& warp, unsigned threads, bool wait);
  /// Warps released since the last call, the one that completed the barrier not among them; the caller
  /// unblocks them.
  std::uint64_t take_released() {
    const std::uint64_t r = released_;
    released_ = 0;
    return r;
  }
  /// A warp exited: it no longer counts towards barriers that expect the whole CTA.
  void warp_exited(Warp& warp);
  const BarrierState& barrier(unsigned id) const { return barriers_[id]; }
  /// The named ones, and behind them that of the cluster, which is the CTA alone.
  static constexpr unsigned kBarriers = 17, kClusterBarrier = 16;

  // ---- bulk copies

  /// Keeps what a copy under way will do to mbarriers. Returns its number.
  std::uint32_t keep_signal(const CopySignal& signal);
  /// Does it.
  void deliver_signal(std::uint32_t number);
  void deliver(const CopySignal& signal);

 private:
  friend class Warp;
  friend struct BarrierOps;
  friend struct ControlFlow;
  const Program* program_ = nullptr;
  const Stretches* stretches_ = nullptr;  // of the program, once somebody has asked
  ExecEnv* env_ = nullptr;
  Dim3 grid_, block_, cta_;  // in this order: sizes()
  static_assert(sizeof(Dim3) == 3 * sizeof(std::uint32_t));
  unsigned threads_ = 0, context_ = 0, live_warps_ = 0;
  std::uint64_t grid_id_ = 0;
  std::uint64_t released_ = 0;
  std::vector<std::byte> shared_;
  std::vector<std::uint8_t> params_;
  std::vector<std::uint64_t> presets_;  // what Program::presets have in this CTA
  BarrierState barriers_[kBarriers];
  bool barriers_touched_ = false;  // they are not as a CTA finds them
  std::uint64_t arrivals_ = 0;     // at barriers, of all warps
  bool acted_outside_ = false;
  std::vector<Warp*> warps_;
  std::vector<CopySignal> signals_;  // by number; no lanes: free
  // Copies of data() and size(), so that code compiled for several instruction-set levels calls nothing of
  // the standard library.
  std::byte* shared_data_ = nullptr;
  const std::uint8_t* param_data_ = nullptr;
  std::uint32_t shared_bytes_ = 0, param_bytes_ = 0;

  std::uint64_t preset(const PresetRow& p) const;
  void complete_barrier(unsigned id);
};

}  // namespace warpvp::ptx
