# addi slti sltiu xori ori andi slli srli srai lui auipc
        .include "test.inc"

        .macro  ri op, a, b, value
        li      a0, \a
        \op     a2, a0, \b
        expect  a2, \value
        \op     a0, a0, \b
        expect  a0, \value
        \op     zero, a0, \b
        expect  zero, 0
        .endm

        .globl  program
program:
        .irp    b, 0, 1, 2047, -1, -2048, 0x555
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xdeadbeef
        ri      addi, \a, \b, \a + \b
        ri      xori, \a, \b, \a ^ \b
        ri      ori, \a, \b, \a | \b
        ri      andi, \a, \b, \a & \b
        ri      sltiu, \a, \b, -(\a < (\b & 0xffffffff))
        ri      slti, \a, \b, -((\a ^ 0x80000000) < ((\b & 0xffffffff) ^ 0x80000000))
        .endr
        .endr
        .irp    b, 0, 1, 7, 31
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xdeadbeef
        ri      slli, \a, \b, \a << \b
        ri      srli, \a, \b, \a >> \b
        ri      srai, \a, \b, (\a | ((\a >> 31) * 0xffffffff00000000)) >> \b
        .endr
        .endr
        .irp    a, 0, 1, 0x7ffff, 0x80000, 0xfffff
        lui     a0, \a
        expect  a0, \a << 12
1:      auipc   a0, \a
        la      a1, 1b
        sub     a0, a0, a1
        expect  a0, \a << 12
        .endr
        j       pass
