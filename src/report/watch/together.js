// How two recordings go together: where the other one stands, and what both cost.

/// The place of the `nth` step in a phase of a player's steps; the last one where there are fewer.
export function placeInPhase(scope, phase, nth) {
  const phases = scope.steps.map((s) => scope.launch.steps[s].phase), wanted = Math.min(phase, Math.max(0, ...phases));
  const first = phases.findIndex((p) => p >= wanted), count = phases.filter((p) => p === phases[first]).length;
  return Math.max(0, first) + Math.min(nth, Math.max(0, count - 1));
}

/// For each metric that one of them has: {space, metric, values: [[this step, so far, in all], …]}.
export function comparedCosts(players) {
  const rows = [];
  for (const space of Object.keys(players[0].recording.metrics)) {
    const of = players.map(({ launch, scope, step, recording }) => {
      const sums = [[step, step + 1], [0, step + 1], [0, launch.steps.length]].map(([from, to]) => scope.sums(space, from, to));
      return Object.fromEntries((recording.metrics[space] ?? []).map((m, k) => [m.name, sums.map((s) => s[k])]));
    });
    for (const metric of players[0].recording.metrics[space]) {
      const values = of.map((o) => o[metric.name] ?? [0, 0, 0]);
      const used = of.some((o) => Object.values(o).some((v) => v[2] > 0));
      if (values.some((v) => v[2] > 0) || (used && metric.name === "bank_conflicts")) rows.push({ space, metric, values });
    }
  }
  return rows;
}
