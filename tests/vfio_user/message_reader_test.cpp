// Messages out of a stream of bytes, however it is cut.
#include "modules/vfio_user/message_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

namespace warpvp::vfio_user {
namespace {

std::vector<std::uint8_t> message(std::uint16_t id, Command command, const std::vector<std::uint8_t>& payload,
                                  std::uint32_t flags = 0) {
  Header header;
  header.id = id;
  header.command = static_cast<std::uint16_t>(command);
  header.bytes = static_cast<std::uint32_t>(sizeof header + payload.size());
  header.flags = flags;
  std::vector<std::uint8_t> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

std::vector<std::uint8_t> three_messages() {
  std::vector<std::uint8_t> stream = message(1, Command::kVersion, {1, 2, 3, 4, 5});
  for (const std::uint8_t byte : message(2, Command::kDeviceReset, {})) stream.push_back(byte);
  for (const std::uint8_t byte : message(3, Command::kDmaRead, {9}, Header::kReplyType))
    stream.push_back(byte);
  return stream;
}

TEST(MessageReader, GivesTheSameMessagesHoweverTheStreamIsCut) {
  const std::vector<std::uint8_t> stream = three_messages();
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    MessageReader reader;
    for (std::size_t at = 0; at < stream.size(); at += piece)
      ASSERT_TRUE(reader.take(stream.data() + at, std::min(piece, stream.size() - at)));
    ASSERT_TRUE(reader.has_message());
    const Message first = reader.next();
    EXPECT_EQ(first.header.id, 1);
    EXPECT_EQ(first.payload, (std::vector<std::uint8_t>{1, 2, 3, 4, 5}));
    const Message second = reader.next();
    EXPECT_EQ(second.command(), Command::kDeviceReset);
    EXPECT_TRUE(second.payload.empty());
    const Message third = reader.next();
    EXPECT_TRUE(third.header.is_reply());
    EXPECT_EQ(third.payload, std::vector<std::uint8_t>{9});
    EXPECT_FALSE(reader.has_message());
    EXPECT_FALSE(reader.within_message());
  }
}

TEST(MessageReader, KnowsThatAMessageIsNotComplete) {
  const std::vector<std::uint8_t> bytes = message(1, Command::kVersion, {1, 2, 3});
  MessageReader reader;
  ASSERT_TRUE(reader.take(bytes.data(), bytes.size() - 1));
  EXPECT_FALSE(reader.has_message());
  EXPECT_TRUE(reader.within_message());
}

std::string problem_of(Header header) {
  std::vector<std::uint8_t> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  MessageReader reader;
  EXPECT_FALSE(reader.take(bytes.data(), bytes.size()));
  EXPECT_FALSE(reader.take(bytes.data(), bytes.size())) << "it takes nothing any more";
  return reader.problem();
}

TEST(MessageReader, RefusesHeadersThatCannotBe) {
  Header header;
  header.bytes = 15;
  EXPECT_EQ(problem_of(header), "a message of 15 bytes, less than its header has");
  header.bytes = kMaxMessage + 1;
  EXPECT_EQ(problem_of(header), "a message of 1048657 bytes; allowed: 1048656");
  header.bytes = 16;
  header.flags = 2;
  EXPECT_EQ(problem_of(header), "a message of type 2; allowed: 0 (command), 1 (reply)");
}

TEST(MessageReader, GivesFilesToTheMessageThatTheyCameWith) {
  const std::vector<std::uint8_t> first = message(1, Command::kVersion, {1}),
                                  second = message(2, Command::kDmaMap, {2});
  MessageReader reader;
  ASSERT_TRUE(reader.take(first.data(), first.size()));
  std::vector<FileDescriptor> files;
  files.emplace_back(open("/dev/null", O_RDONLY));
  const int number = files[0].get();
  ASSERT_TRUE(reader.take(second.data(), 4, std::move(files)));
  ASSERT_TRUE(reader.take(second.data() + 4, second.size() - 4));
  EXPECT_TRUE(reader.next().files.empty());
  {
    const Message with = reader.next();
    ASSERT_EQ(with.files.size(), 1u);
    EXPECT_EQ(with.files[0].get(), number);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), -1) << "it is closed with its message";
}

TEST(MessageReader, RefusesFilesWithoutEnd) {
  MessageReader reader;
  std::vector<FileDescriptor> files;
  for (unsigned i = 0; i <= kMaxFds; ++i) files.emplace_back(open("/dev/null", O_RDONLY));
  const std::uint8_t byte = 0;
  EXPECT_FALSE(reader.take(&byte, 1, std::move(files)));
  EXPECT_EQ(reader.problem(), "more than 16 file descriptors in a message");
}

}  // namespace
}  // namespace warpvp::vfio_user
