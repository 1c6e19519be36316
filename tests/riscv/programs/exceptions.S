# Every exception: cause, mepc, mtval; mstatus on entry and at mret
        .include "test.inc"

        .globl  program
program:
        # Illegal instructions: mtval gets the bits.
        .macro  illegal bits
        .balign 4
        li      s1, \bits
        traps   2, s1, .word \bits
        .endm
        illegal 0xffffffff
        illegal 0x0000001b                      # addiw
        illegal 0x00003003                      # ld
        illegal 0x00003023                      # sd
        illegal 0x00007003                      # reserved load
        illegal 0x00002063                      # reserved branch
        illegal 0x00001067                      # reserved jalr
        illegal 0x02001013                      # slli with a shift of 32
        illegal 0x02005013                      # srli with a shift of 32
        illegal 0x42005013                      # srai with a shift of 32
        illegal 0x80000033                      # reserved funct7
        illegal 0x40001033                      # reserved funct7 with sll
        illegal 0x00002007                      # flw
        illegal 0x00000053                      # fadd.s
        illegal 0x1010202f                      # lr.w with rs2
        illegal 0x1000302f                      # lr.d
        illegal 0x2800202f                      # reserved atomic
        illegal 0x0000200f                      # reserved fence
        illegal 0x00200073                      # uret
        illegal 0x0000001f                      # longer than 32 bits
        illegal 0x0000007f                      # longer than 32 bits
        illegal 0x0000006b                      # reserved opcode

        # ecall, ebreak and its short form
        traps   11, zero, ecall
        .balign 4
        .option push
        .option norvc
        la      s1, 1f
        .set    case, case + 1
        li      gp, case
        la      t0, 2f
        csrw    mtvec, t0
1:      ebreak
        j       fail
        .balign 4
2:      csrr    a0, mtval
        bne     a0, s1, fail
        csrr    a0, mepc
        bne     a0, s1, fail
        csrr    a0, mcause
        expect  a0, 3
        .option pop
        la      s1, 1f
        la      t0, 2f
        csrw    mtvec, t0
1:      c.ebreak
        j       fail
        .balign 4
2:      csrr    a0, mtval
        expect_address a0, 1b
        csrr    a0, mcause
        expect  a0, 3
        la      t0, unexpected
        csrw    mtvec, t0

        # Misaligned, with destination and memory left alone
        la      a0, word
        .irp    offset, 1, 3
        addi    s1, a0, \offset
        li      a1, 0x777
        traps   4, s1, lh a1, \offset(a0)
        traps   4, s1, lhu a1, \offset(a0)
        expect  a1, 0x777
        traps   6, s1, sh a1, \offset(a0)
        .endr
        .irp    offset, 1, 2, 3
        addi    s1, a0, \offset
        traps   4, s1, lw a1, \offset(a0)
        expect  a1, 0x777
        traps   6, s1, sw a1, \offset(a0)
        traps   4, s1, lr.w a1, (s1)
        traps   6, s1, sc.w a1, a2, (s1)
        traps   6, s1, amoadd.w a1, a2, (s1)
        traps   6, s1, amoswap.w a1, a2, (s1)
        traps   6, s1, amoxor.w a1, a2, (s1)
        traps   6, s1, amoand.w a1, a2, (s1)
        traps   6, s1, amoor.w a1, a2, (s1)
        traps   6, s1, amomin.w a1, a2, (s1)
        traps   6, s1, amomax.w a1, a2, (s1)
        traps   6, s1, amominu.w a1, a2, (s1)
        traps   6, s1, amomaxu.w a1, a2, (s1)
        expect  a1, 0x777
        .endr
        lw      a2, 0(a0)
        expect  a2, 0x01234567
        # and through compressed instructions
        addi    a3, a0, 2
        mv      s1, a3
        traps   4, s1, c.lw a1, 0(a3)
        traps   6, s1, c.sw a1, 0(a3)

        # Nothing there: below and above local memory, page zero, and where no device answers
        .irp    address, 0, 0xffc, 0x7ffffffc, 0x80040000, 0x50000000, 0x00180000, 0xfffffffc
        li      s1, \address
        traps   5, s1, lb a1, 0(s1)
        traps   5, s1, lbu a1, 0(s1)
        traps   5, s1, lh a1, 0(s1)
        traps   5, s1, lhu a1, 0(s1)
        traps   5, s1, lw a1, 0(s1)
        expect  a1, 0x777
        traps   7, s1, sb a1, 0(s1)
        traps   7, s1, sh a1, 0(s1)
        traps   7, s1, sw a1, 0(s1)
        traps   5, s1, lr.w a1, (s1)
        traps   7, s1, sc.w a1, a2, (s1)
        traps   7, s1, amoadd.w a1, a2, (s1)
        expect  a1, 0x777
        .endr
        # Devices take no atomic operations.
        li      s1, 0x00100000
        traps   5, s1, lr.w a1, (s1)
        traps   7, s1, amoor.w a1, zero, (s1)

        # Fetches: mepc and mtval are the address itself.
        .macro  fetches_badly address
        la      t0, 2f
        csrw    mtvec, t0
        .set    case, case + 1
        li      gp, case
        li      a0, \address
        jr      a0
        .balign 4
2:      csrr    a1, mcause
        expect  a1, 1
        csrr    a1, mepc
        bne     a1, a0, fail
        csrr    a1, mtval
        bne     a1, a0, fail
        .endm
        fetches_badly 0
        fetches_badly 0x00100000
        fetches_badly 0x7ffffffe
        fetches_badly 0x80040000
        fetches_badly 0xfffffffc
        # An instruction that reaches over the end: mtval is where the missing half would be.
        li      a0, 0x8003fffe
        li      a1, 0x0013                      # first half of a nop
        sh      a1, 0(a0)
        la      t0, 1f
        csrw    mtvec, t0
        jr      a0
        .balign 4
1:      csrr    a1, mcause
        expect  a1, 1
        csrr    a1, mepc
        expect  a1, 0x8003fffe
        csrr    a1, mtval
        expect  a1, 0x80040000
        la      t0, unexpected
        csrw    mtvec, t0

        # Traps disable interrupts and remember; mret restores, enables for the next time and goes to mepc.
        .irp    before, 0, 8
        la      t0, 1f
        csrw    mtvec, t0
        li      a0, \before
        csrw    mstatus, a0
        ecall
        j       fail
        .balign 4
1:      csrr    a0, mstatus
        expect  a0, 0x1800 | \before << 4
        la      a0, 2f
        csrw    mepc, a0
        mret
        j       fail
2:      csrr    a0, mstatus
        expect  a0, 0x1880 | \before
        .endr
        # Exceptions go to the base also when mtvec is vectored.
        la      t0, 1f
        addi    t0, t0, 1
        csrw    mtvec, t0
        ecall
        j       fail
        .balign 64
1:      j       2f
        .rept   15
        j       fail
        .endr
2:      csrr    a0, mcause
        expect  a0, 11
        # An instruction that traps leaves no trace; after mret it is tried again.
        la      t0, 1f
        csrw    mtvec, t0
        la      a0, word + 1
        li      a1, 1
3:      lw      a1, 0(a0)
        j       2f
        .balign 4
1:      addi    a0, a0, -1
        mret
2:      expect  a1, 0x01234567
        j       pass

        .data
        .balign 4
word:   .word   0x01234567
