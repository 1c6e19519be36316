# beq bne blt bge bltu bgeu jal jalr
        .include "test.inc"
        .option norvc

# Whether the branch is taken must be `taken`, forward and backward.
        .macro  br op, a, b, taken
        .set    case, case + 1
        li      gp, case
        li      a0, \a
        li      a1, \b
        li      a2, 0
        \op     a0, a1, 1f
        j       2f
3:      ori     a2, a2, 2
        j       4f
1:      ori     a2, a2, 1
2:      \op     a0, a1, 3b
4:      li      t6, 3 * (\taken)
        bne     a2, t6, fail
        .endm

        .globl  program
program:
        .irp    b, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff
        br      beq, \a, \b, -(\a == \b)
        br      bne, \a, \b, -(\a != \b)
        br      bltu, \a, \b, -(\a < \b)
        br      bgeu, \a, \b, -(\a >= \b)
        br      blt, \a, \b, -((\a ^ 0x80000000) < (\b ^ 0x80000000))
        br      bge, \a, \b, -((\a ^ 0x80000000) >= (\b ^ 0x80000000))
        .endr
        .endr

        # jal writes the address after it, to any register or none.
1:      jal     ra, 2f
        j       fail
2:      la      a1, 1b + 4
        bne     ra, a1, fail
        jal     t1, 3f
4:      j       fail
3:      expect_address t1, 4b
        jal     zero, 5f
        j       fail
5:
        # Backward, and as far as it reaches.
        j       7f
6:      j       8f
7:      jal     t2, 6b
8:      j       far
back:
        # jalr: offset, both signs; the lowest bit is dropped; destination and base the same register.
        la      a0, 9f - 2047
        jalr    ra, 2047(a0)
10:     j       fail
9:      expect_address ra, 10b
        la      a0, 11f + 2048
        jalr    a0, -2048(a0)
12:     j       fail
11:     expect_address a0, 12b
        la      a0, 13f + 1
        jalr    zero, 0(a0)
        j       fail
13:     la      a0, 14f
        jr      a0
        j       fail
14:     j       pass

        .skip   4096 * 40
far:    j       back
