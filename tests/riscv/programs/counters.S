# mcycle, minstret, their upper halves and user copies, time, mcountinhibit
        .include "test.inc"
        .option norvc

        .globl  program
program:
        # Instructions are counted one by one.
        csrr    a0, minstret
        nop
        nop
        csrr    a1, minstret
        sub     a1, a1, a0
        expect  a1, 3
        # A value written is what the next instruction reads; it counts from there, over the halves' edge.
        li      a0, 1000
        csrw    minstret, a0
        csrr    a1, minstret
        expect  a1, 1000
        li      a0, -2
        csrw    minstreth, zero
        csrw    minstret, a0
        nop
        nop
        csrr    a1, minstreth
        csrr    a2, minstret
        expect  a1, 1
        expect  a2, 1
        csrr    a3, instreth
        expect  a3, 1
        csrr    a3, instret
        csrr    a4, minstret
        sub     a4, a4, a3
        expect  a4, 1
        # ecall and ebreak do not retire.
        la      t0, 1f
        csrw    mtvec, t0
        csrr    a0, minstret
        ecall
        .balign 4
1:      csrr    a1, minstret
        sub     a1, a1, a0
        expect  a1, 1
        la      t0, unexpected
        csrw    mtvec, t0
        # Taken or not, a branch is one instruction.
        csrr    a0, minstret
        beqz    zero, 2f
        nop
2:      bnez    zero, fail
        csrr    a1, minstret
        sub     a1, a1, a0
        expect  a1, 3

        # The default costs: add 1, mul 2, div 33, csr 2.
        csrr    a0, mcycle
        add     a2, a2, a2
        mul     a2, a2, a2
        div     a2, a2, a2
        csrr    a1, mcycle
        sub     a1, a1, a0
        expect  a1, 2 + 1 + 2 + 33
        li      a0, 5000
        csrw    mcycle, a0
        csrr    a1, mcycle
        expect  a1, 5000
        li      a0, 7
        csrw    mcycleh, a0
        csrr    a1, cycleh
        expect  a1, 7
        csrr    a0, cycle
        csrr    a1, mcycle
        sub     a1, a1, a0
        expect  a1, 2

        # Inhibited, each by itself, they stand still and can still be written.
        csrwi   mcountinhibit, 1
        csrr    a0, mcycle
        csrr    a2, minstret
        nop
        csrr    a1, mcycle
        csrr    a3, minstret
        sub     a1, a1, a0
        expect  a1, 0
        sub     a3, a3, a2
        expect  a3, 3
        csrwi   mcountinhibit, 4
        csrr    a0, mcycle
        csrr    a2, minstret
        nop
        csrr    a1, mcycle
        csrr    a3, minstret
        sub     a1, a1, a0
        expect  a1, 2 + 2 + 1
        sub     a3, a3, a2
        expect  a3, 0
        li      a0, 123
        csrw    minstret, a0
        nop
        csrr    a1, minstret
        expect  a1, 123
        csrwi   mcountinhibit, 0
        csrr    a1, minstret
        nop
        csrr    a2, minstret
        sub     a2, a2, a1
        expect  a2, 2

        # Time is in nanoseconds, and the clock of these tests has 1000 MHz.
        csrr    a0, time
        nop
        nop
        csrr    a1, time
        sub     a1, a1, a0
        expect  a1, 2 + 1 + 1
        csrr    a0, timeh
        expect  a0, 0
        j       pass
