#include "modules/command_processor/gdb/gdb_server.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"

namespace warpvp {

using gdb::Answer;
using gdb::PacketEvent;
using gdb::Stop;
using Received = gdb::LoopbackSocket::Received;

namespace {

// Instructions between two looks at the socket: a look is a system call, which costs as much as some of them.
constexpr unsigned kLookInterval = 1024;
constexpr std::chrono::milliseconds kNoPatience{0};
// A look that waits for the client returns after this, to consider the interrupt flag.
constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

GdbServer::GdbServer(DebugTarget& target, GdbServerOptions options) try
    : target_(target), options_(std::move(options)), socket_(options_.port) {
} catch (const std::system_error& e) {
  throw InputError(
      fmt::format("--gdb {}: cannot listen on that port: {}; allowed: a free port, or 0 to have one chosen",
                  options.port, e.code().message()));
}

void GdbServer::before_instruction() {
  if (options_.wait) {
    options_.wait = false;
    while (!session_ && !interrupted()) look(kPatience);
  }
  if (until_look_-- == 0) {
    until_look_ = kLookInterval;
    look(kNoPatience);
  }
  if (!session_) return;
  std::uint32_t pc = target_.read_pc();
  std::optional<Stop> stop = run_.before_instruction(pc);
  while (stop) {
    serve(*stop, true);
    const std::uint32_t stopped_at = pc;
    pc = target_.read_pc();
    // A client that moved the pc onto another breakpoint wants the core to stop there.
    stop = pc != stopped_at ? run_.breakpoint_at(pc) : std::nullopt;
  }
}

void GdbServer::faulted(const std::string& what) {
  if (!session_) return;
  if (owes_stop_) send("O" + gdb::to_hex(what + "\n"));
  if (session_) serve(Stop{Stop::Cause::kFault}, true);
}

void GdbServer::poll() {
  look(kNoPatience);
  // A core that is awake sees what arrived before its next instruction.
  while (!events_.empty() && target_.asleep()) serve(Stop{Stop::Cause::kInterrupt}, false);
}

void GdbServer::finish(int exit_status) {
  if (owes_stop_) {
    send(fmt::format("W{:02x}", exit_status & 0xff));
    socket_.finish_client();
  }
  drop_client();
}

void GdbServer::look(std::chrono::milliseconds patience) {
  std::string bytes;
  switch (socket_.receive(patience, !session_, bytes)) {
    case Received::kNothing:
      break;
    case Received::kBytes:
      take_bytes(bytes);
      break;
    case Received::kNewClient:
    case Received::kGone:
      forget_client();
      break;
  }
}

void GdbServer::take_bytes(std::string_view bytes) {
  std::vector<PacketEvent> events;
  reader_.feed(bytes, events);
  for (PacketEvent& event : events) {
    switch (event.kind) {
      case PacketEvent::Kind::kPacket:
        if (acknowledge_) socket_.send("+");
        if (!session_) session_.emplace(target_, run_, options_.monitor);
        break;
      case PacketEvent::Kind::kInterrupt:
        break;
      case PacketEvent::Kind::kResend:
        if (acknowledge_) socket_.send(last_sent_);
        continue;
      case PacketEvent::Kind::kBadChecksum:
        if (acknowledge_) socket_.send("-");
        continue;
      case PacketEvent::Kind::kTooLong:
        drop_client();
        return;
    }
    if (!session_) continue;  // a Ctrl-C from somebody who never spoke the protocol
    events_.push_back(std::move(event));
    run_.request_stop();
  }
  if (!socket_.connected()) forget_client();
}

void GdbServer::serve(Stop stop, bool executes_now) {
  if (stop.cause == Stop::Cause::kInterrupt && !owes_stop_) stop.cause = Stop::Cause::kAttach;
  session_->stopped(stop);
  if (owes_stop_) send(session_->stop_reply());
  owes_stop_ = false;
  while (session_) {
    if (interrupted()) {
      drop_client();
    } else if (events_.empty()) {
      look(kPatience);
    } else {
      const PacketEvent event = std::move(events_.front());
      events_.pop_front();
      // A Ctrl-C that crossed the stop has got what it wanted.
      if (event.kind == PacketEvent::Kind::kPacket && !answer(event.payload, executes_now)) return;
    }
  }
}

bool GdbServer::answer(const std::string& packet, bool executes_now) {
  const Answer answer = session_->handle(packet);
  for (const std::string& payload : answer.payloads)
    if (session_) send(payload);
  if (!session_) return false;
  if (answer.stop_acknowledging) acknowledge_ = false;
  switch (answer.action) {
    case Answer::Action::kStay:
      return true;
    case Answer::Action::kContinue:
    case Answer::Action::kStep:
      run_.resume(answer.action == Answer::Action::kStep, executes_now);
      owes_stop_ = true;
      if (!events_.empty()) run_.request_stop();
      break;
    case Answer::Action::kKill:
      if (options_.kill) options_.kill();
      [[fallthrough]];
    case Answer::Action::kDetach:
      drop_client();
      break;
  }
  return false;
}

void GdbServer::send(const std::string& payload) {
  last_sent_ = gdb::frame_packet(payload);
  socket_.send(last_sent_);
  if (!socket_.connected()) forget_client();
}

void GdbServer::drop_client() {
  socket_.close_client();
  forget_client();
}

void GdbServer::forget_client() {
  session_.reset();
  run_.clear();
  reader_ = gdb::PacketReader();
  events_.clear();
  last_sent_.clear();
  acknowledge_ = true;
  owes_stop_ = false;
}

}  // namespace warpvp
