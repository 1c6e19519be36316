#include "sw/cuda/library/connection.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <utility>

#include "sw/cuda/socket_bytes.h"

namespace warpvp::cuda {

namespace {

// Recursive: what delivers may be asked for device memory.
std::recursive_mutex& turn() {
  static auto* const mutex = new std::recursive_mutex;  // never destroyed: programs call at their very end
  return *mutex;
}

/// After a message that could not be sent or received whole.
[[noreturn]] void simulator_gone() {
  fflush(stdout);
  if (errno == EFAULT) {
    // As the driver does, which copies from and to the program's memory too.
    fprintf(stderr, "warpvp: the program copies from or to memory of the host that it does not have\n");
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  fprintf(stderr, "warpvp: the simulator has ended, and the program with it\n");
  _exit(3);
}

}  // namespace

Connection& Connection::instance() {
  static auto* const connection = new Connection;
  return *connection;
}

Error Connection::connect() {
  const char* const path = getenv(kSocketVariable);
  sockaddr_un address{};
  if (path == nullptr || strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr,
            "warpvp: there is no simulator: start the program with `warpvp cuda -- PROGRAM ARGUMENTS`\n");
    return kNoDevice;
  }
  address.sun_family = AF_UNIX;
  strcpy(address.sun_path, path);
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fprintf(stderr, "warpvp: no simulator answers at %s: %s\n", path, strerror(errno));
    return kNoDevice;
  }
  process_ = getpid();
  opened_ = kSuccess;
  Writer hello;
  hello.put(kProtocolVersion).put_text(program_invocation_short_name);
  Answer answer = call(Call::kHello, hello);
  facts_ = answer.in.get<DeviceFacts>();
  return answer.error;
}

Error Connection::open() {
  const std::lock_guard<std::recursive_mutex> lock(turn());
  if (process_ != 0 && process_ != getpid()) return kInitializationError;
  if (opened_ == kUnknown) opened_ = connect();
  return opened_;
}

void Connection::send(Call what, const Writer& arguments, const void* data, std::size_t bytes) {
  Header header;
  header.what = static_cast<std::uint32_t>(what);
  header.bytes = arguments.bytes().size() + bytes;
  iovec pieces[] = {{&header, sizeof header},
                    {const_cast<std::uint8_t*>(arguments.bytes().data()), arguments.bytes().size()},
                    {const_cast<void*>(data), bytes}};
  errno = 0;  // simulator_gone() looks at it
  if (!send_pieces(socket_, pieces)) simulator_gone();
}

Answer Connection::receive(Error before) {
  Header header;
  int file = -1;
  errno = 0;
  if (!receive_with_file(socket_, &header, sizeof header, file)) simulator_gone();
  std::uint64_t left = header.bytes;
  for (std::uint32_t i = 0; i < header.deliveries; ++i) {
    std::uint64_t head[2];  // where it belongs, and how long it is
    if (left < sizeof head || !receive_all(socket_, head, sizeof head) || head[1] > left - sizeof head)
      simulator_gone();
    left -= sizeof head + head[1];
    if (head[0] != 0) {
      if (!receive_all(socket_, reinterpret_cast<void*>(head[0]), head[1])) simulator_gone();
      continue;
    }
    std::vector<char> text(head[1]);
    if (!receive_all(socket_, text.data(), text.size())) simulator_gone();
    fwrite(text.data(), 1, text.size(), stdout);  // what kernels have printed, in the program's own order
  }
  std::vector<std::uint8_t> answer(left);
  if (!receive_all(socket_, answer.data(), answer.size())) simulator_gone();
  const auto error = static_cast<Error>(header.what);
  faulted_ |= ends_context(error);
  if (error == kSuccess && before != kSuccess) {
    if (file >= 0) close(file);
    return Answer(before);
  }
  return Answer(error, std::move(answer), file);
}

void Connection::receive_posted() {
  const Answer answer = receive();
  if (answer.error != kSuccess) of_posted_ = answer.error;
  posted_bytes_ -= posted_.front();
  posted_.pop_front();
}

Answer Connection::call(Call what, const Writer& arguments, const void* data, std::size_t bytes) {
  const std::lock_guard<std::recursive_mutex> lock(turn());
  if (const Error error = open()) return Answer(error);
  if (posted_bytes_ + arguments.bytes().size() + bytes > kMostPostedBytes)
    while (!posted_.empty()) receive_posted();
  send(what, arguments, data, bytes);
  while (!posted_.empty()) receive_posted();
  return receive(std::exchange(of_posted_, kSuccess));
}

Error Connection::post(Call what, const Writer& arguments) {
  const std::lock_guard<std::recursive_mutex> lock(turn());
  if (const Error error = open()) return error;
  const std::size_t bytes = sizeof(Header) + arguments.bytes().size();
  if (bytes > kMostPostedBytes) return call(what, arguments).error;
  while (posted_.size() >= kMostPosted || posted_bytes_ + bytes > kMostPostedBytes) receive_posted();
  if (faulted_ || of_posted_ != kSuccess) return call(what, arguments).error;
  send(what, arguments, nullptr, 0);
  posted_.push_back(bytes);
  posted_bytes_ += bytes;
  return kSuccess;
}

}  // namespace warpvp::cuda
