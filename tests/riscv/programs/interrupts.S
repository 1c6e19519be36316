# Interrupts: enabling, direct and vectored handlers, priorities, wfi, mret
#
# The runner's device at 0x00100000: a word written at 0 is the levels of the lines from then on (bit 3 software,
# 7 timer, 11 external); a word written at 4 is the levels that they get as many nanoseconds later as the word at 8
# says.
        .include "test.inc"
        .set    device, 0x00100000
        .option norvc

        .globl  program
program:
        li      s0, device
        csrw    mie, zero
        csrw    mstatus, zero

        # mip shows the levels, whatever is enabled, and cannot be written.
        .irp    line, 0x008, 0x080, 0x800, 0x888, 0
        li      a0, \line
        sw      a0, 0(s0)
        csrr    a1, mip
        expect  a1, \line
        li      a2, 0x888
        csrc    mip, a2
        csrr    a1, mip
        expect  a1, \line
        .endr

        # Pending and not enabled in mie, or in mstatus: nothing happens. wfi does not wait for mstatus.
        li      a0, 0x080
        sw      a0, 0(s0)
        csrsi   mstatus, 8
        nop
        nop
        csrci   mstatus, 8
        li      a0, 0x080
        csrw    mie, a0
        nop
        nop
        wfi
        # Both: taken before the next instruction, with the right cause, mepc and mstatus.
        la      t0, 1f
        csrw    mtvec, t0
        csrsi   mstatus, 8
2:      j       fail
        .balign 4
1:      csrr    a0, mcause
        expect  a0, 0x80000007
        csrr    a0, mepc
        expect_address a0, 2b
        csrr    a0, mtval
        expect  a0, 0
        csrr    a0, mstatus
        expect  a0, 0x1880
        # Enabling by mie instead, from a handler by mret.
        csrw    mie, zero
        la      a0, 3f
        csrw    mepc, a0
        la      t0, 4f
        csrw    mtvec, t0
        mret
3:      li      a0, 0x080
        csrw    mie, a0
5:      j       fail
        .balign 4
4:      csrr    a0, mepc
        expect_address a0, 5b
        la      t0, 6f
        csrw    mtvec, t0
        la      a0, 7f
        csrw    mepc, a0
        mret                                    # enables what is still pending
7:      j       fail
        .balign 4
6:      csrr    a0, mepc
        expect_address a0, 7b
        sw      zero, 0(s0)

        # Vectored: each line has its entry. External before software before timer.
        la      t0, vectors
        addi    t0, t0, 1
        csrw    mtvec, t0
        li      a0, 0x888
        csrw    mie, a0
        .macro  arrives levels, entry
        li      s1, 0
        li      a0, \levels
        sw      a0, 0(s0)
        csrsi   mstatus, 8
        csrci   mstatus, 8
        expect  s1, \entry
        .endm
        arrives 0x008, 3
        arrives 0x080, 7
        arrives 0x800, 11
        arrives 0x888, 11
        arrives 0x088, 3
        arrives 0x880, 11

        # An interrupt in the midst of computing: seen within a few instructions of its time, mepc in the loop.
        la      t0, 1f
        csrw    mtvec, t0
        li      a0, 200
        sw      a0, 8(s0)
        li      a0, 0x800
        sw      a0, 4(s0)
        csrr    s2, time
        li      s3, 0
        csrsi   mstatus, 8
2:      addi    s3, s3, 1
        li      a0, 100000
        bltu    s3, a0, 2b
3:      j       fail
        .balign 4
1:      csrr    s4, time
        sub     s4, s4, s2
        li      a0, 190
        bltu    s4, a0, fail
        li      a0, 210
        bgtu    s4, a0, fail
        csrr    a0, mepc
        la      a1, 2b
        bltu    a0, a1, fail
        la      a1, 3b
        bgtu    a0, a1, fail
        sw      zero, 0(s0)

        # wfi sleeps until then, without an interrupt being taken when mstatus forbids it...
        li      a0, 5000
        sw      a0, 8(s0)
        li      a0, 0x800
        sw      a0, 4(s0)
        csrr    s2, time
        csrr    s3, instret
        wfi
        csrr    s5, instret
        csrr    s4, time
        sub     s5, s5, s3
        expect  s5, 2
        sub     s4, s4, s2
        li      a0, 4990
        bltu    s4, a0, fail
        li      a0, 5030
        bgtu    s4, a0, fail
        sw      zero, 0(s0)
        # ... and takes it when that allows it: mepc is after the wfi.
        la      t0, 1f
        csrw    mtvec, t0
        li      a0, 0x800
        sw      a0, 4(s0)
        csrsi   mstatus, 8
        wfi
2:      j       fail
        .balign 4
1:      csrr    a0, mepc
        expect_address a0, 2b
        sw      zero, 0(s0)
        # A line that nobody enabled does not wake it; a later one does.
        li      a0, 0x080
        csrw    mie, a0
        li      a0, 0x800
        sw      a0, 0(s0)
        li      a0, 0x880
        sw      a0, 4(s0)
        csrr    s2, time
        wfi
        csrr    s4, time
        sub     s4, s4, s2
        li      a0, 4990
        bltu    s4, a0, fail
        sw      zero, 0(s0)

        # Nested: a handler that enables interrupts is interrupted itself, and both return.
        la      t0, outer
        csrw    mtvec, t0
        li      a0, 0x888
        csrw    mie, a0
        li      s1, 0
        li      a0, 0x080
        sw      a0, 0(s0)
        csrsi   mstatus, 8
1:      expect  s1, 0x21
        j       pass

        .balign 4
outer:  csrr    s6, mepc
        la      t0, inner
        csrw    mtvec, t0
        li      a0, 0x808
        csrw    mie, a0
        addi    s1, s1, 1
        li      a0, 0x800
        sw      a0, 0(s0)
        csrsi   mstatus, 8
        csrci   mstatus, 8
        csrw    mepc, s6
        li      a0, 0x80
        csrs    mstatus, a0
        mret
        .balign 4
inner:  sw      zero, 0(s0)
        addi    s1, s1, 0x20
        mret

        .balign 64
vectors:
        .set    n, 0
        .rept   12
        .if     n == 3 || n == 7 || n == 11
        j       1f
        .else
        j       fail
        .endif
        .set    n, n + 1
        .endr
1:      csrr    s1, mcause
        andi    s1, s1, 0x7ff
        csrr    a0, mcause
        bgez    a0, fail
        sw      zero, 0(s0)
        mret
