# add sub sll slt sltu xor srl sra or and
        .include "test.inc"

# rd = a op b; once into a register of its own, once over each operand, once into x0.
        .macro  rr op, a, b, value
        li      a0, \a
        li      a1, \b
        \op     a2, a0, a1
        expect  a2, \value
        \op     a0, a0, a1
        expect  a0, \value
        li      a0, \a
        \op     a1, a0, a1
        expect  a1, \value
        \op     zero, a0, a0
        expect  zero, 0
        .endm

        .globl  program
program:
        .irp    b, 0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xdeadbeef
        rr      add, \a, \b, \a + \b
        rr      sub, \a, \b, \a - \b
        rr      xor, \a, \b, \a ^ \b
        rr      or, \a, \b, \a | \b
        rr      and, \a, \b, \a & \b
        rr      sltu, \a, \b, -(\a < \b)
        # Moving the sign bit by 2^31 turns signed into unsigned order.
        rr      slt, \a, \b, -((\a ^ 0x80000000) < (\b ^ 0x80000000))
        .endr
        .endr
        .irp    b, 0, 1, 7, 31, 32, 33, 0xffffffe4
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xdeadbeef
        rr      sll, \a, \b, \a << (\b & 31)
        rr      srl, \a, \b, \a >> (\b & 31)
        rr      sra, \a, \b, (\a | ((\a >> 31) * 0xffffffff00000000)) >> (\b & 31)
        .endr
        .endr
        # Every register as source and destination.
        .irp    n, 1,2,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
        li      x\n, 0x1000 + \n
        add     x\n, x\n, x\n
        expect  x\n, 2 * (0x1000 + \n)
        .endr
        j       pass
