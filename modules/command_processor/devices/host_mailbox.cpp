#include "modules/command_processor/devices/host_mailbox.h"

#include <algorithm>

namespace warpvp {

namespace mailbox = regmap::mailbox;

HostMailbox::HostMailbox(sc_core::sc_module_name name, Post post)
    : Device(name, "Host mailbox", mailbox::kBytes,
             "Words between the host and the firmware. The host writes SEND, HOST_ADDRESS and HOST_RECORDS, "
             "the firmware "
             "uses the "
             "rest."),
      post_(std::move(post)) {
  const auto ro = RegisterAccess::kReadOnly;
  const auto wo = RegisterAccess::kWriteOnly;
  block_.add({"TO_CORE_COUNT", mailbox::kToCoreCount, 4, 1, 0, ro, 0, "Words from the host that wait.",
              [this](unsigned) { return std::uint64_t{to_core_.size()}; }});
  block_.add({"TO_CORE", mailbox::kToCore, 4, 1, 0, ro, 0, "The oldest of them, 0 when there is none.",
              [this](unsigned) { return std::uint64_t{to_core_.empty() ? 0 : to_core_.front()}; }});
  block_.add({"TO_CORE_POP",
              mailbox::kToCorePop,
              4,
              1,
              0,
              wo,
              0,
              "Drops the oldest word; refused (generic error) when there is none.",
              {},
              [this](unsigned, std::uint64_t) {
                if (to_core_.empty()) {
                  refuse(tlm::TLM_GENERIC_ERROR_RESPONSE);
                } else {
                  to_core_.pop_front();
                }
              }});
  block_.add(
      {"TO_HOST",
       mailbox::kToHost,
       4,
       1,
       0,
       wo,
       0,
       "Sends a word: a record of the number of words sent and the word is posted to HOST_ADDRESS, where "
       "HOST_RECORDS of them lie in a row that are written in turn. Without that address the word is only "
       "counted.",
       {},
       [this](unsigned, std::uint64_t value) {
         const mailbox::HostRecord record{++to_host_, static_cast<std::uint32_t>(value)};
         const std::uint64_t records = std::max<std::uint64_t>(1, block_.get(host_records_));
         const std::uint64_t address = block_.get(host_address_);
         if (address != 0) post_(address + (record.count - 1) % records * sizeof record, record);
       }});
  block_.add({"SEND",
              mailbox::kSend,
              4,
              1,
              0,
              wo,
              0,
              "The host sends a word to the firmware. Refused (command error) while 16 words wait.",
              {},
              [this](unsigned, std::uint64_t value) {
                if (to_core_.size() == mailbox::kDepth) {
                  refuse(tlm::TLM_COMMAND_ERROR_RESPONSE);
                  return;
                }
                to_core_.push_back(static_cast<std::uint32_t>(value));
                if (on_word) on_word();
              }});
  host_address_ =
      block_.add(in_halves({"HOST_ADDRESS", mailbox::kHostAddress, 8, 1, 0, RegisterAccess::kReadWrite, 0,
                            "Host bus address of the records for words to the host; 0: none."}));
  host_records_ = block_.add({"HOST_RECORDS", mailbox::kHostRecords, 4, 1, 0, RegisterAccess::kReadWrite, 1,
                              "Records at HOST_ADDRESS; 0 counts as 1."});
}

}  // namespace warpvp
