# csrrw csrrs csrrc csrrwi csrrsi csrrci, and which CSRs there are
        .include "test.inc"

# Holds what is written, but for bits outside `mask`.
        .macro  holds csr, mask
        csrr    s0, \csr
        .irp    v, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0
        li      a0, \v
        csrw    \csr, a0
        csrr    a1, \csr
        expect  a1, \v & (\mask)
        .endr
        csrw    \csr, s0
        .endm

# Is always `value`; writing has no effect.
        .macro  constant csr, value
        csrr    a0, \csr
        expect  a0, \value
        li      a1, -1
        csrw    \csr, a1
        csrr    a0, \csr
        expect  a0, \value
        csrw    \csr, zero
        csrr    a0, \csr
        expect  a0, \value
        .endm

# Can only be read. `bits`: of "csrrw a0, csr, zero" and the others, for mtval.
        .macro  read_only number
        csrr    a0, \number
        csrrs   a0, \number, zero
        csrrc   a0, \number, zero
        csrrsi  a0, \number, 0
        csrrci  a0, \number, 0
        li      s1, 0x00001573 | \number << 20
        traps   2, s1, csrrw a0, \number, zero
        li      s1, 0x00052573 | \number << 20
        traps   2, s1, csrrs a0, \number, a0
        li      s1, 0x00053573 | \number << 20
        traps   2, s1, csrrc a0, \number, a0
        li      s1, 0x00005573 | \number << 20
        traps   2, s1, csrrwi a0, \number, 0
        li      s1, 0x0000e573 | \number << 20
        traps   2, s1, csrrsi a0, \number, 1
        li      s1, 0x0000f573 | \number << 20
        traps   2, s1, csrrci a0, \number, 1
        .endm

        .macro  absent number
        li      s1, 0x00002573 | \number << 20
        traps   2, s1, csrrs a0, \number, zero
        li      s1, 0x00051073 | \number << 20
        traps   2, s1, csrrw zero, \number, a0
        .endm

        .globl  program
program:
        # The six instructions: old value to rd, new value by its rule.
        li      a0, 0x0f0f1234
        csrw    mscratch, a0
        li      a1, 0xff00ff00
        csrrw   a2, mscratch, a1
        expect  a2, 0x0f0f1234
        li      a1, 0x0000ffff
        csrrs   a2, mscratch, a1
        expect  a2, 0xff00ff00
        csrrc   a2, mscratch, a0
        expect  a2, 0xff00ffff
        csrr    a2, mscratch
        expect  a2, 0xff00ffff & ~0x0f0f1234
        csrrwi  a2, mscratch, 21
        expect  a2, 0xff00ffff & ~0x0f0f1234
        csrrsi  a2, mscratch, 10
        expect  a2, 21
        csrrci  a2, mscratch, 3
        expect  a2, 31
        csrr    a2, mscratch
        expect  a2, 28
        # rd and rs1 the same register; rd = x0; rs1 = x0 writes zero with csrrw only.
        li      a0, 99
        csrrw   a0, mscratch, a0
        expect  a0, 28
        csrrw   zero, mscratch, a0
        csrrs   a1, mscratch, zero
        expect  a1, 28
        csrrc   a1, mscratch, zero
        expect  a1, 28
        csrrw   a1, mscratch, zero
        expect  a1, 28
        csrr    a1, mscratch
        expect  a1, 0

        holds   mscratch, 0xffffffff
        holds   mepc, 0xfffffffe
        holds   mcause, 0xffffffff
        holds   mtval, 0xffffffff
        holds   mtvec, 0xfffffffd
        holds   mcountinhibit, 5
        # Interrupts stay disabled in mstatus, so that enabling all of them in mie has no effect.
        holds   mie, 0x888
        li      a0, 0xffffffff - 8
        csrw    mstatus, a0
        csrr    a1, mstatus
        expect  a1, 0x1880
        csrw    mstatus, zero
        csrr    a1, mstatus
        expect  a1, 0x1800
        constant misa, 0x40001105
        constant mip, 0
        constant 0x310, 0                       # mstatush
        read_only 0xf11                         # mvendorid
        read_only 0xf12                         # marchid
        read_only 0xf13                         # mimpid
        read_only 0xf14                         # mhartid
        read_only 0xf15                         # mconfigptr
        read_only 0xc00                         # cycle
        read_only 0xc01                         # time
        read_only 0xc02                         # instret
        read_only 0xc80                         # cycleh
        read_only 0xc81                         # timeh
        read_only 0xc82                         # instreth
        csrr    a0, mhartid
        expect  a0, 0
        # Event counters that count nothing, triggers and memory protection that there is none of.
        .irp    n, 3, 17, 31
        constant 0xb00 + \n, 0
        constant 0xb80 + \n, 0
        constant 0x320 + \n, 0
        .endr
        .irp    n, 0x7a0, 0x7a1, 0x7a2, 0x7a3, 0x3a0, 0x3a3, 0x3b1, 0x3bf
        constant \n, 0
        .endr
        holds   0x3b0, 0xffffffff
        # No other modes, so none of their registers.
        .irp    n, 0x000, 0x100, 0x180, 0x302, 0x303, 0x306, 0x321, 0x34a, 0x3c0, 0x7a4, 0x7b0, 0xb01, 0xb81, 0xc03, 0xf10, 0xf16, 0xfff
        absent  \n
        .endr
        # Reserved functions of the same opcode.
        li      s1, 0x00004073
        traps   2, s1, .word 0x00004073
        li      s1, 0x10200073                  # sret
        traps   2, s1, .word 0x10200073
        li      s1, 0x12000073                  # sfence.vma
        traps   2, s1, .word 0x12000073
        li      s1, 0x30200173                  # mret with a destination
        traps   2, s1, .word 0x30200173
        j       pass
