        .include "test.inc"
        .globl  program
program:
        jal     check
1:      j       1b
