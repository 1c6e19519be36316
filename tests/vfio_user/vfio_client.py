"""A vfio-user client in a few dozen lines, written from the protocol's specification alone (QEMU's documentation,
docs/interop/vfio-user.rst): what a virtual machine says to the device, by hand."""

import array
import json
import os
import socket
import struct

HEADER = struct.Struct("<HHIII")
REPLY, NO_REPLY, ERROR = 1, 16, 32
(VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS, GET_IRQ_INFO, SET_IRQS, REGION_READ,
 REGION_WRITE, DMA_READ, DMA_WRITE, RESET) = range(1, 14)
BAR0, BAR2, BAR4, CONFIG = 0, 2, 4, 7
MSIX = 2


class Refused(Exception):
    """The server has answered with an error."""

    def __init__(self, number):
        super().__init__(os.strerror(number))
        self.errno = number


class Client:
    def __init__(self, path, version=(0, 1), capabilities=None, greet=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(120)
        self.socket.connect(path)
        self.memory = {}  # DMA address: bytearray, of regions without a file
        self.next_id = 1
        self.files = []  # file descriptors that came with the last reply
        if greet:
            text = json.dumps({"capabilities": capabilities or {"max_msg_fds": 8}}).encode() + b"\0"
            reply = self.ask(VERSION, struct.pack("<HH", *version) + text)
            self.version = struct.unpack_from("<HH", reply)
            self.capabilities = json.loads(reply[4:].rstrip(b"\0"))["capabilities"]

    def close(self):
        self.socket.close()

    # Messages

    def send(self, command, payload=b"", flags=0, files=(), number=None):
        if number is None:
            number, self.next_id = self.next_id, (self.next_id + 1) % 65536
        message = HEADER.pack(number, command, HEADER.size + len(payload), flags, 0) + payload
        if files:
            sent = self.socket.sendmsg(
                [message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
            message = message[sent:]
        self.socket.sendall(message)
        return number

    def receive(self):
        """The next message: header and payload."""
        head = b""
        while len(head) < HEADER.size:
            piece, files, _, _ = self.socket.recvmsg(HEADER.size - len(head), socket.CMSG_SPACE(64))
            if not piece:
                raise ConnectionError("the server has closed the connection")
            head += piece
            for _, _, numbers in files:
                self.files.extend(array.array("i", numbers[:len(numbers) // 4 * 4]))
        header = HEADER.unpack(head)
        payload = b""
        while len(payload) < header[2] - HEADER.size:
            piece = self.socket.recv(header[2] - HEADER.size - len(payload))
            if not piece:
                raise ConnectionError("the server has closed the connection within a message")
            payload += piece
        return header, payload

    def ask(self, command, payload=b"", files=()):
        self.files = []
        number = self.send(command, payload, files=files)
        while True:
            header, answer = self.receive()
            if header[3] & 0xf != REPLY:
                self.serve(header, answer)
                continue
            assert header[0] == number and header[1] == command
            if header[3] & ERROR:
                raise Refused(header[4])
            return answer

    def serve(self, header, payload):
        """An access of the device to memory that it has no file of."""
        address, count = struct.unpack_from("<QQ", payload)
        for begin, memory in self.memory.items():
            if begin <= address and address + count <= begin + len(memory):
                at = address - begin
                if header[1] == DMA_READ:
                    answer = payload[:16] + bytes(memory[at:at + count])
                else:
                    memory[at:at + count] = payload[16:]
                    answer = payload[:16]
                return self.send(header[1], answer, REPLY, number=header[0])
        self.socket.sendall(HEADER.pack(header[0], header[1], HEADER.size, REPLY | ERROR, 14))

    # The device

    def read(self, region, offset, count):
        return self.ask(REGION_READ, struct.pack("<QII", offset, region, count))[16:]

    def write(self, region, offset, data):
        self.ask(REGION_WRITE, struct.pack("<QII", offset, region, len(data)) + bytes(data))

    def read32(self, offset, region=BAR0):
        return struct.unpack("<I", self.read(region, offset, 4))[0]

    def read64(self, offset, region=BAR0):
        return struct.unpack("<Q", self.read(region, offset, 8))[0]

    def write32(self, offset, value, region=BAR0):
        self.write(region, offset, struct.pack("<I", value))

    def write64(self, offset, value, region=BAR0):
        self.write(region, offset, struct.pack("<Q", value))

    def info(self):
        return struct.unpack("<IIII", self.ask(GET_INFO, struct.pack("<IIII", 16, 0, 0, 0)))

    def region(self, index):
        """Flags and size."""
        reply = struct.unpack("<IIIIQQ", self.ask(GET_REGION_INFO, struct.pack("<IIIIQQ", 32, 0, index, 0, 0, 0)))
        return reply[1], reply[4]

    def irqs(self, index):
        """Flags and number."""
        reply = struct.unpack("<IIII", self.ask(GET_IRQ_INFO, struct.pack("<IIII", 16, 0, index, 0)))
        return reply[1], reply[3]

    def set_irqs(self, flags, start, count, files=(), data=b"", index=MSIX):
        self.ask(SET_IRQS, struct.pack("<IIIII", 20 + len(data), flags, index, start, count) + data, files)

    def eventfd(self, vector):
        """An eventfd for that vector."""
        event = os.eventfd(0, os.EFD_NONBLOCK)
        self.set_irqs(4 | 32, vector, 1, [event])
        return event

    def map(self, address, size, file=None, offset=0, flags=3):
        self.ask(DMA_MAP, struct.pack("<IIQQQ", 32, flags, offset, address, size), [] if file is None else [file])
        if file is None:
            self.memory[address] = bytearray(size)

    def unmap(self, address, size):
        self.ask(DMA_UNMAP, struct.pack("<IIQQ", 24, 0, address, size))
        self.memory.pop(address, None)

    def reset(self):
        self.ask(RESET)
