// Host programs for the tests of protection: a victim that computes all the time and checks what it has, and
// processes that try to get at its memory, each in one way. They are in one program, so that the others know
// the victim's addresses: they need not guess.

#include <fmt/format.h>

#include "interconnect/host_interface.h"
#include "interconnect/register_map.h"
#include "sw/apps/app.h"
#include "sw/apps/device_array.h"

namespace warpvp::apps {
namespace {

namespace cp = regmap::cp;

/// What the victim tells about itself, and what they tell each other.
struct Known {
  rt::DevicePtr secret = 0, constant = 0;
  unsigned context = 0;
  bool freed = false, reused = false, ended = false;
} known;

constexpr char kPtx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.const .align 4 .u32 constants[64] = {11, 22, 33, 44};
.visible .entry work(.param .u64 secret, .param .u64 out, .param .u32 rounds)
{
  .reg .pred %p<3>;
  .reg .u64 %rd<10>;
  .reg .u32 %r<16>;
  .local .align 16 .b8 depot[256];
  ld.param.u64 %rd1, [secret];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r9, [rounds];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  mov.u64 %rd6, depot;
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
LOOP:
  and.b32 %r12, %r10, 63;
  mul.wide.u32 %rd7, %r12, 4;
  add.u64 %rd8, %rd6, %rd7;
  ld.global.u32 %r5, [%rd4];
  st.local.u32 [%rd8], %r5;
  ld.local.u32 %r6, [%rd8];
  add.u32 %r11, %r11, %r6;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r9;
  @%p1 bra LOOP;
  st.global.u32 [%rd5], %r11;
  ret;
}
)";

/// An instruction between `ld.param` of `target` and `out` and `ret`, as an entry of its own.
std::string entry(const std::string& name, const std::string& body) {
  return fmt::format(
      ".visible .entry {}(.param .u64 out, .param .u64 target)\n{{\n  .reg .u64 %rd<9>;\n  .reg .u32 %r<9>;\n"
      "  .shared .align 16 .b8 window[256];\n  .local .align 16 .b8 frame[64];\n"
      "  ld.param.u64 %rd1, [out];\n  ld.param.u64 %rd2, [target];\n  mov.u32 %r2, 7;\n"
      "  st.shared.u32 [window], %r2;\n  st.local.u32 [frame], %r2;\n{}\n"
      "  st.global.u32 [%rd1], %r1;\n  ret;\n}}\n",
      name, body);
}

struct Instruction {
  const char* name;
  const char* body;
};
constexpr Instruction kInstructions[] = {
    {"load", "ld.global.u32 %r1, [%rd2];"},
    {"load_v4", "ld.global.v4.u32 {%r1, %r3, %r4, %r5}, [%rd2];"},
    {"store", "mov.u32 %r1, 7; st.global.u32 [%rd2], %r2;"},
    {"store_v2", "mov.u32 %r1, 7; st.global.v2.u32 [%rd2], {%r2, %r2};"},
    {"atomic", "atom.global.add.u32 %r1, [%rd2], %r2;"},
    {"exchange", "atom.global.exch.b32 %r1, [%rd2], %r2;"},
    {"reduce", "mov.u32 %r1, 7; red.global.add.u32 [%rd2], %r2;"},
    {"constant", "ld.const.u32 %r1, [%rd2];"},
    {"generic_load", "ld.u32 %r1, [%rd2];"},
    {"generic_store", "mov.u32 %r1, 7; st.u32 [%rd2], %r2;"},
    {"shared", "cvt.u32.u64 %r3, %rd2; mov.u32 %r1, 7; st.shared.u32 [%r3], %r2;"},
    {"local", "cvt.u32.u64 %r3, %rd2; mov.u32 %r1, 7; st.local.u32 [%r3], %r2;"},
};

/// Where, besides memory of the victim or its own.
constexpr std::uint64_t kSharedWindow = 0x7fff'0000'0000'0000, kLocalWindow = 0x7ffe'0000'0000'0000,
                        kParamWindow = 0x7ffd'0000'0000'0000;

/// Page tables; without them a program's ring of commands, with argument blocks and signals.
constexpr std::uint64_t kDriver = 0x1'0000'0000 + (64 << 20);

struct VictimParams {
  std::uint32_t launches = 12;
  bool reuses = false;
  void fields(FieldVisitor& v) {
    v.field("launches", launches, "kernels", "How often it computes.", Constraint::range(1, 1000));
    v.field("reuses", reuses, "Waits until another process has freed its memory, and takes it.");
  }
};

class Victim : public App {
 public:
  explicit Victim(const VictimParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext&) override {
    const rt::Stream s = device.create_stream();
    if (params_.reuses)
      while (!known.freed) device.host().sleep(SimTime::from_us(1));
    std::vector<std::uint32_t> numbers(1u << 20);  // pages of its own
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = 1000 + i;
    DeviceArray<std::uint32_t> secret(device, numbers, s), out(device, kThreads);
    const rt::ModuleHandle module = device.load_module_text("victim.ptx", kPtx);
    const rt::Kernel kernel = device.kernel(module, "work");
    device.synchronize(s);
    known.constant = device.symbol(module, "constants");
    known.secret = secret.pointer();
    known.context = 1;
    known.reused = params_.reuses;
    AppResult result{true, ""};
    for (std::uint32_t i = 0; i < params_.launches && result.verified; ++i) {
      device.launch(kernel, rt::Dim3(kThreads / 64), rt::Dim3(64),
                    rt::Args::of(secret.pointer(), out.pointer(), kRounds), s);
      const std::vector<std::uint32_t> got = out.read(s);
      for (std::uint32_t t = 0; t < kThreads; ++t)
        if (got[t] != kRounds * numbers[t]) result = {false, fmt::format("out[{}] = {}", t, got[t])};
    }
    if (secret.read(s) != numbers) result = {false, "the victim's memory has changed"};
    known.ended = true;
    return result;
  }

