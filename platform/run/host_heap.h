#pragma once
// Where the simulator's own data lies on the host.

namespace warpvp {

/// Asks the operating system to back the heap with huge pages. The blocks of a large GPU are walked through
/// cycle by cycle; with pages of 4 KiB a good part of that time is misses of the host's TLB. Call before the
/// platform is built; without effect where the system or its allocator offers no such thing.
void use_huge_pages();

/// The most memory that the process has had.
double peak_memory_mib();

}  // namespace warpvp
