#pragma once
// One declaration per configuration field. A Config struct lists its fields once in
// `void fields(FieldVisitor& v)`; loading from YAML, checking, printing the resolved configuration and the
// generated reference (`docs/configuration.md`, `warpvp describe`) are visitors of that list.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/field.h"

namespace warpvp {

class FieldVisitor;

/// A file named in YAML, relative to the file that names it.
struct PathValue {
  std::string written;   ///< as the user wrote it; empty: not given
  std::string resolved;  ///< where it lies
  std::string place;     ///< "file:line:column"
};

/// Takes one record of a file: its name, its place ("file:line:column"), and what visits its fields. May be
/// called for a record named NAME, of defaults, by visitors that document.
using RecordReader =
    std::function<void(const std::string& name, const std::string& place, FieldVisitor& fields)>;

/// Visits the fields of a Config struct whose type the receiver does not know: one type, so that one
/// std::function of it serves all of them.
struct FieldsOfAny {
  template <class Fields>
  explicit FieldsOfAny(Fields& fields)
      : fields_(&fields), visit_([](void* f, FieldVisitor& v) { static_cast<Fields*>(f)->fields(v); }) {}
  void operator()(FieldVisitor& v) const { visit_(fields_, v); }

 private:
  void* fields_;
  void (*visit_)(void* fields, FieldVisitor& v);
};

/// A policy named in YAML with its own parameters: `scheduler: gto` or `scheduler: {name: qaws, x: 1}`.
/// `kind` is the registry it is looked up in ("warp_scheduler", "cta_dispatch", ...).
struct PolicyChoice {
  PolicyChoice() = default;
  PolicyChoice(const char* default_name) : name(default_name) {}  // NOLINT: reads naturally in Config structs
  std::string name;
  std::string place;  ///< "file:line:column" of the name; empty for a default
  /// Reads the parameters written in YAML into a struct that declares them; empty: all defaults.
  std::function<void(const std::function<void(FieldVisitor&)>& fields)> load;

  /// Reads them into `fields`, whose defaults stay where YAML says nothing.
  template <class Fields>
  void load_into(Fields& fields) const {
    if (load) load(FieldsOfAny(fields));
  }
};

/// Visits the fields of a Config struct. `key` is the YAML key, `unit` is "" for pure numbers, `doc` is one
/// sentence. Numbers are plain members with their default value already in place.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  void field(const char* key, bool& value, const char* doc) { visit({key, &value, "", doc, Constraint()}); }
  void field(const char* key, std::string& value, const char* doc, const Constraint& c = {}) {
    visit({key, &value, "", doc, c});
  }
  /// A whole number, a number, or a list of whole numbers.
  template <class Value>
  void field(const char* key, Value& value, const char* unit, const char* doc, const Constraint& c = {}) {
    visit({key, &value, unit, doc, c});
  }
  virtual void visit(const Field& field) = 0;
  virtual void policy(const char* key, const char* kind, PolicyChoice& value, const char* doc) = 0;
  /// A block of the platform: `key: TYPE`, or a mapping with `type`, fields that all types have (`common`
  /// visits them), and fields of that type.
  virtual void block(const char* key, const char* kind, PolicyChoice& value,
                     const std::function<void(FieldVisitor&)>& common, const char* doc) {
    policy(key, kind, value, doc);
  }
  /// Records in files of their own: `key: PATH` or `key: [PATH, ..]`, each file with one mapping `heading` of
  /// names to records. `read` is called for each record that is read. The default ignores all.
  virtual void records(const char* key, const char* heading, std::vector<PathValue>& files,
                       const RecordReader& read, const char* doc) {}

  /// A nested struct with its own `fields(FieldVisitor&)`.
  template <class Group>
  void group(const char* key, Group& value, const char* doc) {
    begin_group(key, doc);
    value.fields(*this);
    end_group();
  }
  /// Reports a condition over several fields of the current group that does not hold:
  /// `place of key: message`. Called by `fields()` after the fields it depends on.
  virtual void require(bool condition, const char* key, const std::string& message) = 0;

 protected:
  virtual void begin_group(const char* key, const char* doc) = 0;
  virtual void end_group() = 0;
};

}  // namespace warpvp