 private:
  static constexpr std::uint32_t kThreads = 2048, kRounds = 100;
  VictimParams params_;
};

struct HostileParams {
  std::string way = "load", target = "own";
  void fields(FieldVisitor& v) {
    v.field("way", way, "An instruction, or another way.");
    v.field("target", target, "own, victim, or another place.");
  }
};

class Hostile : public App {
 public:
  explicit Hostile(const HostileParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext&) override {
    const rt::Stream s = device.create_stream();
    if (params_.way == "frees_first") return reads_what_it_has_freed(device, s);
    while (known.secret == 0) device.host().sleep(SimTime::from_us(1));
    if (params_.way == "successor") return looks_at_fresh_memory(device, s);
    for (const Instruction& instruction : kInstructions)
      if (params_.way == instruction.name) return executes(device, s, instruction);
    return calls(device, s);
  }

 private:
  rt::Kernel kernel(rt::Runtime& device, const Instruction& instruction) const {
    const std::string text =
        ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .u32 mine[4] = {11, 22, 33, 44};\n" +
        entry("hits", instruction.body);
    const rt::ModuleHandle module = device.load_module_text("hostile.ptx", text);
    constant_ = device.symbol(module, "mine");
    return device.kernel(module, "hits");
  }

  std::uint64_t target(rt::DevicePtr own, std::size_t bytes) const {
    const std::string& t = params_.target;
    if (t == "own") return own;
    if (t == "own_last") return own + bytes - 16;
    if (t == "own_constant") return constant_;
    if (t == "own_shared") return kSharedWindow + 252;
    if (t == "own_local") return kLocalWindow + 60;
    if (t == "offset_0") return 0;
    if (t == "offset_252") return 252;
    if (t == "offset_256") return 256;
    if (t == "offset_60") return 60;
    if (t == "offset_64") return 64;
    if (t == "offset_large") return 1 << 20;
    if (t == "border") return own + bytes - 8;  // of a vector: half of it is own
    if (t == "victim") return known.secret + 64;
    if (t == "victim_constant") return known.constant;
    if (t == "other_shared") return kSharedWindow + 256;
    if (t == "other_local") return kLocalWindow + 64;
    if (t == "other_parameters") return kParamWindow + 64;
    if (t == "local_region") return 0x1'0000'0000;         // of the SMs, or of context 0
    if (t == "driver") return kDriver;
    if (t == "unmapped") return 0x1'0000'0000 + (2ull << 30);
    if (t == "doorbell") return cp::doorbell(3);
    if (t == "sm_registers") return regmap::sm::window(0);
    throw InputError("no target " + t);
  }

  AppResult executes(rt::Runtime& device, rt::Stream s, const Instruction& instruction) const {
    const rt::Kernel hits = kernel(device, instruction);
    // No multiple of 16, so that a vector at its end goes over it.
    const std::size_t bytes = params_.target == "border" ? 1016 : 1024;
    DeviceArray<std::uint8_t> own(device, bytes);
    DeviceArray<std::uint32_t> out(device, 1);
    own.fill_zero(s);
    device.launch(hits, rt::Dim3(8), rt::Dim3(1), rt::Args::of(out.pointer(), target(own.pointer(), bytes)),
                  s);
    // Others wait in its queue when it happens.
    const bool offset = params_.way == "shared" || params_.way == "local";
    for (unsigned i = 0; i < 3; ++i)
      device.launch(hits, rt::Dim3(8), rt::Dim3(1),
                    rt::Args::of(out.pointer(), offset ? std::uint64_t{0} : own.pointer()), s);
    return {!out.read(s).empty(), ""};
  }

