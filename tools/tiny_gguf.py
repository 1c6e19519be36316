"""A language model of the llama architecture with random weights, in the GGUF file format (version 3), for tools/cuda-packages:
two layers of 256 numbers, 320 tokens. Nobody would talk to it; programs that run such models compute the same with it."""
import random
import struct

WIDTH, LAYERS, HEADS, INNER, TOKENS, CONTEXT = 256, 2, 4, 512, 320, 128
U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9  # types of values
FORMATS = {"f32": (0, "f"), "f16": (1, "e")}  # of weights: number, and as `struct` has it


def text(words):
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def value(kind, v):
    return text(v) if kind == STRING else struct.pack({U32: "<I", I32: "<i", F32: "<f"}[kind], v)


def entry(key, kind, v):
    if isinstance(v, list):
        return text(key) + struct.pack("<IIQ", ARRAY, kind, len(v)) + b"".join(value(kind, x) for x in v)
    return text(key) + struct.pack("<I", kind) + value(kind, v)


def facts():
    extra = TOKENS - 3 - 256
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)] + [f"word{i}" for i in range(extra)]
    unknown, control, byte, normal = 2, 3, 6, 1
    return [("general.architecture", STRING, "llama"), ("general.name", STRING, "random"),
            ("llama.context_length", U32, CONTEXT), ("llama.embedding_length", U32, WIDTH), ("llama.block_count", U32, LAYERS),
            ("llama.feed_forward_length", U32, INNER), ("llama.attention.head_count", U32, HEADS),
            ("llama.attention.head_count_kv", U32, HEADS), ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
            ("llama.rope.dimension_count", U32, WIDTH // HEADS), ("llama.vocab_size", U32, TOKENS),
            ("tokenizer.ggml.model", STRING, "llama"), ("tokenizer.ggml.tokens", STRING, names),
            ("tokenizer.ggml.scores", F32, [-0.1 * i for i in range(TOKENS)]),
            ("tokenizer.ggml.token_type", I32, [unknown, control, control] + [byte] * 256 + [normal] * extra),
            ("tokenizer.ggml.bos_token_id", U32, 1), ("tokenizer.ggml.eos_token_id", U32, 2),
            ("tokenizer.ggml.unknown_token_id", U32, 0)]


def weights(generator):
    """Name, shape with a row's length last, and numbers, row by row; norms are ones."""
    def drawn(name, rows, length, scale=None):
        return name, (rows, length), [generator.gauss(0, scale or length ** -0.5) for _ in range(rows * length)]
    def ones(name):
        return name, (WIDTH,), [1.0] * WIDTH
    yield drawn("token_embd", TOKENS, WIDTH, 0.5)
    for layer in range(LAYERS):
        yield ones(f"blk.{layer}.attn_norm")
        yield ones(f"blk.{layer}.ffn_norm")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield drawn(f"blk.{layer}.{name}", WIDTH, WIDTH)
        for name in ("ffn_gate", "ffn_up"):
            yield drawn(f"blk.{layer}.{name}", INNER, WIDTH)
        yield drawn(f"blk.{layer}.ffn_down", WIDTH, INNER)
    yield ones("output_norm")
    yield drawn("output", TOKENS, WIDTH)


def padded(data):
    return data + bytes(-len(data) % 32)


def model(form, seed=1):
    """The file's bytes, with matrices as `form` says."""
    described, data, count, begin = b"", [], 0, 0
    for name, shape, numbers in weights(random.Random(seed)):
        kind, layout = FORMATS[form if len(shape) == 2 else "f32"]
        described += text(name + ".weight") + struct.pack("<I", len(shape))
        described += b"".join(struct.pack("<Q", n) for n in reversed(shape)) + struct.pack("<IQ", kind, begin)
        data.append(padded(struct.pack(f"<{len(numbers)}{layout}", *numbers)))
        begin += len(data[-1])
        count += 1
    known = facts()
    head = b"GGUF" + struct.pack("<IQQ", 3, count, len(known)) + b"".join(entry(*e) for e in known) + described
    return padded(head) + b"".join(data)
