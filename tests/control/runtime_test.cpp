// The host API end to end: host program, PCIe, rings, command processor, distributor and DMA engines, with
// SMs that take a scripted time for each CTA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "interconnect/kernel_descriptor.h"
#include "sw/apps/launch_list.h"
#include "tests/control/runtime_machine.h"

namespace warpvp::test {
namespace {

using rt::Args;
using rt::Dim3;
using rt::Stream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Runtime, DataGoesThereAndBack) {
  Machine m("machine");
  std::vector<int> in(100000), out(100000, 0);
  std::iota(in.begin(), in.end(), 1);
  m.program([&](rt::Runtime& device) {
    const std::size_t bytes = in.size() * sizeof(int);
    const auto a = device.malloc(bytes), b = device.malloc(bytes);
    device.copy_to_device_async(a, in.data(), bytes, Stream{0});
    device.copy_on_device_async(b, a, bytes, Stream{0});
    device.memset_async(b, 0xff, 4, Stream{0});
    device.copy_to_host_async(out.data(), b, bytes, Stream{0});
    EXPECT_EQ(out[1], 0);  // nothing has happened yet
    device.synchronize(Stream{0});
  });
  EXPECT_EQ(out[0], -1);
  out[0] = 1;
  EXPECT_EQ(out, in);
  EXPECT_FALSE(m.faults.faulted());
}

TEST(Runtime, ALaunchReachesTheSmsWithItsArguments) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    rt::StreamOptions so;
    so.name = "urgent";
    so.priority = 3;
    const Stream s = device.create_stream(so);
    const auto module = device.load_module("a.ptx");
    const auto kernel = device.kernel(module, "add");
    const auto buffer = device.malloc(64);
    rt::LaunchOptions options = named("mine");
    options.budget = 5;
    options.dynamic_shared_bytes = 256;
    options.deadline_us = 100;
    device.launch(kernel, Dim3(2, 3), Dim3(64, 2), Args::of(buffer, std::uint32_t{77}), s, options);
    device.synchronize();
    ASSERT_EQ(m.sms.launches.size(), 6u);
    const CtaLaunch& l = m.sms.launches[0].record;
    EXPECT_EQ(std::memcmp(m.memory.at(l.kernarg_address), &buffer, 8), 0);
    std::uint32_t scalar;
    std::memcpy(&scalar, m.memory.at(l.kernarg_address + 8), 4);
    EXPECT_EQ(scalar, 77u);
    EXPECT_EQ(l.priority, 3);
    EXPECT_EQ(l.budget, 5u);
    EXPECT_EQ(l.dynamic_shared_bytes, 256u);
    EXPECT_THAT(l.grid, ElementsAre(2, 3, 1));
    EXPECT_THAT(l.block, ElementsAre(64, 2, 1));
    KernelDescriptor descriptor;
    std::memcpy(&descriptor, m.memory.at(l.kernel_object), sizeof descriptor);
    EXPECT_EQ(descriptor.magic, KernelDescriptor::kMagic);
    EXPECT_TRUE(m.memory.range_of(descriptor.code_address).has_value());
    const std::vector<std::uint8_t> image = scripted_image("add", descriptor.code_address);
    ASSERT_EQ(descriptor.image_bytes, image.size());
    EXPECT_EQ(std::memcmp(m.memory.at(descriptor.image_address), image.data(), image.size()), 0);
    EXPECT_EQ(m.memory.range_of(descriptor.image_address)->context, DeviceMemory::kDriver);
  });
  ASSERT_EQ(m.launches.launches().size(), 1u);
  const rt::LaunchInfo& info = m.launches.launches()[0];
  EXPECT_EQ(info.name, "mine");
  EXPECT_EQ(info.entry, "add");
  EXPECT_EQ(info.stream, "urgent");
  const KernelRecord& r = m.distributor.records()[0];
  EXPECT_LT(info.enqueued, to_sim_time(r.launched_at));
  EXPECT_LE(r.launched, r.first_cta);
  EXPECT_LT(r.first_cta, r.ended);
  EXPECT_NEAR(static_cast<double>(r.deadline_ns), ns(info.enqueued) + 100000, 1000);
}

