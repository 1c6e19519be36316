// Any bytes from a debugger's client: framing, then every packet answered, with the core going on as the
// client says.

#include <string_view>

#include "modules/command_processor/gdb/packet_codec.h"
#include "modules/command_processor/gdb/session.h"
#include "tests/gdb/scripted_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpvp;
  struct NoDebugger : Debugger {
    explicit NoDebugger(gdb::RunControl& r) : run(r) {}
    void before_instruction() override {}
    void accessed(std::uint32_t address, unsigned bytes, bool store) override {
      run.accessed(address, bytes, store);
    }
    void faulted(const std::string&) override {}
    gdb::RunControl& run;
  };

  gdb::PacketReader reader;
  std::vector<gdb::PacketEvent> events;
  reader.feed(std::string_view(reinterpret_cast<const char*>(data), size), events);

  ScriptedTarget target;
  target.effects[ScriptedTarget::kCode + 8] = {ScriptedTarget::Effect::Kind::kStore, 0x80000800};
  gdb::RunControl run;
  NoDebugger debugger(run);
  const std::vector<gdb::MonitorCommand> monitor{
      {"time", "Simulated time.", [] { return std::string("0"); }}};
  gdb::Session session(target, run, monitor);
  for (const gdb::PacketEvent& event : events) {
    if (event.kind != gdb::PacketEvent::Kind::kPacket) continue;
    const gdb::Answer answer = session.handle(event.payload);
    for (const std::string& payload : answer.payloads) {
      // Whatever is answered is one packet, and arrives as it was meant.
      std::vector<gdb::PacketEvent> echo;
      gdb::PacketReader client;
      client.feed(gdb::frame_packet(payload), echo);
      if (echo.size() != 1 || echo[0].payload != payload) __builtin_trap();
    }
    if (answer.action == gdb::Answer::Action::kContinue || answer.action == gdb::Answer::Action::kStep) {
      run.resume(answer.action == gdb::Answer::Action::kStep, true);
      for (int i = 0; i < 40; ++i) {
        target.execute(debugger);
        if (const auto stop = run.before_instruction(target.pc)) {
          session.stopped(*stop);
          break;
        }
      }
    }
  }
  return 0;
}
