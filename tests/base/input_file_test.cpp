// Files that the user names: what is read, and what is refused without being read.

#include "base/input_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "base/error.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

std::string refused_input(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(InputFile, ReadsWholeFilesUpToTheLimit) {
  const Folder folder;
  for (const std::size_t bytes : {0u, 1u, 4095u, 70'000u}) {
    std::string content(bytes, 'x');
    if (bytes > 1) content[1] = '\0';
    const auto file = folder.write("file", content);
    EXPECT_EQ(read_input_file(file, bytes), content);
    if (bytes == 0) continue;
    EXPECT_EQ(refused_input([&] { read_input_file(file, bytes - 1, "run.yaml:1:2", "split it"); }),
              "run.yaml:1:2: cannot read " + file.string() + ": it has " + std::to_string(bytes) +
                  " bytes, more than the " + std::to_string(bytes - 1) + " allowed; split it");
  }
}

TEST(InputFile, AFileWhoseSizeIsNotKnownBeforehandIsReadUpToTheLimit) {
  EXPECT_FALSE(read_input_file("/proc/self/status", 1 << 20).empty());
  EXPECT_NE(refused_input([] { read_input_file("/proc/self/status", 10); }).find("more than the 10 allowed"),
            std::string::npos);
}

TEST(InputFile, RefusesWhatIsNoRegularFile) {
  const Folder folder;
  const std::string fifo = (folder / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string link = (folder / "link").string();
  ASSERT_EQ(symlink("/dev/zero", link.c_str()), 0);
  const int number = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder / "socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(number, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(number);
  const std::pair<std::string, std::string> cases[] = {
      {folder.path().string(), "it is a folder"},
      {"/dev/zero", "it is a device"},
      {link, "it is a device"},
      {fifo, "it is a FIFO"},
      {(folder / "socket").string(), "it is a socket"},
      {(folder / "none").string(), "No such file or directory"}};
  for (const auto& [path, why] : cases) {
    EXPECT_EQ(why_unreadable(path, 100), why) << path;
    EXPECT_EQ(refused_input([&, &path = path] { read_input_file(path, 100); }),
              "cannot read " + path + ": " + why);
    EXPECT_EQ(refused_input([&, &path = path] { check_input_file(path, 100, "here", "do this"); }),
              "here: cannot read " + path + ": " + why + "; do this");
  }
}

}  // namespace
}  // namespace warpvp
