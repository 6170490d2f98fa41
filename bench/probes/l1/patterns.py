"""Address patterns for wavefronts.cu: those that rules of shared memory and of L1 could disagree on, and random ones."""
import random

random.seed(2026)
WIDTHS = (4, 8, 16)


def shared(width):
    """Patterns of a warp's lanes, in units of the access; 48 KiB of shared memory."""
    most = 48 * 1024 // width
    words = width // 4
    row = 32 // words  # units until the bank repeats
    yield [i for i in range(32)]
    yield [0] * 32
    for shift in (1, 2, 3, 4):
        yield [i >> shift for i in range(32)]
    for bit in (1, 2, 4, 8, 16):  # lanes that differ in this bit share an address
        yield [i & ~bit for i in range(32)]
        yield [(i & ~bit) * 3 for i in range(32)]
    for few in (1, 3, 7, 15):
        yield [i & few for i in range(32)]
    for edge in (1, 5, 8, 11, 15, 16, 17, 21, 22, 24, 27, 31):  # two addresses
        yield [0 if i < edge else 1 for i in range(32)]
        yield [0 if i < edge else row for i in range(32)]
        yield [0 if i < edge else 11 for i in range(32)]
    for stride in (2, 3, 4, 5, 8, 11, 16, 17, 22, 31, 32, 33):
        if stride * 31 < most:
            yield [stride * i for i in range(32)]
            yield [stride * (i >> 1) for i in range(32)]
            yield [stride * (i >> 2) for i in range(32)]
            yield [stride * (i & 15) for i in range(32)]
    for lanes in (0x1, 0xff, 0xffff, 0xffff0000, 0x55555555, 0x0f0f0f0f, 0x33333333, 0x80000001, 0x00ff00ff):
        yield [i if lanes >> i & 1 else -1 for i in range(32)]
        yield [2 * i if lanes >> i & 1 else -1 for i in range(32)]
    for choices in (2, 3, 4, 6, 8, 12, 16, 24):
        for reach in (row, 4 * row, most):
            for _ in range(3):
                from_ = [random.randrange(reach) for _ in range(choices)]
                yield [random.choice(from_) for _ in range(32)]
                pairs = [random.choice(from_) for _ in range(16)]
                yield [pairs[i >> 1] for i in range(32)]
                yield [pairs[(i & 1) | i >> 2 << 1] for i in range(32)]
    for _ in range(10):
        yield [random.randrange(most) if random.random() < 0.7 else -1 for _ in range(32)]


def global_(width):
    """Lines of 128 bytes that a request touches, and how the lanes are spread over them."""
    line = 128 // width
    yield list(range(32))
    yield [i + 1 for i in range(32)]
    yield [0] * 32
    for lines in (2, 3, 4, 5, 8, 16, 32):
        yield [(i % lines) * line for i in range(32)]
        yield [(i * lines // 32) * line for i in range(32)]
        yield [(i * lines // 32) * line + i % line for i in range(32)]
        yield [(i * lines // 32) * line * 17 + i % line for i in range(32)]
        yield [(i % lines) * line + i // lines % line for i in range(32)]
    for stride in (2, 3, 4, 5, 6, 8, 11, 12, 16, 22, 24, 32, 64, 100, 1024, 1056):
        yield [stride * i for i in range(32)]
        yield [stride * (i >> 4) + (i & 15) for i in range(32)]
        yield [stride * (i >> 3) + (i & 7) for i in range(32)]
    for _ in range(20):
        reach = random.choice((64, 256, 1024, 100000))
        yield [random.randrange(reach) for _ in range(32)]


for width in WIDTHS:
    for op in ("load", "store"):
        for pattern in shared(width):
            print("shared", op, width, *pattern)
        for pattern in global_(width):
            print("global", op, width, *pattern)