TEST(Runtime, AStreamIsInOrderAndStreamsAreNot) {
  Machine m("machine");
  m.sms.cycles = [](const CtaLaunch&) { return Cycle{5000}; };
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream(), t = device.create_stream();
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    const auto args = Args::of(std::uint64_t{0}, 0u);
    device.launch(kernel, Dim3(1), Dim3(32), args, s, named("a"));
    device.launch(kernel, Dim3(1), Dim3(32), args, s, named("b"));
    device.launch(kernel, Dim3(1), Dim3(32), args, t, named("c"));
    device.synchronize();
  });
  EXPECT_GT(m.record("b").first_cta, m.record("a").ended);
  EXPECT_LT(m.record("c").first_cta, m.record("a").ended);
}

TEST(Runtime, CopiesAndKernelsOfAStreamDoNotOverlap) {
  Machine m("machine");
  std::vector<std::uint32_t> data(1000, 5), result(1000, 0);
  m.program([&](rt::Runtime& device) {
    const auto buffer = device.malloc(4000);
    m.sms.on_launch = [&](const CtaLaunch&, unsigned) {  // the "kernel" doubles what it finds at launch
      auto* p = reinterpret_cast<std::uint32_t*>(m.memory.at(buffer));
      for (int i = 0; i < 1000; ++i) p[i] *= 2;
    };
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    device.copy_to_device_async(buffer, data.data(), 4000, Stream{0});
    device.launch(kernel, Dim3(1), Dim3(32), Args::of(buffer, 0u));
    device.copy_to_host_async(result.data(), buffer, 4000, Stream{0});
    device.synchronize(Stream{0});
  });
  EXPECT_EQ(result, std::vector<std::uint32_t>(1000, 10));
}

TEST(Runtime, AMarkIsTheLastCommandOfItsStreamAndCanBeAsked) {
  Machine m("machine");
  m.sms.cycles = [](const CtaLaunch&) { return Cycle{20000}; };
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream(), t = device.create_stream();
    EXPECT_TRUE(device.completed(device.mark(s)));  // no command yet
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    const auto args = Args::of(std::uint64_t{0}, 0u);
    device.launch(kernel, Dim3(1), Dim3(32), args, s, named("first"));
    const rt::Event first = device.mark(s);
    device.launch(kernel, Dim3(1), Dim3(32), args, s, named("second"));
    const rt::Event second = device.mark(s);
    device.wait(t, first);
    EXPECT_FALSE(device.completed(first));
    device.synchronize(first);
    EXPECT_TRUE(device.completed(first));
    EXPECT_FALSE(device.completed(second));
    device.synchronize(second);
    EXPECT_TRUE(device.completed(second));
    EXPECT_NEAR(device.elapsed_us(first, second), 20.0, 2.0);
    device.synchronize();
  });
  EXPECT_EQ(m.distributor.records().size(), 2u);
}

TEST(Runtime, EventsOrderStreamsAndMeasureTime) {
  Machine m("machine");
  m.sms.cycles = [](const CtaLaunch&) { return Cycle{20000}; };
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream(), t = device.create_stream();
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    const auto args = Args::of(std::uint64_t{0}, 0u);
    const rt::Event before = device.record(s);
    device.launch(kernel, Dim3(1), Dim3(32), args, s, named("first"));
    const rt::Event after = device.record(s);
    device.wait(t, after);
    device.launch(kernel, Dim3(1), Dim3(32), args, t, named("second"));
    EXPECT_THROW(device.elapsed_us(before, after), InputError);
    device.synchronize(after);
    EXPECT_NEAR(device.elapsed_us(before, after), 20.0, 2.0);
    EXPECT_FALSE(m.distributor.idle() && m.distributor.records().size() == 2);  // t is not done
    device.synchronize();
    device.wait(s, after);  // already complete: nothing to do
    device.synchronize(s);
  });
  EXPECT_GT(m.record("second").first_cta, m.record("first").ended);
}

// A launch takes the host call_ns and launch_ns, a copy call_ns.
TEST(Runtime, LaunchesMayCostTheHostMore) {
  ControlPathOptions options;
  Machine m("machine", options);
  m.config.call_ns = 1000;
  m.config.launch_ns = 100000;
  m.program([&](rt::Runtime& device) {
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    const auto memory = device.malloc(64);
    std::vector<std::uint8_t> bytes(64);
    const auto stream = device.create_stream();
    const SimTime begin = device.host().now();
    for (int i = 0; i < 4; ++i) device.copy_to_device_async(memory, bytes.data(), bytes.size(), stream);
    const SimTime copied = device.host().now();
    for (int i = 0; i < 4; ++i) device.launch(kernel, Dim3(1), Dim3(32), Args::of(std::uint64_t{0}, 1u), stream);
    const SimTime launched = device.host().now();
    device.synchronize();
    const auto us = [](SimTime t) { return t.to_seconds() * 1e6; };
    EXPECT_GE(us(copied - begin), 4 * 1);
    EXPECT_LT(us(copied - begin), 4 * 10);
    EXPECT_GE(us(launched - copied), 4 * 101);
    EXPECT_LT(us(launched - copied), 4 * 110);
  });
}

