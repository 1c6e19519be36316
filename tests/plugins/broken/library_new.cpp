// The library that old_library.cpp was linked with.
int part_has() { return 1; }
int part_has_now() { return 2; }
