// Numbers for people: bytes, times, counts.

const kBytes = ["B", "kB", "MB", "GB", "TB"];
export function bytes(v) {
  let k = 0;
  for (; Math.abs(v) >= 1000 && k < kBytes.length - 1; ++k) v /= 1000;
  return `${digits(v)} ${kBytes[k]}`;
}

export function time(ms) {
  if (ms >= 1000) return `${digits(ms / 1000)} s`;
  if (ms >= 1) return `${digits(ms)} ms`;
  return ms >= 1e-3 ? `${digits(ms * 1e3)} µs` : `${digits(ms * 1e6)} ns`;
}

const kCounts = ["", "k", "M", "G", "T"];
export function count(v) {
  if (Math.abs(v) < 10000) return digits(v);
  let k = 0;
  for (; Math.abs(v) >= 1000 && k < kCounts.length - 1; ++k) v /= 1000;
  return `${digits(v)}${kCounts[k]}`;
}

/// Three significant digits, whole numbers in full.
export const digits = (v) => (Number.isInteger(v) && Math.abs(v) < 1e6 ? String(v) : Math.abs(v) >= 100 ? v.toFixed(0) : String(Number(v.toPrecision(3))));
export const percent = (v) => `${digits(v)} %`;

/// What the parts of a predicted time are.
export const kParts = {
  time_issue: "issue slots", time_fp32: "fp32 lanes", time_int: "integer lanes", time_fp64: "fp64 lanes", time_sfu: "special functions",
  time_tensor: "tensor cores", time_shared: "shared memory", time_l1: "L1 cache", time_l1_tags: "L1 tags", time_load_store: "load/store units",
  time_constant: "constant memory", time_atomics: "atomics of one word", time_data_path: "shared memory + L1", time_l2: "L2 bandwidth",
  time_l2_port: "SM's port to L2", time_dram: "DRAM bandwidth", time_blocks: "starting blocks", time_tail: "unequal SMs (tail)",
  time_latency: "latency not hidden", time_barriers: "waiting at barriers", time_launch: "launch",
};
export const kUnmodelled = {
  atomic_meetings: "atomics of one word that wait for each other", constant_passes: "passes of constant memory",
  lock_attempts: "loops that wait for other threads", texture_units: "texture units",
  bulk_units: "bulk copies and wgmma",
};
