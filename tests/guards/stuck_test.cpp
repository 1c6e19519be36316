// Programs that look stuck and end, and programs that are stuck: the first end with their results, the
// second with a proof. Each as PTX and as machine code. The clock is slow, so that 100 ms of the device are a
// second of the host.

#include <gmock/gmock.h>

#include <ostream>

#include "interconnect/host_interface.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A count of `rounds`, about 25 cycles each, in %r14 and %p7.
std::string work(const std::string& label, unsigned rounds) {
  return "mov.u32 %r14, 0;\n" + label + ": add.u32 %r14, %r14, 1;\nsetp.lt.u32 %p7, %r14, " +
         std::to_string(rounds) + ";\n@%p7 bra " + label + ";\n";
}
constexpr unsigned kMillisecond = 400;  // rounds of work, roughly

/// Waits until the word at [`address`] is not zero.
std::string wait_for(const std::string& label, const std::string& address) {
  return label + ": ld.volatile.global.u32 %r13, [" + address + "];\nsetp.eq.u32 %p6, %r13, 0;\n@%p6 bra " +
         label + ";\n";
}
const std::string kWait = wait_for("WAIT", "%flag");

struct Program {
  std::string name;
  /// Of kernel k(flag, out): %flag and %out are global, %thread, %warp, %cta what they are, %p1 to %p5, %r1
  /// to %r12, %rd1 to %rd4, s (64 zeros in shared memory) to be used. flag and out hold zeros.
  std::string body;
  unsigned grid = 1, block = 32;
  std::vector<std::uint32_t> out = {};  ///< the first words that it leaves; empty: it is stuck
  std::vector<std::string> says = {};   ///< the message of a stuck one
  std::string settings = {};
  std::string functions = {};
  std::function<void(rt::Runtime&, rt::Kernel k, rt::Kernel second, rt::DevicePtr flag, const rt::Args& args)>
      host = {};
  std::string second = {};   ///< body of kernel second(flag, out)
  std::uint64_t cycles = 0;  ///< that it takes at least
};
void PrintTo(const Program& p, std::ostream* os) { *os << p.name; }

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "(.param .u64 pflag, .param .u64 pout)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<16>, %thread, %warp, "
         "%cta;\n"
         ".reg .b64 %rd<8>, %flag, %out;\n.shared .align 16 .b8 s[64];\n"
         ".local .align 8 .b8 own[16];\n"
         "ld.param.u64 %flag, [pflag];\nld.param.u64 %out, [pout];\nmov.u32 %thread, %tid.x;\n"
         "shr.u32 %warp, %thread, 5;\nmov.u32 %cta, %ctaid.x;\n" +
         body + "END: ret;\n}\n";
}

class Stuck : public ::testing::TestWithParam<std::tuple<Program, const char*>> {};

