# lr.w sc.w amoswap.w amoadd.w amoxor.w amoand.w amoor.w amomin.w amomax.w amominu.w amomaxu.w
        .include "test.inc"

# Memory holds a; the operation returns it and leaves `value`. With every ordering, and with rd = rs2.
        .macro  amo op, a, b, value
        .irp    order, , .aq, .rl, .aqrl
        li      a1, \a
        sw      a1, 0(a0)
        li      a2, \b
        \op\order a3, a2, (a0)
        expect  a3, \a
        lw      a3, 0(a0)
        expect  a3, \value
        .endr
        li      a1, \a
        sw      a1, 0(a0)
        \op     a2, a2, (a0)
        expect  a2, \a
        li      a2, \b
        \op     zero, a2, (a0)
        .endm

        .set    sign, 0x80000000

        .globl  program
program:
        la      a0, word
        .irp    b, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xdeadbeef
        amo     amoswap.w, \a, \b, \b
        amo     amoadd.w, \a, \b, \a + \b
        amo     amoxor.w, \a, \b, \a ^ \b
        amo     amoand.w, \a, \b, \a & \b
        amo     amoor.w, \a, \b, \a | \b
        .endr
        .endr
        # The smaller or greater, chosen here by its sign-flipped order.
        .irp    b, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff
        .irp    a, 0, 1, 0x7fffffff, 0x80000000, 0xdeadbeef
        amo     amominu.w, \a, \b, \a * -(\a <= \b) + \b * -(\a > \b)
        amo     amomaxu.w, \a, \b, \a * -(\a >= \b) + \b * -(\a < \b)
        amo     amomin.w, \a, \b, \a * -((\a ^ sign) <= (\b ^ sign)) + \b * -((\a ^ sign) > (\b ^ sign))
        amo     amomax.w, \a, \b, \a * -((\a ^ sign) >= (\b ^ sign)) + \b * -((\a ^ sign) < (\b ^ sign))
        .endr
        .endr

        # sc.w succeeds after an lr.w of the same word, once.
        .irp    order, , .aq, .rl, .aqrl
        li      a1, 17
        sw      a1, 0(a0)
        li      a2, 42
        lr.w\order a3, (a0)
        expect  a3, 17
        sc.w\order a3, a2, (a0)
        expect  a3, 0
        lw      a3, 0(a0)
        expect  a3, 42
        li      a2, 43
        sc.w\order a3, a2, (a0)
        expect  a3, 1
        lw      a3, 0(a0)
        expect  a3, 42
        .endr
        # Not for another word, which also ends the reservation.
        lr.w    a3, (a0)
        addi    a1, a0, 4
        sc.w    a3, a2, (a1)
        expect  a3, 1
        sc.w    a3, a2, (a0)
        expect  a3, 1
        # The latest reservation counts.
        lr.w    a3, (a0)
        lr.w    a3, (a1)
        sc.w    a3, a2, (a0)
        expect  a3, 1
        # A trap ends it: a handler may use the pair itself.
        la      t0, 1f
        csrw    mtvec, t0
        lr.w    a3, (a0)
        ecall
        j       fail
        .balign 4
1:      la      t0, unexpected
        csrw    mtvec, t0
        sc.w    a3, a2, (a0)
        expect  a3, 1
        # A counter, as programs use the pair.
        sw      zero, 0(a0)
        li      a4, 100
2:      lr.w    a3, (a0)
        addi    a3, a3, 3
        sc.w    a5, a3, (a0)
        bnez    a5, 2b
        addi    a4, a4, -1
        bnez    a4, 2b
        lw      a3, 0(a0)
        expect  a3, 300
        j       pass

        .data
        .balign 4
word:   .word   0, 0
