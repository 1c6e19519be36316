#pragma once
// For modules in a design of somebody else's, who simulates it; whoever simulates takes the context for
// himself (systemc_context.h).

namespace warpvp {

/// The caller's module is part of the design that has the process' simulation context. Any number may share
/// it, and nobody can take it afterwards. False: a SystemcContext has been taken.
bool share_systemc_context();

}  // namespace warpvp
