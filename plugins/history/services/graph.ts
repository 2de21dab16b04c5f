/** Lines of a drawn history: each commit stands in a lane, and its lane goes on in its first parent. */
export interface GraphRow {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly lane: number;
  readonly color: number;
  /** Lines from this row to the next: from lane, to lane, colour. */
  readonly lines: readonly (readonly [from: number, to: number, color: number])[];
}

interface Lane {
  readonly waitsFor: string;
  readonly color: number;
}

const maxLanes = 40;

/** Commits with children before their parents, as `git rev-list --topo-order` gives them. */
export function layOutGraph(
  commits: readonly { readonly oid: string; readonly parents: readonly string[] }[],
): GraphRow[] {
  let lanes: (Lane | undefined)[] = [];
  let nextColor = 0;
  const free = (within: readonly (Lane | undefined)[]) => {
    const gap = within.findIndex((lane) => !lane);
    return gap < 0 ? within.length : gap;
  };
  return commits.map(({ oid, parents }) => {
    let lane = lanes.findIndex((one) => one?.waitsFor === oid);
    if (lane < 0) {
      lane = free(lanes);
      lanes[lane] = { waitsFor: oid, color: nextColor++ };
    }
    const { color } = lanes[lane]!;
    const next = lanes.map((one) => (one?.waitsFor === oid ? undefined : one));
    const lines: (readonly [number, number, number])[] = [];
    parents.forEach((parent, index) => {
      let to = next.findIndex((one) => one?.waitsFor === parent);
      if (to < 0) {
        to = index === 0 ? lane : free(next);
        if (to >= maxLanes) return;
        next[to] = { waitsFor: parent, color: index === 0 ? color : nextColor++ };
      }
      lines.push([lane, to, index === 0 ? color : next[to]!.color]);
    });
    lanes.forEach((one, from) => {
      if (one && one.waitsFor !== oid) lines.push([from, from, one.color]);
    });
    lanes = next;
    while (lanes.length > 0 && !lanes.at(-1)) lanes.pop();
    return { oid, parents, lane, color, lines };
  });
}