TEST(Runtime, ManyCommandsReuseRingsSignalsAndArgumentBlocks) {
  ControlPathOptions options;
  Machine m("machine", options);
  m.config.ring_packets = 4;
  m.config.command_kib = 64;
  m.config.call_ns = 0;
  m.sms.cycles = [](const CtaLaunch&) { return Cycle{10}; };
  std::vector<std::uint32_t> seen;
  m.sms.on_launch = [&](const CtaLaunch& l, unsigned) {
    std::uint32_t v;
    std::memcpy(&v, m.memory.at(l.kernarg_address + 8), 4);
    seen.push_back(v);
  };
  std::vector<std::uint32_t> expected(2000);
  std::iota(expected.begin(), expected.end(), 0u);
  m.program([&](rt::Runtime& device) {
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    for (std::uint32_t i = 0; i < 2000; ++i)
      device.launch(kernel, Dim3(1), Dim3(32), Args::of(std::uint64_t{0}, i));
    device.synchronize();
  });
  EXPECT_EQ(seen, expected);
  EXPECT_FALSE(m.faults.faulted());
}

TEST(Runtime, MoreStreamsThanQueuesShareThem) {
  ControlPathOptions options;
  options.processor.queues = 2;
  Machine m("machine", options);
  m.program([&](rt::Runtime& device) {
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    for (int i = 0; i < 6; ++i)
      device.launch(kernel, Dim3(1), Dim3(32), Args::of(std::uint64_t{0}, 0u), device.create_stream());
    device.synchronize();
  });
  EXPECT_EQ(m.distributor.records().size(), 6u);
  EXPECT_EQ(m.services->next_queue, 2u);
}

TEST(Runtime, GlobalsArePlacedAndInitialised) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const auto dirty = device.malloc(4096);
    device.memset_async(dirty, 0xff, 4096, Stream{0});
    device.free(dirty);
    const auto module = device.load_module("a.ptx");
    std::uint32_t counter[4] = {9, 9, 9, 9};
    std::uint8_t table[4] = {};
    device.copy_to_host(counter, device.symbol(module, "counter"), 16);
    device.copy_to_host(table, device.symbol(module, "table"), 4);
    EXPECT_THAT(counter, ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(table, ElementsAre(1, 2, 3, 4));
    try {
      device.symbol(module, "tabel");
      FAIL();
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr("a.ptx: no variable 'tabel'"));
    }
  });
}

TEST(Runtime, AModuleInTextIsLikeOneInAFile) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const unsigned context = device.create_context();
    rt::StreamOptions options;
    options.context = context;
    const Stream s = device.create_stream(options);
    const auto module = device.load_module_text("mine", "a.ptx", context);
    EXPECT_NE(device.symbol(module, "table"), 0u);
    device.launch(device.kernel(module, "add"), Dim3(2), Dim3(64), Args::of(std::uint64_t{0}, 0u), s,
                  named("text"));
    device.synchronize();
    const auto message = [](const std::function<void()>& call) -> std::string {
      try {
        call();
      } catch (const InputError& error) {
        return error.what();
      }
      return "none";
    };
    EXPECT_EQ(message([&] { device.load_module_text("mine", "a.ptx", 7); }),
              "load_module_text: no context 7; there are 2");
    EXPECT_EQ(message([&] { device.load_module_text("mine", "nonsense"); }), "mine:1:1: not to be parsed");
    EXPECT_THAT(message([&] { device.kernel(module, "sub"); }), HasSubstr("'sub'"));
  });
  EXPECT_EQ(m.record("text").ctas_done, 2u);
  EXPECT_EQ(m.record("text").context, 1u);
}

