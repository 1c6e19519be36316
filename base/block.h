#pragma once
// What the registered types of all blocks have in common (SM, crossbar, L2, ...). Each block has a face, an
// abstract SystemC module that the platform binds, and a type that builds it: registered by name, chosen by
// `type:` in YAML, with the fields of its own beside those that the platform keeps for all types.

#include <functional>
#include <string>

#include "base/registry.h"

namespace warpvp {

/// Reports a relation between a type's own fields and the platform's that does not hold: `condition`, the key
/// within the block's mapping, and what is wrong. Ends in an InputError at that key's place.
using RequireField = std::function<void(bool condition, const char* key, const std::string& message)>;

/// Registers a type of block: WARPVP_REGISTER_BLOCK(SmType, CycleSmType, SmConfig, "cycle", "One sentence.").
/// The type is constructible from its struct of fields; the macro may stand more than once for one type.
#define WARPVP_REGISTER_BLOCK(Face, Type, Fields, name, doc) \
  WARPVP_REGISTER_POLICY_WITH_PARAMS(Face, Type, Fields, name, doc)

/// The fields of a chosen part as a struct, whatever the part makes of them.
template <class Fields>
Fields fields_of(const PolicyChoice& choice) {
  Fields fields;
  choice.load_into(fields);
  return fields;
}

}  // namespace warpvp
