#!/usr/bin/env python3
"""Writes <gpu>.csv beside it: what kernels did (model/activity.h), derived from published or measured counters and, where those
are silent, from the kernels' text. README.md says how sure each column is. Run in this folder."""
import collections, csv, math, statistics

DATA = "../../../data/"
FIELDS = """blocks threads_per_block registers shared parameters flop fp32 int_alu load_store other shared_load_wavefronts
shared_store_wavefronts shared_conflicts global_wavefronts global_load_sectors l2_read_sectors l2_write_sectors dram_bytes_read
dram_bytes_written global_rounds shared_rounds alu_chain barriers overlap""".split()
KEYS = "table kernel block n rx ry r k time".split()


def ceil(a, b):
    return -(-int(a) // int(b))


def write(gpu, rows):
    with open(f"{gpu}.csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(KEYS + FIELDS)
        for row in rows:
            out.writerow([f"{row[k]:.7g}" if isinstance(row.get(k), float) else row.get(k, "") for k in KEYS + FIELDS])


def read(name, *keys):
    found = collections.OrderedDict()
    for row in csv.DictReader(open(DATA + name)):
        if row.get("value"):
            found.setdefault(tuple(row[k] for k in keys), {})[row["metric"]] = float(row["value"]) if row["value"][0].isdigit() else row["value"]
    return found


def loads_and_address(count):  # warp instructions of a tile's load interval: load, store to shared, about six around them
    return 8 * count + 4


# Registers as nvcc 13 / ptxas give them for sm_75 and later; published occupancy where it decides more.
def tile_code(bs, rx, ry, scalar_a):
    """Warp instructions of one tile step: multiply-adds, loads from shared memory."""
    words = rx // 4 if rx % 4 == 0 else rx // 2 if rx % 2 == 0 else rx
    return bs * rx * ry, bs * words + (bs * ry if scalar_a else bs * ry / 4)


def tile_base(bs, n, rx, ry, step_fma, step_lds, instructions=None):
    blocks = ceil(n, bs * rx) * ceil(n, bs * ry)
    steps = ceil(n, bs)
    warps = blocks * ceil(bs * bs, 32)
    loading = loads_and_address(rx + ry)
    fp32, lds, moves = warps * steps * step_fma, warps * steps * step_lds, warps * steps * 2 * (rx + ry)
    total = instructions or warps * steps * (step_fma + step_lds + loading + 6)
    rest = max(total - fp32 - lds - moves, 0)
    return dict(kernel="matmul/tiles", block=bs, n=n, rx=rx, ry=ry, blocks=blocks, threads_per_block=bs * bs, shared=bs * bs * 4 * (rx + ry),
                fp32=float(fp32), load_store=float(lds + moves), int_alu=float(rest / 2), other=float(rest / 2), barriers=2 * steps,
                global_rounds=steps, shared_rounds=steps, alu_chain=steps * (bs + 2 * (rx + ry)),
                overlap=float(min(1, loading * warps * steps / total)), flop=float(64 * fp32), warps=warps, steps=steps)


# ---- GTX 1080: published counters; instructions from the kernel's text (within 17 % of ipc x clocks for the tiles without spills).
def gtx1080():
    scalar = {(5, 6), (8, 8), (16, 16), (23, 24), (24, 24)}
    registers = {(1, 1): 32, (2, 1): 32, (2, 2): 32, (2, 3): 40, (2, 4): 48, (2, 8): 80, (4, 4): 64, (5, 6): 80, (6, 6): 95, (8, 8): 128,
                 (16, 16): 255, (23, 24): 255, (24, 24): 255}
    rows = []
    for (table, bs, n, rx, ry), m in read("published/gtx1080_matmul_tiles.csv", "table", "block", "n", "rx", "ry").items():
        bs, n, rx, ry = int(bs), int(n), int(rx), int(ry)
        a = tile_base(bs, n, rx, ry, *tile_code(bs, rx, ry, (rx, ry) in scalar))
        spills = (rx, ry) in {(16, 16), (23, 24), (24, 24)}
        local = (m["l2_write_transactions"] - m["gst_transactions"]) / 4 if spills else 0  # stores; as many loads
        a["load_store"] += 2 * local
        a["flop"] = m["flop_count_sp"] * 1e9
        loads = a["warps"] * a["steps"] * (rx + ry)
        a.update(table=table, time=m["duration"], registers=registers[rx, ry], shared_load_wavefronts=m["shared_load_transactions"],
                 shared_store_wavefronts=m["shared_store_transactions"], global_wavefronts=float(loads + 2 * local),
                 global_load_sectors=m["l2_read_transactions"], l2_read_sectors=m["l2_read_transactions"],
                 l2_write_sectors=m["l2_write_transactions"], dram_bytes_read=m["dram_read_bytes"],
                 dram_bytes_written=m["dram_write_bytes"])
        # every spilled value is loaded where it is used: rounds by groups of what a k step needs
        if spills:
            a["global_rounds"] += local / a["warps"] / (rx + ry)
        rows.append(a)
    write("gtx1080", rows)


# ---- H200: Nsight Compute's counters at n = 1024.
def h200():
    name = {k: "l1tex__" + v for k, v in dict(req="t_requests_pipe_lsu_mem_global_op_ld.sum", sec="t_sectors_pipe_lsu_mem_global_op_ld.sum",
            st="t_sectors_pipe_lsu_mem_global_op_st.sum", wld="data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            wst="data_pipe_lsu_wavefronts_mem_shared_op_st.sum", bad="data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum").items()}
    rows = []
    for (kernel, bs, n, rx, ry, r, k, grid), m in read("measured/h200-ncu/ncu_counters.csv", "kernel", "block", "n", "rx", "ry", "r", "k", "grid").items():
        bs, n, rx, ry, r, k = int(bs), int(n), int(rx or 1), int(ry or 1), int(r or 0), int(k or 1)
        x, y, _ = map(int, grid.strip("()").split(","))
        tpb = bs if kernel == "sum/last_block" else bs * bs
        warps = x * y * ceil(tpb, 32)
        req, lds = m[name["req"]], m["smsp__inst_executed_op_shared_ld.sum"]
        flops = m["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"], m["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"]
        fp32 = sum(flops) / 32
        tiled = lds > 0 and kernel != "sum/last_block"
        stores = req if tiled else 0
        total = m["smsp__inst_executed.sum"]
        rest = total - fp32 - req - lds - stores
        a = dict(table="ncu", kernel=kernel, block=bs, n=n, rx=rx, ry=ry, r=r, k=k, time=m["gpu__time_duration.sum"] * 1e-6, blocks=x * y,
                 threads_per_block=tpb, registers=int(m["launch__registers_per_thread"]), flop=2 * flops[0] + flops[1], fp32=fp32,
                 int_alu=rest / 2, other=rest / 2, load_store=req + lds + stores, shared_load_wavefronts=m[name["wld"]],
                 shared_store_wavefronts=m[name["wst"]], shared_conflicts=m[name["bad"]], global_load_sectors=m[name["sec"]],
                 l2_read_sectors=m["lts__t_sectors_op_read.sum"], l2_write_sectors=m[name["st"]], dram_bytes_read=m["dram__bytes_read.sum"],
                 dram_bytes_written=m["dram__bytes_write.sum"])
        # two rows of a block 16 wide are n words apart, so in the same banks
        a["global_wavefronts"] = req * {"matmul/grid": 1.5, "box_sum/direct": 1.0, "sum/last_block": 1.0}.get(kernel, 1.0 if bs == 32 else 2.0 if rx == 1 else 1.5)
        if tiled:
            steps, pair = ceil(n, bs), rx + ry
            a.update(shared=bs * (bs + (kernel == "aat/padded")) * 4 * pair, global_rounds=steps,
                     shared_rounds=steps, alu_chain=steps * (bs + 2 * pair), barriers=2 * steps,
                     overlap=min(1.0, loads_and_address(pair) * warps * steps / total))
        elif kernel == "matmul/grid":  # unrolled by four
            a.update(global_rounds=n / 4, alu_chain=n / 4 * 6)
        elif kernel == "box_sum/direct":  # a row is unrolled by four
            w = 2 * r + 1
            a.update(global_rounds=k * w * ceil(w, 4), alu_chain=k * w * (w + 2 * ceil(w, 4)))
        else:
            per_thread = n / (x * tpb)
            a.update(global_rounds=per_thread, alu_chain=2 * per_thread, barriers=10, shared=1024, shared_rounds=10)
        rows.append(a)
    write("h200", rows)


# ---- GT 240: instructions = published gips x time (one of twelve SMs); transactions by the rule of compute capability 1.2.
def segments(words):
    """Bytes that one half-warp's 32-bit accesses move."""
    total, lines = 0, collections.defaultdict(set)
    for w in words:
        lines[w // 32].add(w % 32)
    for inside in lines.values():
        size, low = 32, 0
        while size > 8:
            half = size // 2
            if all(w < low + half for w in inside):
                size = half
            elif all(w >= low + half for w in inside):
                size, low = half, low + half
            else:
                break
        total += 4 * size
    return total


def conflicts(words):
    """Passes of a half-warp over 16 banks; one word at a time is broadcast."""
    left, passes = list(words), 0
    while left:
        cast = left[0]
        busy, rest = set(), []
        for w in left:
            if w == cast:
                continue
            if w % 16 in busy or w % 16 == cast % 16:
                rest.append(w)
            else:
                busy.add(w % 16)
        left, passes = rest, passes + 1
    return passes


def gt240():
    registers = {"v1": 16, "v2": 10, "v3": {8: 12, 16: 12, 22: 13}, "v4a": 13, "v4b": 14, "v5": {8: 23, 16: 34, 22: 34}}
    names = dict(v1="one_block", v2="grid", v3="tiled", v4a="prefetch_register", v4b="prefetch_shared", v5="per_thread_2x2")
    rows = []
    for (kernel, bs, n), m in read("published/gt240_matmul_ladder.csv", "kernel", "block", "n").items():
        if "time" not in m or "gips" not in m:
            continue
        bs, n = int(bs), int(n)
        one, tiled = kernel == "v1", kernel not in ("v1", "v2")
        side = 2 * bs if kernel == "v5" else bs
        blocks = 1 if one else (n // side) ** 2
        wpb = ceil(bs * bs, 32)
        steps = n // bs
        elements = (n // bs) ** 2 if one else 1
        warps = blocks * wpb
        total = m["gips"] * m["time"] * 1e6 * (1 if one else 12)
        half_warps = [range(h, min(h + 16, bs * bs)) for h in range(0, bs * bs, 16)]
        places = [(bx, by) for bx in range(0, n // side, max(1, n // side // 5)) for by in (0, 1, 3) if by < n // side]
        moved = requests = 0
        if tiled:
            per = 2 if kernel == "v5" else 1
            for bx, by in places:
                for t in (0, 1, 2):
                    for h in half_warps:
                        for i in range(per):
                            moved += segments([(by * side + (l // bs) * per + i) * n + t * bs + l % bs for l in h])
                            moved += segments([(t * bs + l // bs) * n + bx * side + (l % bs) * per + i for l in h])
            moved = moved / len(places) / 3 * blocks * (steps + (kernel[1] in "45"))
            requests = 2 * per * warps * steps
            a_row, b_row = [], []
            for h in half_warps:
                for i in range(per):
                    a_row.append(conflicts([((l // bs) * per + i) * bs for l in h]))
                    b_row.append(conflicts([(l % bs) * per + i for l in h]))
            passes = (sum(a_row) + sum(b_row)) * bs * steps * blocks
            plain = (len(a_row) + len(b_row)) * bs * steps * blocks
        else:
            for bx, by in places:
                for k in (0, 1, 7):
                    for h in half_warps:
                        moved += segments([(by * bs + l // bs) * n + k for l in h]) + segments([k * n + bx * bs + l % bs for l in h])
            moved = moved / len(places) / 3 * blocks * n * (elements if one else 1)
            requests = 2 * warps * n * elements
            passes = plain = 0
        written = n * n * 4
        products = n**3 / 32 * (wpb * 32 / (bs * bs))
        moves = requests + (requests if tiled else 0)
        rest = max(0, total - products - moves)
        a = dict(table="ladder", kernel="matmul/" + names[kernel], block=bs, n=n, time=m["time"], blocks=blocks, threads_per_block=bs * bs,
                 registers=registers[kernel] if not isinstance(registers[kernel], dict) else registers[kernel][bs], parameters=28,
                 shared=0 if not tiled else bs * bs * 4 * {"v4b": 4, "v5": 4}.get(kernel, 2), flop=2.0 * n**3, fp32=products, load_store=float(moves),
                 int_alu=rest / 2, other=rest / 2, shared_load_wavefronts=float(passes), shared_store_wavefronts=float(requests * 2 if tiled else 0),
                 shared_conflicts=float(passes - plain), dram_bytes_read=moved, dram_bytes_written=float(written),
                 global_load_sectors=moved / 32)
        if tiled:
            a.update(global_rounds=steps, shared_rounds=steps, alu_chain=steps * (bs + 8), barriers=2 * steps)
            loading = 12 * (2 if kernel == "v5" else 1)
            share = loading * warps * steps / total
            a["overlap"] = min(1.0, share if kernel == "v3" else 1 - share / 2)
        else:
            a.update(global_rounds=n * elements, alu_chain=4 * n * elements)
        rows.append(a)
    write("gt240", rows)


# ---- RTX 4070 SUPER: all from the text of box_sum/direct.
def rtx4070s():
    rows = []
    for (table, bs, n, r, k), m in read("published/rtx4070s_box_sum.csv", "table", "block", "n", "r", "k").items():
        if not bs or not k or table == "7":  # table 7 repeats table 6
            continue
        bs, n, r, k = int(bs), int(n), int(r), int(k)
        side, w = n - 2 * r, 2 * r + 1
        gx, gy = ceil(side, bs), ceil(side, bs * k)
        wpb = ceil(bs * bs, 32)
        warps = gx * gy * wpb
        adds = side * side / 32 * w * w
        # lanes of a warp: 32 / bs rows of bs words, each k rows below the last
        banks = collections.Counter((row * k * n + x) % 32 for row in range(32 // bs) for x in range(bs))
        around = 9 * w * ceil(w, 4) / (w * w)  # index arithmetic of a row unrolled by four: address and branch of each round
        a = dict(table=table, kernel="box_sum/direct", block=bs, n=n, r=r, k=k, time=m["time"] * 1e3, gflops=m.get("gflops"), blocks=gx * gy,
                 threads_per_block=bs * bs, registers=30, flop=float(side * side * w * w), fp32=adds, load_store=adds, int_alu=adds * around * 0.6,
                 other=adds * around * 0.4, global_wavefronts=adds * max(banks.values()),
                 global_load_sectors=adds * sum(min(bs, 32) / 8 + 7 / 8 for _ in range(32 // bs)))
        # A block reads its rectangle with the halo once; the rest hits in L1. DRAM: everything once, as L2 (48 MB) holds rows.
        halo = (bs + 2 * r) * (bs * k + 2 * r) / 8
        a["l2_read_sectors"] = min(a["global_load_sectors"], gx * gy * halo)
        a.update(l2_write_sectors=side * side / 8, dram_bytes_read=4.0 * n * n, dram_bytes_written=4.0 * side * side,
                 global_rounds=k * w * ceil(w, 4), alu_chain=k * w * (w + 2 * ceil(w, 4)), overlap=1.0)
        a["time"] = a["flop"] / m["gflops"] * 1e-6  # the printed time has one or two digits only
        rows.append(a)
    write("rtx4070s", rows)


# ---- Tesla C2070: from the text of the tiled kernels with blocks of 32 x 32, which the published request counts need. The kernel
# without shared memory is left out: what its L1 answers cannot be derived by hand.
def c2070():
    rows, n, bs = [], 2048, 32
    names = {"matmul2_smem": ("matmul/tiled", 1, 0), "matmultl_nopad": ("aat/plain", 32, 0), "matmult2_pad": ("aat/padded", 1, 1)}
    for (table, kernel), m in read("published/c2070_shared_memory.csv", "table", "kernel").items():
        if kernel not in names or "time" not in m:
            continue
        name, degree, pad = names[kernel]
        a = tile_base(bs, n, 1, 1, bs, 2 * bs)  # one word a load: nothing merges them on this GPU
        w = a["warps"] * a["steps"]
        sectors = w * 2 * 4.0
        a.update(table=table, kernel=name, time=m["time"], registers=20, shared=bs * (2 * bs + pad) * 4, global_rounds=a["steps"],
                 shared_load_wavefronts=float(w * bs * (1 + degree)), shared_store_wavefronts=2.0 * w, shared_conflicts=float(w * bs * (degree - 1)),
                 global_wavefronts=2.0 * w, global_load_sectors=sectors, l2_read_sectors=sectors, l2_write_sectors=n * n / 8,
                 dram_bytes_read=sectors * 32 / 2, dram_bytes_written=4.0 * n * n)  # L2 of 768 KB: taken as half of the tiles hit
        rows.append(a)
    write("c2070", rows)


for make in (gtx1080, h200, gt240, rtx4070s, c2070):
    make()