  AppResult calls(rt::Runtime& device, rt::Stream s) const {
    const bool own = params_.target == "own";
    DeviceArray<std::uint32_t> array(device, 1024), other(device, 1024);
    array.fill_zero(s);
    other.fill_zero(s);
    device.synchronize(s);
    const rt::DevicePtr place = own ? other.pointer() : params_.target == "driver" ? kDriver : known.secret;
    const std::string& way = params_.way;
    std::uint32_t word = 7;
    std::uint64_t index = 99;
    const std::uint64_t own_index = 0;
    const std::uint32_t off = 0;
    if (way == "copy_from") device.copy_on_device_async(array.pointer(), place, 256, s);
    if (way == "copy_to") device.copy_on_device_async(place, array.pointer(), 256, s);
    if (way == "copy_in") device.copy_to_device_async(place, &word, 4, s);
    if (way == "copy_out") device.copy_to_host_async(&word, place, 4, s);
    if (way == "fill") device.memset_async(place, 1, 256, s);
    if (way == "free") own ? device.free(device.malloc(64)) : device.free(place);
    if (way == "host_write") device.host().write(place, &word, 4);
    if (way == "host_read") device.host().read(place, &word, 4);
    // The runtimes of the three programs have made queues 0 to 2, the victim's process then queue 3, this one's 4.
    if (way == "doorbell") device.host().write(cp::doorbell(own ? 4 : 3), own ? &own_index : &index, 8);
    if (way == "queue") device.host().write(cp::queue(3) + cp::kControl, &off, 4);
    if (way == "clock") device.host().read(cp::kBase + cp::kTimestamp, &index, 8);
    if (way == "stream") device.create_stream({"theirs", 0, own ? 0 : known.context});
    if (way == "malloc") device.malloc(64, own ? 0 : known.context);
    if (way == "module") device.load_module_text("theirs.ptx", kPtx, own ? 0 : known.context);
    if (way == "surface") {
      rt::SurfaceDescription surface;
      surface.width = 16;
      device.destroy_image(device.create_surface(place, surface));
    }
    device.synchronize(s);
    return {true, ""};
  }

  // Its TLB entries, cache lines and ranges that execution remembers are of a page that it has given back,
  // and that the victim has got. It ends when the victim has.
  AppResult reads_what_it_has_freed(rt::Runtime& device, rt::Stream s) const {
    const rt::Kernel hits = kernel(device, kInstructions[0]);
    const std::vector<std::uint32_t> words(1u << 20, 5);
    DeviceArray<std::uint32_t> out(device, 1);
    const rt::DevicePtr freed = device.malloc(words.size() * 4);
    device.copy_to_device_async(freed, words.data(), words.size() * 4, s);
    const rt::Args args = rt::Args::of(out.pointer(), freed + 64);
    device.launch(hits, rt::Dim3(8), rt::Dim3(1), args, s);
    if (out.read(s)[0] != 5) return {false, "it cannot read what is its own"};
    device.free(freed);
    known.freed = true;
    if (params_.target == "own") return {true, ""};
    if (params_.target == "reused")
      while (!known.reused) device.host().sleep(SimTime::from_us(1));
    if (params_.target == "reused" && known.secret != freed)
      return {false, "the victim has not got its memory"};
    device.launch(hits, rt::Dim3(8), rt::Dim3(1), args, s);
    return {false, fmt::format("it has read {}", out.read(s)[0])};
  }

  // What another context has left in memory is nobody's to read.
  AppResult looks_at_fresh_memory(rt::Runtime& device, rt::Stream s) const {
    while (!known.ended) device.host().sleep(SimTime::from_us(1));
    device.host().sleep(SimTime::from_us(20));
    DeviceArray<std::uint32_t> fresh(device, 1u << 20);
    if (fresh.pointer() != known.secret) return {false, "it has not got the victim's memory"};
    for (const std::uint32_t word : fresh.read(s))
      if (word != 0) return {false, fmt::format("fresh memory has {} in it", word)};
    return {true, ""};
  }

  HostileParams params_;
  mutable rt::DevicePtr constant_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Victim, VictimParams, "victim", "Computes, and checks its memory.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Hostile, HostileParams, "hostile", "Accesses what it must not.");

}  // namespace
}  // namespace warpvp::apps
