#include "platform/results/provenance.h"

#include <ctime>
#include <fstream>

#include "platform/results/result_checksum.h"

namespace warpvp {

namespace {

std::vector<std::string> command_of_process() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

std::string shell_text(const std::vector<std::string>& words) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

Provenance provenance_of_process(PlatformOrigin platform) {
  return {build_info(), std::move(platform), shell_text(command_of_process()), now_in_utc()};
}

void Provenance::stats(ResultVisitor& v) const {
  v.text("version", build.version, "The program's version, as `warpvp version` prints it.");
  v.text("commit", build.commit, "Commit of the source tree that the program was built from, or `unknown`.");
  v.flag("modified", build.modified, "The source tree's files differed from that commit.");
  v.text("build_type", build.build_type, "How the program was built: CMake's build type, and sanitizers.");
  v.text("compiler", build.compiler, "What compiled the program.");
  v.text("systemc", build.systemc, "The version of SystemC.");
  v.text("platform", platform.name,
         "Name of the platform; followed by `, changed` where settings were laid over its file.");
  v.text("platform_file", platform.file, "The platform's file.");
  v.text("command", command, "The command line.");
  v.text("date", date, "When the run began, in UTC.");
  v.text("checksum", kNoChecksum,
         "FNV-1a, 64 bits, of the file's text with 16 zeros in the checksum's place: tells whether the file "
         "is as "
         "it was written.");
}

}  // namespace warpvp
