#pragma once
// The database of a transaction recorder. Tables:
//
//   links (link_id, name)
//   transactions (link_id, begin_ps, request_end_ps, response_begin_ps, end_ps, command, address, bytes,
//   kind, launch,
//                 sm, warp, status)
//
// One row a finished transaction, in the order in which they ended. Times are in picoseconds of simulated
// time. `request_end_ps` and `response_begin_ps` are NULL where the protocol skipped the phase, as in
// b_transport; `kind`, `launch`, `sm` and `warp` are NULL where the payload does not carry the model's
// extension.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tlm>

struct sqlite3;
struct sqlite3_stmt;

namespace warpvp {

struct RecordedTransaction {
  std::uint64_t begin_ps = 0, end_ps = 0;
  std::optional<std::uint64_t> request_end_ps, response_begin_ps;
  tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
  std::uint64_t address = 0;
  unsigned bytes = 0;
};

class TransactionDatabase {
 public:
  /// Replaces `file`. At most `limit` transactions are written, further ones counted. InputError if it cannot
  /// be written.
  TransactionDatabase(std::filesystem::path file, std::uint64_t limit);
  ~TransactionDatabase();
  TransactionDatabase(const TransactionDatabase&) = delete;
  TransactionDatabase& operator=(const TransactionDatabase&) = delete;

  /// Number of the link in the tables.
  unsigned add_link(const std::string& name);
  /// Launch, SM, warp, kind and status are read from `payload`.
  void add(unsigned link, const RecordedTransaction& record, const tlm::tlm_generic_payload& payload);
  /// Completes the file. Transactions left out by the limit are a row of table `left_out (transactions)`.
  void finish();

 private:
  void execute(const char* sql);
  [[noreturn]] void fail();

  std::filesystem::path file_;
  std::uint64_t limit_, written_ = 0, left_out_ = 0;
  unsigned links_ = 0;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace warpvp