TEST_P(Stuck, OrNot) {
  const auto& [program, code] = GetParam();
  const std::string ptx = ".version 7.5\n.target sm_70\n.address_size 64\n" + program.functions +
                          entry("k", program.body) + entry("second", program.second);
  const Folder folder;
  SimulationOptions options;
  options.folder = (folder / "out").string();
  options.overrides = {std::string("platform.ptx.code=") + code};
  const std::string settings =
      program.settings.empty() ? "platform: {extends: small, sm_clock_mhz: 10}\n" : program.settings;
  Simulation simulation = Simulation::from_file(folder.write("run.yaml", settings).string(), options);
  std::vector<std::uint32_t> out(64);
  simulation.attach_program("program", [&, p = program](rt::Runtime& device) {
    const rt::DevicePtr flag = device.malloc(256), result = device.malloc(256);
    device.memset_async(flag, 0, 256, rt::Stream{0});
    device.memset_async(result, 0, 256, rt::Stream{0});
    const rt::ModuleHandle module = device.load_module_text("stuck.ptx", ptx);
    const rt::Kernel k = device.kernel(module, "k");
    const rt::Args args = rt::Args::of(flag, result);
    if (p.host)
      p.host(device, k, device.kernel(module, "second"), flag, args);
    else
      device.launch(k, p.grid, p.block, args);
    device.synchronize();
    device.copy_to_host(out.data(), result, 4 * out.size());
  });
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  const Outcome& outcome = simulation.end();
  const std::string text = outcome.message + "\n" + outcome.detail;
  if (!program.out.empty()) {
    EXPECT_EQ(static_cast<int>(outcome.code), 0) << text;
    out.resize(program.out.size());
    EXPECT_EQ(out, program.out);
    EXPECT_GE(simulation.cycle(), program.cycles);
    return;
  }
  EXPECT_EQ(static_cast<int>(outcome.code), 3) << text;
  EXPECT_THAT(text,
              AllOf(HasSubstr("the warps have only gone round in loops that nothing will end"),
                    HasSubstr("which nobody changes:"), HasSubstr("it repeats"), HasSubstr("stuck.ptx:")));
  for (const std::string& line : program.says) EXPECT_THAT(text, HasSubstr(line));
  EXPECT_LT(text.size(), 16'000u);
}

const std::string kFast = "platform: {extends: small, sm_clock_mhz: 10}\nlimits: {progress_us: 200}\n";
const std::string kByWarp0 = "setp.eq.u32 %p1, %warp, 0;\n";
const std::string kByCta0 = "setp.eq.u32 %p1, %cta, 0;\n";
const std::string kSetOut = "st.global.u32 [%out], 7;\n";
/// Thread 0 of the CTA draws a ticket into %r1.
const std::string kTicket = "atom.global.add.u32 %r1, [%flag], 1;\n";

std::vector<Program> ending() {
  std::vector<Program> p;
  p.push_back({"long_arithmetic", work("A", 60'000) + "st.global.u32 [%out], %r14;\n", 1, 32, {60'000}});
  p.back().cycles = 1'000'000;
  // The low bits of a congruential generator repeat every 8 steps, and they are what it branches on.
  p.push_back(
      {"random_numbers",
       "mov.u32 %r1, 1;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
       "L: mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nand.b32 %r4, %r1, 7;\nsetp.eq.u32 %p1, %r4, 3;\n"
       "@%p1 add.u32 %r2, %r2, 1;\nadd.u32 %r3, %r3, 1;\nshr.u32 %r5, %r1, 18;\n"
       "setp.ne.u32 %p2, %r5, 0;\n@%p2 bra L;\nst.global.u32 [%out], %r3;\n",
       1,
       32,
       {[] {
         std::uint32_t x = 1, n = 0;
         do {
           x = x * 1664525u + 1013904223u;
           ++n;
         } while (x >> 18 != 0);
         return n;
       }()}});
  p.push_back(
      {"xorshift",
       "mov.u32 %r1, 2463534242;\nmov.u32 %r3, 0;\n"
       "L: shl.b32 %r2, %r1, 13;\nxor.b32 %r1, %r1, %r2;\nshr.u32 %r2, %r1, 17;\nxor.b32 %r1, %r1, %r2;\n"
       "shl.b32 %r2, %r1, 5;\nxor.b32 %r1, %r1, %r2;\nadd.u32 %r3, %r3, 1;\nshr.u32 %r4, %r1, 18;\n"
       "setp.ne.u32 %p1, %r4, 5;\n@%p1 bra L;\nst.global.u32 [%out], %r3;\n",
       1,
       32,
       {[] {
         std::uint32_t x = 2463534242u, n = 0;
         do {
           x ^= x << 13;
           x ^= x >> 17;
           x ^= x << 5;
           ++n;
         } while (x >> 18 != 5);
         return n;
       }()}});
  p.push_back({"flag_of_another_cta",
               kByCta0 + "@%p1 bra ZERO;\n" + work("A", 5 * kMillisecond) +
                   "st.volatile.global.u32 [%flag], 1;\nbra END;\nZERO:\n" + kWait + kSetOut,
               2,
               32,
               {7},
               {},
               kFast});
  p.push_back({"flag_of_a_cta_that_sleeps",
               kByCta0 +
                   "@%p1 bra ZERO;\nmov.u32 %r1, 0;\nS: nanosleep.u32 900000;\nadd.u32 %r1, %r1, 1;\n"
                   "setp.lt.u32 %p2, %r1, 12;\n@%p2 bra S;\nst.volatile.global.u32 [%flag], 1;\nbra END;\n"
                   "ZERO:\n" +
                   kWait + kSetOut,
               2,
               32,
               {7},
               {},
               kFast});
  p.push_back({"only_sleeps",
               "mov.u32 %r1, 0;\nS: nanosleep.u32 900000;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 15;\n"
               "@%p2 bra S;\n" +
                   kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10}\nlimits: {progress_us: 50}\n"});
  p.push_back({"back_off",
               kByCta0 + "@%p1 bra ZERO;\n" + work("A", 8 * kMillisecond) +
                   "st.volatile.global.u32 [%flag], 1;\nbra END;\nZERO: mov.u32 %r1, 64;\n"
                   "L: ld.volatile.global.u32 %r2, [%flag];\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra GOT;\n"
                   "nanosleep.u32 %r1;\nshl.b32 %r1, %r1, 1;\nmin.u32 %r1, %r1, 500000;\nbra L;\nGOT:\n" +
                   kSetOut,
               2,
               32,
               {7},
               {},
               kFast});
  // A count that matters: the reader waits for what others add rarely.
  p.push_back({"counter_that_others_advance",
               kByCta0 + "@%p1 bra ZERO;\n" + work("A", 3 * kMillisecond) +
                   "setp.eq.u32 %p2, %thread, 0;\n@%p2 red.global.add.u32 [%flag], 1;\n" +
                   work("B", 3 * kMillisecond) +
                   "@%p2 red.global.add.u32 [%flag], 1;\nbra END;\n"
                   "ZERO: ld.volatile.global.u32 %r2, [%flag];\nsetp.lt.u32 %p2, %r2, 6;\n@%p2 bra ZERO;\n"
                   "st.global.u32 [%out], %r2;\n",
               4,
               32,
               {6},
               {},
               kFast});
  p.push_back({"barrier_whose_last_arriver_computes",
               kByWarp0 + "@!%p1 bra MEET;\n" + work("A", 30 * kMillisecond) + "MEET: bar.sync 0;\n" +
                   "st.global.u32 [%out], 7;\n",
               1,
               128,
               {7}});
  p.push_back({"spins_while_a_barrier_waits_for_one_that_computes",
               kByCta0 + "@!%p1 bra ZERO;\n" + kByWarp0 + "@!%p1 bra MEET;\n" + work("A", 12 * kMillisecond) +
                   "MEET: bar.sync 0;\nst.volatile.global.u32 [%flag], 1;\nbra END;\nZERO:\n" + kWait +
                   kSetOut,
               2,
               128,
               {7},
               {},
               kFast});
  // Items of 15 ms each, drawn by an atomic, and no store before the end.
  p.push_back({"work_queue",
               "mov.u32 %r2, 0;\nNEXT: mov.u32 %r1, 0;\nsetp.eq.u32 %p2, %thread, 0;\n"
               "@%p2 atom.global.add.u32 %r1, [%flag], 1;\nshfl.sync.idx.b32 %r1, %r1, 0, 31, -1;\n"
               "setp.ge.u32 %p3, %r1, 12;\n@%p3 bra DONE;\n" +
                   work("A", 15 * kMillisecond) +
                   "add.u32 %r2, %r2, 1;\nbra NEXT;\nDONE: @%p2 red.global.add.u32 [%out], %r2;\n",
               4,
               32,
               {12}});
  p.push_back({"lock_whose_holder_computes",
               "L: atom.global.cas.b32 %r1, [%flag], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n" +
                   work("A", 10 * kMillisecond) +
                   "ld.volatile.global.u32 %r2, [%out];\nadd.u32 %r2, %r2, 1;\n"
                   "st.volatile.global.u32 [%out], %r2;\nmembar.gl;\natom.global.exch.b32 %r1, [%flag], 0;\n",
               4,
               1,
               {4},
               {},
               kFast});
  p.push_back({"ticket_lock_whose_holder_computes",
               kTicket +
                   "L: atom.global.add.u32 %r2, [%flag+4], 0;\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra L;\n" +
                   work("A", 10 * kMillisecond) +
                   "red.global.add.u32 [%out], 1;\nmembar.gl;\nred.global.add.u32 [%flag+4], 1;\n",
               4,
               1,
               {4},
               {},
               kFast});
  // Two warps hand a flag to each other, often.
  p.push_back({"hand_over",
               "mov.u32 %r1, 0;\nand.b32 %r2, %warp, 1;\nxor.b32 %r3, %r2, 1;\n"
               "L: ld.volatile.global.u32 %r4, [%flag];\nsetp.ne.u32 %p1, %r4, %r2;\n@%p1 bra L;\n"
               "st.volatile.global.u32 [%flag], %r3;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 400;\n"
               "@%p1 bra L;\nst.global.u32 [%out], %r1;\n",
               1,
               64,
               {400},
               {},
               kFast});
  // One toggles a flag by itself: the other sees it sooner or later, though states come again meanwhile.
  p.push_back({"toggled_flag",
               kByWarp0 +
                   "@%p1 bra ZERO;\n"
                   "T: st.volatile.global.u32 [%flag], 1;\nst.volatile.global.u32 [%flag], 0;\n"
                   "ld.volatile.global.u32 %r1, [%flag+4];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra T;\nbra END;\n"
                   "ZERO:\n" +
                   work("A", 4 * kMillisecond) + kWait + "st.volatile.global.u32 [%flag+4], 1;\n" + kSetOut,
               1,
               64,
               {7},
               {},
               kFast});
  // The time in a register that holds something else a moment later, and only its highest bits.
  p.push_back({"time_out",
               "mov.u32 %r2, %clock;\nadd.u32 %r2, %r2, 1048576;\nshr.u32 %r2, %r2, 20;\n"
               "L: mov.u32 %r1, %clock;\nshr.u32 %r1, %r1, 20;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;\n" +
                   kSetOut,
               1,
               32,
               {7}});
  p.push_back(
      {"counter_in_local_memory",
       "st.local.u32 [own], 0;\nL: ld.local.u32 %r1, [own];\nadd.u32 %r1, %r1, 1;\nst.local.u32 [own], %r1;\n"
       "setp.lt.u32 %p1, %r1, 9000;\n@%p1 bra L;\nst.global.u32 [%out], %r1;\n",
       1,
       32,
       {9000}});
  p.push_back(
      {"counter_in_a_function",
       "mov.u32 %r1, 0;\nL: {\n.param .b32 a;\n.param .b32 v;\nst.param.b32 [a], %r1;\ncall.uni (v), next, "
       "(a);\n"
       "ld.param.b32 %r1, [v];\n}\nsetp.lt.u32 %p1, %r1, 9000;\n@%p1 bra L;\nst.global.u32 [%out], %r1;\n",
       1,
       32,
       {9000}});
  p.back().functions =
      ".func (.param .b32 r) next(.param .b32 a)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r1, [a];\n"
      "add.u32 %r1, %r1, 1;\nst.param.b32 [r], %r1;\nret;\n}\n";
  p.push_back({"path_that_waits_for_one_that_computes",
               "setp.lt.u32 %p1, %thread, 16;\n@%p1 bra LOW;\n" + work("A", 10 * kMillisecond) +
                   "st.volatile.shared.u32 [s], 1;\nbra JOIN;\n"
                   "LOW: ld.volatile.shared.u32 %r1, [s];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra LOW;\nJOIN:\n" +
                   kSetOut,
               1,
               32,
               {7},
               {},
               kFast});
  // All vote at a barrier whether they are done; one is, after 3000 votes, and its count is its own.
  p.push_back({"votes_at_a_barrier",
               "mov.u32 %r1, 0;\nsetp.eq.u32 %p3, %warp, 0;\n"
               "L: add.u32 %r1, %r1, 1;\nsetp.ge.and.u32 %p1, %r1, 3000, %p3;\nbar.red.or.pred %p2, 0, %p1;\n"
               "@!%p2 bra L;\nst.global.u32 [%out], %r1;\n",
               1,
               128,
               {3000},
               {},
               kFast});
  // An SM has room for two: the third comes when the second has ended.
  p.push_back({"cta_that_comes_when_one_ends",
               kByCta0 + "@%p1 bra ZERO;\nsetp.eq.u32 %p2, %cta, 1;\n@!%p2 bra TWO;\n" +
                   work("A", 20 * kMillisecond) +
                   "bra END;\nTWO: st.volatile.global.u32 [%flag], 1;\nbra END;\nZERO:\n" + kWait + kSetOut,
               3,
               32,
               {7},
               {},
               "platform: {extends: small, sms: 1, sm_clock_mhz: 10, sm: {resources: {ctas: 2}}}\n"
               "limits: {progress_us: 200}\n"});
  // The second kernel comes while the first one waits.
  const auto second_later = [](rt::Runtime& device, rt::Kernel k, rt::Kernel second, rt::DevicePtr,
                               const rt::Args& args) {
    const rt::Stream other = device.create_stream();
    device.launch(k, 1, 32, args);
    device.host().sleep(SimTime::from_us(12'000));
    device.launch(second, 1, 32, args, other);
  };
  // The second kernel's packet takes 4 ms to be parsed.
  p.push_back({"kernel_that_is_not_yet_dispatched",
               kWait + kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, command_processor: {parse_ns: 4000000}}\n"
               "limits: {progress_us: 100}\n",
               {},
               second_later,
               "st.volatile.global.u32 [%flag], 1;\n"});
  // Its CTAs begin 6 ms after it has come.
  p.push_back({"kernel_whose_front_end_is_slow",
               kWait + kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, work_distributor: {launch_cycles: 60000}}\n"
               "limits: {progress_us: 100}\n",
               {},
               second_later,
               "st.volatile.global.u32 [%flag], 1;\n"});
  const auto host_writes = [](rt::Runtime& device, rt::Kernel k, rt::Kernel, rt::DevicePtr flag,
                              const rt::Args& args) {
    device.launch(k, 1, 32, args);
    device.host().sleep(SimTime::from_us(3000));
    const std::uint32_t one = 1;
    device.host().write(flag, &one, sizeof one);
  };
  p.push_back({"host_that_writes_after_a_sleep", kWait + kSetOut, 1, 32, {7}, {}, kFast, {}, host_writes});
  // What the host has written is on its way for 5 ms, and nobody waits for it.
  p.push_back({"host_that_writes_over_a_slow_link",
               kWait + kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, pcie: {latency_ns: 5000000}}\n"
               "limits: {progress_us: 100}\n",
               {},
               host_writes});
  // The hub holds it, after the packet of the kernel, which has taken several times as long.
  p.push_back({"host_that_writes_through_a_slow_hub",
               kWait + kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, hub: {latency_ns: 3000000}}\n"
               "limits: {progress_us: 100}\n",
               {},
               [](rt::Runtime& device, rt::Kernel k, rt::Kernel, rt::DevicePtr flag, const rt::Args& args) {
                 device.launch(k, 1, 32, args);
                 device.host().sleep(SimTime::from_us(40'000));
                 const std::uint32_t one = 1;
                 device.host().write(flag, &one, sizeof one);
               }});
  // The work distributor's and the firmware's writes take 1 ms each.
  p.push_back({"cta_on_its_way",
               kWait + kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, register_bus: {latency_ns: 1000000}, "
               "command_processor: hardware}\n"
               "limits: {progress_us: 100}\n",
               {},
               second_later,
               "st.volatile.global.u32 [%flag], 1;\n"});
  p.push_back({"copy_that_takes_long",
               kWait + kSetOut,
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, dma: {type: burst, setup_ns: 5000000}}\nlimits: "
               "{progress_us: 100}\n",
               {},
               [](rt::Runtime& device, rt::Kernel k, rt::Kernel, rt::DevicePtr flag, const rt::Args& args) {
                 static const std::uint32_t one = 1;
                 const rt::Stream other = device.create_stream();
                 device.launch(k, 1, 32, args);
                 device.copy_to_device_async(flag, &one, sizeof one, other);
               }});
  // Every access takes 20 ms, twice the limit.
  p.push_back({"memory_that_answers_late",
               "ld.global.u32 %r1, [%flag];\nadd.u32 %r1, %r1, 7;\nst.global.u32 [%out], %r1;\n",
               1,
               32,
               {7},
               {},
               "platform: {extends: small, sm_clock_mhz: 10, dram: {type: fixed_latency, clock_mhz: 1, "
               "latency_cycles: 20000}}\n"});
  return p;
}

std::vector<Program> stuck() {
  std::vector<Program> p;
  const std::string slow_sms =
      "platform: {extends: small, sms: 1, sm_clock_mhz: 10, sm: {resources: {ctas: 1}}}\n";
  p.push_back({"flag_that_nobody_sets", kWait, 2, 64});
  p.back().says = {"4 warps go round, 0 wait at barriers; they look at 1 word of", " and sees 0x0 at 0x"};
  // The holder of the ticket leaves without serving the next one.
  const std::string leave = "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra END;\n";
  p.push_back({"ticket_lock",
               kTicket + leave +
                   "L: atom.global.add.u32 %r2, [%flag+4], 0;\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra L;\n",
               8, 1});
  p.back().says = {"7 warps go round"};
  p.push_back({"ticket_lock_by_loads",
               kTicket + leave +
                   "L: ld.volatile.global.u32 %r2, [%flag+4];\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra L;\n",
               8, 1});
  p.push_back(
      {"ticket_lock_of_a_warp",
       kTicket + "L: atom.global.add.u32 %r2, [%flag+4], 0;\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra L;\n", 1,
       32});
  p.push_back({"lock_by_cas",
               "L: atom.global.cas.b32 %r1, [%flag], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n", 2, 64});
  p.push_back({"lock_by_exch",
               "L: atom.global.exch.b32 %r1, [%flag], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n", 4, 1});
  p.back().says = {"3 warps go round"};
  p.push_back({"polls_that_are_counted",
               "L: ld.volatile.global.u32 %r1, [%flag];\nred.global.add.u32 [%flag+8], "
               "1;\natom.global.add.u32 %r2, [%flag+12], 1;\n"
               "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n",
               2, 32});
  p.push_back({"count_that_is_stored",
               "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\nst.global.u32 [%out], %r2;\nld.volatile.global.u32 "
               "%r1, [%flag];\n"
               "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n",
               1, 32});
  p.push_back({"stores_of_what_is_there",
               "L: st.volatile.global.u32 [%flag], 0;\nld.volatile.global.u32 %r1, [%flag];\nsetp.eq.u32 "
               "%p1, %r1, 0;\n@%p1 bra L;\n",
               2, 64});
  p.push_back(
      {"missing_arrival",
       "setp.eq.u32 %p1, %warp, 1;\n@%p1 bra SPIN;\nbar.sync 0;\nst.volatile.shared.u32 [s], 1;\nbra END;\n"
       "SPIN: ld.volatile.shared.u32 %r1, [s];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra SPIN;\nbar.sync 0;\n",
       1, 96});
  p.back().says = {"1 warp goes round, 2 wait at barriers", "warp 0: barrier 0 has 64 of 96 threads",
                   "at shared memory 0x"};
  p.push_back({"missing_arrival_at_a_named_barrier",
               kByWarp0 +
                   "@%p1 bra SPIN;\nbar.sync 3, 96;\nbra END;\n"
                   "SPIN: ld.volatile.shared.u32 %r1, [s];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra SPIN;\n",
               1, 64});
  p.back().says = {"barrier 3 has 32 of 96 threads"};
  p.push_back({"producer_that_is_not_resident",
               kByCta0 + "@%p1 bra ZERO;\nst.volatile.global.u32 [%flag], 1;\nbra END;\nZERO:\n" + kWait,
               2,
               32,
               {},
               {"1 of the 2 CTAs of launch 0 are not resident: they get no SM before another CTA ends (an SM "
                "holds 1, by "},
               slow_sms});
  p.push_back({"grid_barrier_of_too_many",
               "setp.eq.u32 %p2, %thread, 0;\n@%p2 red.global.add.u32 [%flag], 1;\n"
               "L: ld.volatile.global.u32 %r1, [%flag];\nsetp.lt.u32 %p1, %r1, 5;\n@%p1 bra L;\n",
               5,
               64,
               {},
               {"4 of the 5 CTAs"},
               slow_sms});
  p.push_back({"producer_behind_in_the_stream",
               kWait,
               1,
               32,
               {},
               {"launch 1"},
               {},
               {},
               [](rt::Runtime& device, rt::Kernel k, rt::Kernel second, rt::DevicePtr, const rt::Args& args) {
                 device.launch(k, 1, 32, args);
                 device.launch(second, 1, 32, args);
               },
               "st.volatile.global.u32 [%flag], 1;\n"});
  p.push_back({"kernels_that_wait_for_each_other",
               kWait + "st.volatile.global.u32 [%flag+4], 1;\n",
               1,
               32,
               {},
               {"2 warps go round", "kernel second"},
               {},
               {},
               [](rt::Runtime& device, rt::Kernel k, rt::Kernel second, rt::DevicePtr, const rt::Args& args) {
                 const rt::Stream other = device.create_stream();
                 device.launch(k, 1, 32, args);
                 device.launch(second, 1, 32, args, other);
               },
               wait_for("WAIT", "%flag+4") + "st.volatile.global.u32 [%flag], 1;\n"});
  p.push_back({"paths_of_a_warp",
               "setp.lt.u32 %p1, %thread, 16;\n@%p1 bra LOW;\n"
               "HIGH: ld.volatile.shared.u32 %r1, [s];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra "
               "HIGH;\nst.volatile.shared.u32 [s+4], 1;\nbra END;\n"
               "LOW: ld.volatile.shared.u32 %r1, [s+4];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra "
               "LOW;\nst.volatile.shared.u32 [s], 1;\n",
               1, 32});
  p.push_back({"lock_among_the_lanes_of_a_warp",
               "L: atom.shared.cas.b32 %r1, [s], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n", 1, 32});
  p.push_back(
      {"sleeps_that_grow",
       "mov.u32 %r2, 8;\nL: ld.volatile.global.u32 %r1, [%flag];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
       "nanosleep.u32 %r2;\nmad.lo.u32 %r2, %r2, 5, 3;\nbra L;\n",
       1, 64});
  p.push_back({"polls_by_a_function",
               "mov.u32 %r2, 0;\nL: {\n.param .b64 a;\n.param .b32 v;\nst.param.b64 [a], %flag;\ncall.uni "
               "(v), look, (a);\nld.param.b32 %r1, [v];\n}\n"
               "add.u32 %r2, %r2, 1;\nst.local.u32 [own], %r2;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n",
               1, 64});
  p.back().functions =
      ".func (.param .b32 r) look(.param .b64 a)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.b64 %rd1, "
      "[a];\n"
      "ld.volatile.global.u32 %r1, [%rd1];\nst.param.b32 [r], %r1;\nret;\n}\n";
  p.push_back({"function_that_waits",
               "{\n.param .b64 a;\nst.param.b64 [a], %flag;\ncall.uni wait_there, (a);\n}\n", 1, 64});
  p.back().functions =
      ".func wait_there(.param .b64 a)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n.reg .pred %p;\nld.param.b64 "
      "%rd1, [a];\n"
      "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p, %r1, 0;\n@%p bra L;\nret;\n}\n";
  p.push_back(
      {"loop_with_a_barrier",
       "L: bar.sync 0;\nld.volatile.global.u32 %r1, [%flag];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n", 1,
       128});
  p.back().says = {"4 warps go round"};
  p.push_back({"votes_that_never_pass",
               "L: ld.volatile.global.u32 %r1, [%flag];\nsetp.ne.u32 %p1, %r1, 0;\nbar.red.or.pred %p2, 0, "
               "%p1;\n@!%p2 bra L;\n",
               1, 128});
  p.push_back({"empty_loop", "L: bra L;\n", 1, 32});
  return p;
}

std::string name_of(const ::testing::TestParamInfo<Stuck::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(Not, Stuck,
                         ::testing::Combine(::testing::ValuesIn(ending()),
                                            ::testing::Values("ptx", "machine")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Yes, Stuck,
                         ::testing::Combine(::testing::ValuesIn(stuck()),
                                            ::testing::Values("ptx", "machine")),
                         name_of);

}  // namespace
}  // namespace warpvp::test