TEST(Runtime, BindingATextureWritesItsDescriptor) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const auto module = device.load_module("a.ptx");
    const auto memory = device.malloc(640);
    ptx::ImageDescriptor d;
    device.copy_to_host(&d, device.symbol(module, "image"), sizeof d);
    EXPECT_EQ(d.base, 0u) << "nothing is bound";
    rt::TextureDescription t;
    t.geometry = rt::Geometry::d2;
    t.width = 30;
    t.height = 5;
    t.pitch_bytes = 128;
    device.bind_texture(module, "image", memory, t);
    device.copy_to_host(&d, device.symbol(module, "image"), sizeof d);
    EXPECT_EQ(d.base, memory);
    EXPECT_EQ(d.width, 30u);
    EXPECT_EQ(d.height, 5u);
    EXPECT_EQ(d.pitch_bytes, 128u);
    EXPECT_EQ(d.geometry, static_cast<unsigned>(rt::Geometry::d2));
    EXPECT_TRUE(ptx::well_formed(d, ptx::kTextureMagic));

    rt::TextureDescription tall = t, linear = t;
    tall.height = 6;
    linear.filter = rt::TextureFilter::kLinear;
    linear.type = rt::TexelType::u32;
    const struct {
      const char* part;
      std::function<void()> use;
    } cases[] = {
        {"a.ptx: no variable 'imge'", [&] { device.bind_texture(module, "imge", memory, t); }},
        {"a.ptx: variable 'table' is not a texture",
         [&] { device.bind_texture(module, "table", memory, t); }},
        {"texture 'image': 760 bytes at", [&] { device.bind_texture(module, "image", memory, tall); }},
        {"texture 'image': 0x10 is not in an allocation",
         [&] { device.bind_texture(module, "image", 0x10, t); }},
        {"texture 'image': linear filtering needs texels that are read as floating point",
         [&] { device.bind_texture(module, "image", memory, linear); }},
    };
    for (const auto& c : cases) {
      try {
        c.use();
        ADD_FAILURE() << "accepted: " << c.part;
      } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr(c.part));
      }
    }
  });
}

TEST(Runtime, TextureAndSurfaceObjectsAreDescriptorsInDeviceMemory) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    rt::TextureDescription t;
    t.geometry = rt::Geometry::a2d;
    t.width = 5;
    t.height = 3;
    t.layers = 4;
    const auto memory = device.malloc_image(t);
    const rt::ImageHandle texture = device.create_texture(memory, t),
                          surface = device.create_surface(memory, t);
    EXPECT_NE(texture, surface);
    ptx::ImageDescriptor d;
    device.copy_to_host(&d, texture, sizeof d);
    EXPECT_TRUE(ptx::well_formed(d, ptx::kTextureMagic));
    EXPECT_EQ(d.base, memory);
    EXPECT_EQ(d.slice_pitch_bytes, 60u);
    EXPECT_EQ(ptx::image_bytes(d), 240u);
    device.copy_to_host(&d, surface, sizeof d);
    EXPECT_TRUE(ptx::well_formed(d, ptx::kSurfaceMagic));
    device.destroy_image(texture);
    rt::TextureDescription large = t;
    large.layers = 5;
    const struct {
      const char* part;
      std::function<void()> use;
    } cases[] = {
        {"is no texture and no surface", [&] { device.destroy_image(texture); }},
        {"is no texture and no surface", [&] { device.destroy_image(memory); }},
        {"texture 'object': 300 bytes at", [&] { device.create_texture(memory, large); }},
        {"surface 'object': 0x10 is not in an allocation", [&] { device.create_surface(0x10, t); }},
    };
    for (const auto& c : cases) {
      try {
        c.use();
        ADD_FAILURE() << "accepted: " << c.part;
      } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr(c.part));
      }
    }
    device.destroy_image(surface);
  });
}

TEST(Runtime, TwoHostProgramsRunSideBySide) {
  Machine m("machine");
  m.sms.cycles = [](const CtaLaunch&) { return Cycle{3000}; };
  int ended = 0;
  for (int i = 0; i < 2; ++i) {
    m.host.add_program("program", [&, i](HostInterface& host) {
      rt::RuntimeImpl device(host, *m.services);
      std::vector<int> data(5000, i + 1), back(5000, 0);
      const auto buffer = device.malloc(20000);
      device.copy_to_device(buffer, data.data(), 20000);
      const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
      device.launch(kernel, Dim3(4), Dim3(32), Args::of(buffer, 0u));
      device.copy_to_host(back.data(), buffer, 20000);
      EXPECT_EQ(back, data);
      ++ended;
    });
  }
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
  EXPECT_EQ(ended, 2);
  EXPECT_TRUE(m.host.finished());
  EXPECT_EQ(m.distributor.records().size(), 2u);
  EXPECT_NE(m.launches.launches()[0].queue, m.launches.launches()[1].queue);
}

