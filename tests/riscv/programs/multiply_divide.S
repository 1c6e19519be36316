# mul mulh mulhsu mulhu div divu rem remu
        .include "test.inc"

        .macro  rr op, a, b, value
        li      a0, \a
        li      a1, \b
        \op     a2, a0, a1
        expect  a2, \value
        \op     a0, a0, a1
        expect  a0, \value
        .endm

# Signed value of 32 bits.
#define S(x) ((x) - (((x) >> 31 & 1) << 32))

        .globl  program
program:
        .irp    b, 0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678
        .irp    a, 0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff9
        rr      mul, \a, \b, \a * \b
        rr      mulh, \a, \b, (S(\a) * S(\b)) >> 32
        # The product of 32 by 32 bits without a sign may need all 64: in two halves.
        rr      mulhu, \a, \b, (\a * (\b >> 16) + ((\a * (\b & 0xffff)) >> 16)) >> 16
        rr      mulhsu, \a, \b, ((\a * (\b >> 16) + ((\a * (\b & 0xffff)) >> 16)) >> 16) - ((\a >> 31) * \b)
        .endr
        .endr
        # Divisors other than 0, and not the one quotient that does not fit.
        .irp    b, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffd
        .irp    a, 0, 1, 7, 0x7fffffff, 0x80000001, 0xffffffff, 0xfffffff9
        rr      div, \a, \b, S(\a) / S(\b)
        rr      rem, \a, \b, S(\a) % S(\b)
        rr      divu, \a, \b, \a / \b
        rr      remu, \a, \b, \a % \b
        .endr
        .endr
        # By 0, and the quotient that does not fit: the manual says what comes out.
        .irp    a, 0, 1, 0x80000000, 0xffffffff
        rr      div, \a, 0, 0xffffffff
        rr      divu, \a, 0, 0xffffffff
        rr      rem, \a, 0, \a
        rr      remu, \a, 0, \a
        .endr
        rr      div, 0x80000000, 0xffffffff, 0x80000000
        rr      rem, 0x80000000, 0xffffffff, 0
        rr      divu, 0x80000000, 0xffffffff, 0
        rr      remu, 0x80000000, 0xffffffff, 0x80000000
        j       pass
