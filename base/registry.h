#pragma once
// Registries of replaceable parts. A policy is one .cpp file that ends in a `WARPVP_REGISTER_POLICY` line;
// its name is then valid in YAML, listed by `warpvp list` and described by `warpvp describe NAME`.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/fields.h"

namespace warpvp {

/// Closest entry of `candidates` to `word` by edit distance, or "" when nothing is near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);
/// "a, b, c".
std::string join_names(const std::vector<std::string>& names);

/// What `warpvp list` and `warpvp describe` show of one registered part.
struct RegistryEntryInfo {
  std::string kind;
  std::string name;
  std::string doc;
  std::function<void(FieldVisitor&)> params;  ///< visits a default-constructed parameter struct
  std::string source;                         ///< the file that registers it
  std::string plugin = {};                    ///< the plugin that it is of; empty: of the program itself
};

/// All registered parts of every kind, in no order that means anything.
std::vector<RegistryEntryInfo>& all_registry_entries();
/// Adds an entry. Two parts of one kind under one name stop the program at its start, with a message on
/// standard error that names both source files: which of them a run would get would depend on the linker.
/// False: it comes from a plugin, and its name is taken (PluginRegistrations); the earlier part stays.
bool add_registry_entry(RegistryEntryInfo entry);

/// "KIND 'NAME'", and " of the plugin FILE" where it is of one.
std::string part_title(const std::string& kind, const std::string& name);

/// While one exists, it collects the parts of plugins that registries make, so that whoever is built from
/// them can name them. One within the life of another hides it: so does a PolicySlot, which names its policy
/// itself.
class MadeParts {
 public:
  MadeParts() : before_(current_) { current_ = this; }
  ~MadeParts() { current_ = before_; }
  MadeParts(const MadeParts&) = delete;
  MadeParts& operator=(const MadeParts&) = delete;

  /// " (with KIND 'NAME' of the plugin FILE, ...)"; empty: there is none.
  std::string text() const;
  static void note(const std::string& kind, const std::string& name) {
    if (current_ != nullptr) current_->add(kind, name);
  }

 private:
  void add(const std::string& kind, const std::string& name);

  static thread_local MadeParts* current_;
  MadeParts* const before_;
  std::vector<std::string> titles_;
};

/// A part threw something: a mistake in it, not of the user. `what()` is one line that names the part.
class PartFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Within a catch clause: what was thrown, in one line.
std::string thrown_text();
/// Within a catch clause, of a part that is being made. Throws a PartFailure that names it, or what was
/// thrown where that speaks for itself: wrong input, no memory, the failure of a part within.
[[noreturn]] void throw_part_failure(const std::string& title, const char* when);

/// Of parts whose makers know nothing that they could tell them.
struct NoContext {};

/// What says where an implementation of `Interface` stands: `Interface::Context`, or nothing. A context that
/// is made without arguments is nowhere: for tests, and for the reference of what there is.
template <class Interface, class = void>
struct ContextOf {
  using type = NoContext;
};
template <class Interface>
struct ContextOf<Interface, std::void_t<typename Interface::Context>> {
  using type = typename Interface::Context;
};

/// What makes the parts of one kind, by name and without their types: what every Registry<Interface> would
/// else have a copy of, in each object file that names it.
class PartMakers {
 public:
  /// Makes a part as `choice` has it, which stands in `context`, the Context of its kind; an `Interface*`.
  using Maker = std::function<void*(const PolicyChoice& choice, const void* context)>;

  explicit PartMakers(const char* kind);
  ~PartMakers();
  PartMakers(const PartMakers&) = delete;
  PartMakers& operator=(const PartMakers&) = delete;

  void add(const std::string& name, const std::string& doc, std::function<void(FieldVisitor&)> params,
           Maker maker, const char* source);
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  void* make(const PolicyChoice& choice, const void* context) const;

 private:
  const char* const kind_;
  std::map<std::string, Maker> makers_;
};

/// The implementations of `Interface`, by name. `Interface::kKind` names the registry ("warp_scheduler").
template <class Interface>
class Registry {
 public:
  using Context = typename ContextOf<Interface>::type;

  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  /// `factory(choice, context)` gives a std::unique_ptr to an implementation; `source` is the file that
  /// registers it. See add_registry_entry() for a name that is taken.
  template <class Factory>
  void add(const std::string& name, const std::string& doc, std::function<void(FieldVisitor&)> params,
           Factory factory, const char* source = __builtin_FILE()) {
    makers_.add(
        name, doc, std::move(params),
        [factory](const PolicyChoice& choice, const void* context) -> void* {
          Interface* const part = factory(choice, *static_cast<const Context*>(context)).release();
          return part;
        },
        source);
  }

  std::vector<std::string> names() const { return makers_.names(); }
  bool contains(const std::string& name) const { return makers_.contains(name); }

  /// Makes the chosen part with its parameters, which stands in `context`. Throws InputError naming the
  /// allowed names.
  std::unique_ptr<Interface> make(const PolicyChoice& choice, const Context& context = Context()) const {
    return std::unique_ptr<Interface>(static_cast<Interface*>(makers_.make(choice, &context)));
  }

 private:
  template <class, class, class>
  friend struct PolicyRegistration;

  PartMakers makers_{Interface::kKind};
};

/// For policies without parameters.
struct NoParams {
  void fields(FieldVisitor&) {}
};

/// Makes a `Policy` from as much of its parameters and its context as its constructor takes, in this order.
template <class Policy, class Params, class Context>
std::unique_ptr<Policy> make_policy(const Params& params, const Context& context) {
  if constexpr (std::is_same_v<Params, NoParams>) {
    if constexpr (std::is_constructible_v<Policy, const Context&>) {
      return std::make_unique<Policy>(context);
    } else {
      return std::make_unique<Policy>();
    }
  } else if constexpr (std::is_constructible_v<Policy, const Params&, const Context&>) {
    return std::make_unique<Policy>(params, context);
  } else {
    return std::make_unique<Policy>(params);
  }
}

/// Registers `Policy` under `name`: see make_policy().
template <class Interface, class Policy, class Params = NoParams>
struct PolicyRegistration {
  PolicyRegistration(const char* name, const char* doc, const char* source = __builtin_FILE()) {
    Registry<Interface>::instance().makers_.add(name, doc, &visit_params, &make, source);
  }

 private:
  // Functions, whose pointers all have one type: a lambda would bring a std::function of its own.
  static void visit_params(FieldVisitor& v) {
    Params params;
    params.fields(v);
  }
  static void* make(const PolicyChoice& choice, const void* context) {
    Params params;
    choice.load_into(params);
    Interface* const part =
        make_policy<Policy>(params, *static_cast<const typename Registry<Interface>::Context*>(context))
            .release();
    return part;
  }
};

#define WARPVP_REGISTER_POLICY(Interface, Policy, name, doc) \
  static const ::warpvp::PolicyRegistration<Interface, Policy> registration_##Policy(name, doc)
#define WARPVP_REGISTER_POLICY_WITH_PARAMS(Interface, Policy, Params, name, doc) \
  static const ::warpvp::PolicyRegistration<Interface, Policy, Params> registration_##Policy(name, doc)

}  // namespace warpvp