// Every wrong use: what is called, and what the message must hold.
TEST(Runtime, WrongUseIsAnInputErrorWithNamesAndNumbers) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const auto module = device.load_module("a.ptx");
    const auto add = device.kernel(module, "add"), limited = device.kernel(module, "limited"),
               exact = device.kernel(module, "exact");
    const auto good = Args::of(std::uint64_t{0}, 0u);
    const auto buffer = device.malloc(1000);
    const unsigned context = device.create_context();
    rt::StreamOptions in_context;
    in_context.context = context;
    const Stream other = device.create_stream(in_context);
    char host[2000] = {};
    rt::LaunchOptions no_budget, much_shared, many_registers;
    no_budget.budget = 0;
    much_shared.dynamic_shared_bytes = 98000;
    many_registers.registers = 255;
    const struct {
      const char* part;
      std::function<void()> use;
    } cases[] = {
        {"'add': 1 arguments given, 2 expected (.u64 add_param_0, .u32 add_param_1)",
         [&] { device.launch(add, 1, 32, Args::of(1u)); }},
        {"argument 1 has 8 bytes, parameter .u32 add_param_1 takes 4",
         [&] { device.launch(add, 1, 32, Args::of(std::uint64_t{0}, std::uint64_t{0})); }},
        {"grid.x is 0", [&] { device.launch(add, 0, 32, good); }},
        {"grid.y is 70000, allowed are 1 to 65535", [&] { device.launch(add, Dim3(1, 70000), 32, good); }},
        {"block.x is 1025, allowed are 1 to 1024", [&] { device.launch(add, 1, 1025, good); }},
        {"block.z is 65, allowed are 1 to 64", [&] { device.launch(add, 1, Dim3(1, 1, 65), good); }},
        {"33 x 32 x 1 has 1056 threads, at most 1024", [&] { device.launch(add, 1, Dim3(33, 32), good); }},
        {"more than 2^32 - 1", [&] { device.launch(add, 0x7fffffff, 1024, good); }},
        {"65 threads, but .maxntid allows 64", [&] { device.launch(limited, 1, 65, good); }},
        {"32 x 1 x 1, but .reqntid requires 32 x 2 x 1", [&] { device.launch(exact, 1, 32, good); }},
        {"budget is 0", [&] { device.launch(add, 1, 32, good, Stream{0}, no_budget); }},
        {"99024 bytes of shared memory (1024 static, 98000 dynamic), at most 98304",
         [&] { device.launch(add, 1, 32, good, Stream{0}, much_shared); }},
        {"never fits on an SM, for lack of registers",
         [&] { device.launch(add, 1, 1024, good, Stream{0}, many_registers); }},
        {"context 0 launched into stream 'stream1' of context 1",
         [&] { device.launch(add, 1, 32, good, other); }},
        {"no stream 9", [&] { device.launch(add, 1, 32, good, Stream{9}); }},
        {"no kernel 7 in a.ptx",
         [&] {
           device.launch(rt::Kernel{0, 7}, 1, 32, good);
         }},
        {"1001 bytes at", [&] { device.copy_to_device(buffer, host, 1001); }},
        {"900 bytes are left", [&] { device.copy_to_host(host, buffer + 100, 901); }},
        {"not in an allocation", [&] { device.memset_async(buffer + 1000, 0, 1, Stream{0}); }},
        {"not in an allocation", [&] { device.copy_on_device_async(buffer, 0, 1, Stream{0}); }},
        {"not the start of an allocation", [&] { device.free(buffer + 256); }},
        {"device memory exhausted", [&] { device.malloc(1ull << 40); }},
        {"no context 5", [&] { device.malloc(1, 5); }},
        {"no event 3", [&] { device.synchronize(rt::Event{3}); }},
        {"b.ptx: cannot be read", [&] { device.load_module("b.ptx"); }},
    };
    for (const auto& c : cases) {
      try {
        c.use();
        ADD_FAILURE() << "accepted: " << c.part;
      } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr(c.part));
        EXPECT_THAT(e.what(), ::testing::Not(HasSubstr("\n")));
      }
    }
    device.launch(add, 1, 32, good);  // and none of it has left traces
    device.synchronize();
  });
  EXPECT_EQ(m.distributor.records().size(), 1u);
  EXPECT_FALSE(m.faults.faulted());
}

