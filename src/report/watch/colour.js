// A colour for each thread, warp or block: up to eight are the page's own (told apart by colour-blind readers), more a ramp
// of rising lightness (viridis: Smith, van der Walt), so that neighbours look alike and order shows in grey too.

const kRamp = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

function ramp(part) {
  const at = Math.min(1, Math.max(0, part)) * (kRamp.length - 1), low = Math.min(kRamp.length - 2, Math.floor(at));
  return kRamp[low].map((c, k) => Math.round(c + (kRamp[low + 1][k] - c) * (at - low)));
}

/// {fill, ink}: the colour number `index` of `count`, and what is readable on it.
export function colourOf(index, count) {
  if (count <= 8) return { fill: `var(--c${index % 8})`, ink: "var(--on-colour)" };
  const [r, g, b] = ramp(0.08 + 0.92 * (index / (count - 1)));
  return { fill: `rgb(${r} ${g} ${b})`, ink: 0.299 * r + 0.587 * g + 0.114 * b > 128 ? "#101418" : "#ffffff" };
}

/// What colours stand for in a scope: `of(event, thread)` → {fill, ink, label}.
export function colouring(scope) {
  const { launch, colour } = scope, { blocks, warps, threads } = launch;
  if (colour === "block") return (event) => ({ ...colourOf(event.block, blocks), label: event.block });
  if (colour === "warp") return (event) => ({ ...colourOf(event.warp, warps), label: event.warp });
  const inWarp = ["warp", "thread"].includes(scope.kind), count = inWarp ? Math.min(32, threads) : threads;
  return (event, thread) => ({ ...colourOf(inWarp ? thread % 32 : thread, count), label: thread });
}
