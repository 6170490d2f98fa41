#!/usr/bin/env python3
"""misuse.py WARPWRIGHT PROGRAM CARD.csv: wrong calls return what they return on a card, but for what is named here."""
import csv, subprocess, sys

# Where ours differs: what ours returns, and why it is left so.
OURS = {
    "cuArrayCreate of nothing": ("801 1 400", "an unknown format is refused by name"),
    "cuLibraryLoadData of nonsense": ("200 0 500", "a card reads a library at its first use"),
    "cuLinkComplete of nothing": ("1", "a card links nothing to an empty image"),
    "cuMemMap of nothing": ("1 1 0", "memory that is not mapped cannot be unmapped (manual: CUDA_ERROR_INVALID_VALUE)"),
    "cuModuleLoadData of broken PTX": ("0", "likewise: an unknown instruction stops only its kernel"),
    "cudaCreateTextureObject of nothing": ("1", "manual: cudaErrorInvalidValue"),
    "cudaDestroyTextureObject of 0 and of nonsense": ("0 1", "manual: cudaErrorInvalidValue"),
    "cudaMemcpy3D of an empty description": ("1 1", "manual: one of array and pointer must be given"),
    "cudaStreamEndCapture to nowhere": ("1", "manual: cudaErrorInvalidValue"),
    "linear texture at an odd address": ("0", "cards take addresses that the manual's textureAlignment forbids"),
    "trap": ("719 719 0 719 0 0", "manual: cudaDeviceReset gives a new context; on that card the device stayed unavailable"),
}
warpwright, program, card = sys.argv[1:]
with open(card) as rows:
    wanted = {row["case"]: row["codes"] for row in csv.DictReader(rows)}
run = subprocess.run([warpwright, "run", program, "2"], capture_output=True, text=True, timeout=240)
got = dict(line.split(",", 1) for line in run.stdout.splitlines())
wrong = [f"{case}: is not in {card}" for case in got if case not in wanted]
for case, codes in wanted.items():
    ours = got.get(case, "nothing")
    if case in OURS:
        if ours == codes:
            wrong.append(f"{case}: as on a card now, take it out of the list")
        codes = OURS[case][0]
    elif codes.startswith("signal"):  # a card's driver ends the program: ours may return any error
        if ours.startswith(("signal", "nothing")):
            wrong.append(f"{case}: {ours}")
        continue
    if ours != codes:
        wrong.append(f"{case}: {ours} instead of {codes}")
print("\n".join(wrong + [f"{len(wanted) - len(wrong)} of {len(wanted)} cases as they should be"]))
sys.exit(bool(wrong))
