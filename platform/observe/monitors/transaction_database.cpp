#include "platform/observe/monitors/transaction_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"
#include "interconnect/transaction.h"

namespace warpvp {

namespace {

/// What is written is safe on the disk every so many rows, should the program be killed.
constexpr std::uint64_t kRowsPerCommit = 100'000;

const char* name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "load";
    case AccessKind::kStore:
      return "store";
    case AccessKind::kAtomic:
      return "atomic";
    case AccessKind::kInstruction:
      return "instruction";
    case AccessKind::kConstant:
      return "constant";
    case AccessKind::kLocal:
      return "local";
    case AccessKind::kCommand:
      return "command";
    case AccessKind::kCopy:
      return "copy";
    case AccessKind::kTranslation:
      return "translation";
    case AccessKind::kState:
      return "state";
    case AccessKind::kRecall:
      return "recall";
  }
  return "unknown";
}

const char* name_of(tlm::tlm_command command) {
  return command == tlm::TLM_READ_COMMAND ? "read" : command == tlm::TLM_WRITE_COMMAND ? "write" : "ignore";
}

void bind_value(sqlite3_stmt* s, int index, std::uint64_t value) {
  sqlite3_bind_int64(s, index, static_cast<sqlite3_int64>(value));
}

void bind_value(sqlite3_stmt* s, int index, const std::optional<std::uint64_t>& value) {
  if (value) {
    bind_value(s, index, *value);
  } else {
    sqlite3_bind_null(s, index);
  }
}

void bind_value(sqlite3_stmt* s, int index, const std::string& text) {
  sqlite3_bind_text(s, index, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

/// NULL for "none".
void bind_place(sqlite3_stmt* s, int index, std::uint16_t value) {
  bind_value(s, index, value == MemExtension::kNone ? std::optional<std::uint64_t>() : value);
}

}  // namespace

TransactionDatabase::TransactionDatabase(std::filesystem::path file, std::uint64_t limit)
    : file_(std::move(file)), limit_(limit) {
  std::error_code error;
  std::filesystem::remove(file_, error);
  if (sqlite3_open(file_.c_str(), &db_) != SQLITE_OK) fail();
  execute("PRAGMA journal_mode = OFF");
  execute("PRAGMA synchronous = OFF");
  execute("CREATE TABLE links (link_id INTEGER PRIMARY KEY, name TEXT)");
  execute(
      "CREATE TABLE transactions (link_id INTEGER REFERENCES links, begin_ps INTEGER, request_end_ps "
      "INTEGER, "
      "response_begin_ps INTEGER, end_ps INTEGER, command TEXT, address INTEGER, bytes INTEGER, kind TEXT, "
      "launch INTEGER, sm INTEGER, warp INTEGER, status TEXT)");
  execute("CREATE TABLE left_out (transactions INTEGER)");
  execute("BEGIN");
  if (sqlite3_prepare_v2(db_, "INSERT INTO transactions VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &insert_,
                         nullptr) != SQLITE_OK)
    fail();
}

TransactionDatabase::~TransactionDatabase() {
  sqlite3_finalize(insert_);
  sqlite3_close(db_);
}

void TransactionDatabase::execute(const char* sql) {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void TransactionDatabase::fail() {
  const std::string why = db_ ? sqlite3_errmsg(db_) : "out of memory";
  sqlite3_finalize(insert_);
  sqlite3_close(db_);
  insert_ = nullptr;
  db_ = nullptr;
  throw InputError(fmt::format("cannot write the transactions to {}: {}", file_.string(), why));
}

unsigned TransactionDatabase::add_link(const std::string& name) {
  sqlite3_stmt* row = nullptr;
  if (sqlite3_prepare_v2(db_, "INSERT INTO links VALUES (?,?)", -1, &row, nullptr) != SQLITE_OK) fail();
  bind_value(row, 1, std::uint64_t{links_});
  bind_value(row, 2, name);
  const bool done = sqlite3_step(row) == SQLITE_DONE;
  sqlite3_finalize(row);
  if (!done) fail();
  return links_++;
}

void TransactionDatabase::add(unsigned link, const RecordedTransaction& record,
                              const tlm::tlm_generic_payload& payload) {
  if (!db_) return;  // ended by an earlier failure
  if (written_ == limit_) {
    ++left_out_;
    return;
  }
  sqlite3_reset(insert_);
  sqlite3_clear_bindings(insert_);
  bind_value(insert_, 1, std::uint64_t{link});
  bind_value(insert_, 2, record.begin_ps);
  bind_value(insert_, 3, record.request_end_ps);
  bind_value(insert_, 4, record.response_begin_ps);
  bind_value(insert_, 5, record.end_ps);
  bind_value(insert_, 6, std::string(name_of(record.command)));
  bind_value(insert_, 7, record.address);
  bind_value(insert_, 8, std::uint64_t{record.bytes});
  if (const MemExtension* ext = MemExtension::find(payload)) {
    bind_value(insert_, 9, std::string(name_of(ext->kind)));
    if (ext->launch != 0xffffffffu) bind_value(insert_, 10, std::uint64_t{ext->launch});
    bind_place(insert_, 11, ext->sm);
    bind_place(insert_, 12, ext->warp);
  }
  bind_value(insert_, 13, payload.get_response_string());
  if (sqlite3_step(insert_) != SQLITE_DONE) fail();
  if (++written_ % kRowsPerCommit == 0) execute("COMMIT; BEGIN");
}

void TransactionDatabase::finish() {
  if (!db_) return;
  if (left_out_) execute(fmt::format("INSERT INTO left_out VALUES ({})", left_out_).c_str());
  execute("COMMIT");
}

}  // namespace warpvp
