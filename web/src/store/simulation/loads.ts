// Load on links: the strongest force that a joint passes on to them.

/** Of every link the strongest force of its joints [N]; none where forces are not reported. */
export function linkLoads(
  joints: readonly { parent: number; child: number }[],
  reactions: Float64Array | null,
): number[] {
  if (reactions === null || reactions.length < 6 * joints.length) return [];
  const loads: number[] = [];
  joints.forEach(({ parent, child }, i) => {
    const force = Math.hypot(reactions[6 * i], reactions[6 * i + 1], reactions[6 * i + 2]);
    for (const link of [parent, child]) loads[link] = Math.max(loads[link] ?? 0, force);
  });
  return Array.from(loads, (load) => load ?? 0);
}