TEST(Runtime, OccupancyAndSmCount) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const auto kernel = device.kernel(device.load_module("a.ptx"), "add");
    EXPECT_EQ(device.sm_count(), 4u);
    EXPECT_EQ(device.occupancy(kernel, 256), 8u);
    EXPECT_EQ(device.occupancy(kernel, 256, 98304 / 4 - 1024), 4u);
    EXPECT_EQ(device.occupancy(kernel, 2048), 0u);
  });
}

TEST(Runtime, AStoppedQueueEndsTheRunAsAFault) {
  Machine m("machine");
  bool past = false;
  m.program([&](rt::Runtime& device) {
    std::vector<char> data(100000, 1);
    const auto buffer = device.malloc(100000);
    device.copy_to_device_async(buffer, data.data(), 100000, Stream{0});
    device.free(0);
    m.memory.release(buffer);
    m.host.unmap(regmap::kHostBusBase + 0x3000);  // the mapping of `data`: the engine loses its source
    for (std::uint64_t bus = regmap::kHostBusBase + 0x2000; bus < regmap::kHostBusBase + 0x40000;
         bus += 0x1000)
      m.host.unmap(bus);
    device.synchronize();
    past = true;
  });
  EXPECT_FALSE(past);
  ASSERT_TRUE(m.faults.faulted());
  EXPECT_THAT(m.faults.fault()->what, HasSubstr("copy met a bad address"));
}

TEST(LaunchList, RunsInOrderOfStartTimesAndReadsBack) {
  Machine m("machine");
  m.sms.cycles = [](const CtaLaunch&) { return Cycle{1000}; };
  apps::LaunchList list;
  list.buffers = {{"x", std::vector<std::uint8_t>(64, 3), 0}, {"y", {1, 2, 3, 4}, 0}};
  apps::LaunchList::Launch a, b;
  a.ptx = b.ptx = "a.ptx";
  a.entry = b.entry = "add";
  a.block[0] = b.block[0] = 32;
  a.arguments = b.arguments = {{"x", {}}, {"", {7, 0, 0, 0}}};
  a.name = "late";
  a.start_us = 50;
  b.name = "early";
  b.stream = 3;
  b.priority = 2;
  list.launches = {a, b};
  list.read_back = {"x", "y"};
  std::map<std::string, std::vector<std::uint8_t>> result;
  m.program([&](rt::Runtime& device) {
    m.sms.on_launch = [&](const CtaLaunch& l, unsigned) {
      std::uint64_t x;
      std::memcpy(&x, m.memory.at(l.kernarg_address), 8);
      *m.memory.at(x) = std::byte{42};
    };
    result = apps::run_launch_list(device, list);
  });
  EXPECT_EQ(m.distributor.records().size(), 2u);
  EXPECT_EQ(m.launches.launches()[0].name, "early");
  EXPECT_EQ(m.launches.launches()[0].priority, 2);
  EXPECT_EQ(m.launches.launches()[0].stream, "stream3");
  EXPECT_NEAR(ns(m.launches.launches()[1].enqueued - m.launches.launches()[0].enqueued), 50000, 1000);
  EXPECT_EQ(result["x"][0], 42);
  EXPECT_EQ(result["x"][1], 3);
  EXPECT_EQ(result["y"], (std::vector<std::uint8_t>{1, 2, 3, 4}));
}

std::string message(Machine& m, const apps::LaunchList& list) {
  try {
    m.program([&](rt::Runtime& device) { apps::run_launch_list(device, list); });
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(LaunchList, ErrorsNameTheLaunch) {
  Machine m("machine");
  apps::LaunchList list;
  apps::LaunchList::Launch a;
  a.place = "run.yaml:7:5";
  a.ptx = "a.ptx";
  a.entry = "add";
  a.arguments = {{"nope", {}}, {"", {7, 0, 0, 0}}};
  list.launches = {a};
  EXPECT_EQ(message(m, list), "run.yaml:7:5: no buffer 'nope'");
}

TEST(LaunchList, AStartBeyondTheEndOfTimeNamesTheLaunch) {
  Machine m("machine");
  apps::LaunchList list;
  apps::LaunchList::Launch a;
  a.place = "run.yaml:7:5";
  a.ptx = "a.ptx";
  a.entry = "add";
  a.start_us = 1e300;
  list.launches = {a};
  EXPECT_EQ(message(m, list),
            "run.yaml:7:5: 1e+300 us is no simulated time: it must be at least 0 and less than 9,223 s");
}

}  // namespace
}  // namespace warpvp::test
