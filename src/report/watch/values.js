// What the words of the arrays hold after a step.

const pair = new DataView(new ArrayBuffer(8));
const kShort = 5;  // characters that a cell has room for

/// A number as it is, or in few characters.
function shortened(value) {
  const text = String(value);
  if (text.length <= kShort) return text;
  if (typeof value === "bigint" || !Number.isFinite(Number(value))) return text.length <= kShort + 1 ? text : `${text.slice(0, kShort - 1)}…`;
  for (let digits = 4; digits > 0; --digits) {
    const few = String(Number(value.toPrecision(digits))).replace(/^(-?)0\./, "$1.");
    if (few.length <= kShort) return few;
  }
  return value.toExponential(0).replace("e+", "e");
}

/// A 16-bit float: IEEE half precision, or the upper half of a float32 (bf16).
function half(bits, brain) {
  if (brain) {
    pair.setUint32(0, bits << 16, true);
    return pair.getFloat32(0, true);
  }
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/// The number that bits are: of f32, s32, u64, bf16, … Bits of which nothing says what they are: in hexadecimal.
export function numberOf(type, low, high) {
  pair.setUint32(0, low, true);
  pair.setUint32(4, high ?? 0, true);
  switch (type) {
    case "f32": return Math.fround(pair.getFloat32(0, true));
    case "f64": return pair.getFloat64(0, true);
    case "s32": return pair.getInt32(0, true);
    case "u32": return low;
    case "s64": return pair.getBigInt64(0, true);
    case "u64": return pair.getBigUint64(0, true);
    case "f16": return half(low & 0xffff, false);
    case "bf16": return half(low & 0xffff, true);
    case "s16": return (low << 16) >> 16;
    case "u16": return low & 0xffff;
    case "s8": return (low << 24) >> 24;
    case "u8": return low & 0xff;
    default: return `0x${low.toString(16).padStart(type === "b16" ? 4 : type === "b8" ? 2 : 8, "0")}`;
  }
}

/// A floating-point number in few digits: those of a float32 tell it from others, 16-bit ones have no more than five.
function exact(value, type) {
  if (type !== "f32") return String(Number(value.toPrecision(type === "bf16" ? 4 : 5)));
  for (let digits = 6; digits < 9; ++digits) if (Math.fround(Number(value.toPrecision(digits))) === value) return String(Number(value.toPrecision(digits)));
  return String(Number(value.toPrecision(9)));
}

export class Values {
  /// `changes`: columns event, array, element, bits, by event.
  constructor(launch, changes) {
    this.launch = launch;
    this.words = new Map();
    if (!changes) return;
    let step = 0;
    changes.event.forEach((event, k) => {
      while (launch.begins[step + 1] <= event) ++step;
      const array = changes.array[k], key = this.key(array, Math.floor(launch.warp[event] / launch.warps), changes.element[k]);
      if (!this.words.has(key)) this.words.set(key, []);
      this.words.get(key).push([step, changes.bits[k]]);
    });
  }

  key = (array, block, element) => `${array} ${this.launch.arrays[array].space === "shared" ? block : 0} ${element}`;

  /// The bits of a word after a step, in a block's shared memory where the array lies there; undefined: not known.
  bits(array, block, element, step) {
    const list = this.words.get(this.key(array, block, element)) ?? [];
    let low = 0, end = list.length;
    while (low < end) {
      const middle = (low + end) >> 1;
      if (list[middle][0] <= step) low = middle + 1; else end = middle;
    }
    return list[low - 1]?.[1];
  }

  /// {short, full} of the element that lies, begins or goes on here; undefined: not known.
  text(array, block, element, step) {
    const { type } = this.launch.arrays[array], unit = this.launch.unit(array), wide = /64$/.test(type), from = wide ? element - (element % 2) : element;
    const at = from * unit, low = this.bits(array, block, Math.floor(at / 4), step), high = wide ? this.bits(array, block, from + 1, step) : 0;
    if (low === undefined || high === undefined) return undefined;
    const shift = unit < 4 ? (at % 4) * 8 : 0, bits = unit < 4 ? (low >>> shift) & (2 ** (8 * unit) - 1) : low;
    const value = numberOf(wide && type[0] === "b" ? "u64" : type, bits, high), float = /^b?f(16|32)$/.test(type) && Number.isFinite(value);
    const full = typeof value === "string" ? value : float ? (Object.is(value, -0) ? "-0" : exact(value, type)) : String(value);
    return { short: typeof value === "string" && unit === 4 ? undefined : wide && from !== element ? undefined : typeof value === "string" ? value : shortened(float ? Number(full) : value), full };
  }
}
