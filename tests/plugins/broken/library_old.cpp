// The one that it finds.
int part_has() { return 1; }
