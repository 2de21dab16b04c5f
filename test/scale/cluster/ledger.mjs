// What the cluster acknowledged, what it refused, and what was seen to be wrong.
export class Ledger {
  /** Kind → what was acknowledged of it. */
  acknowledged = new Map();
  /** Kind → how often it was refused, or its outcome is not known. */
  refused = new Map();
  unknown = new Map();
  /** Sentences, each a fault. */
  faults = [];
  /** The longest that something withdrawn was accepted after the withdrawal was acknowledged, in milliseconds. */
  longestStaleMs = 0;
  stale = 0;

  acknowledge(kind, record) {
    this.of(kind).push(record);
  }

  of(kind) {
    if (!this.acknowledged.has(kind)) this.acknowledged.set(kind, []);
    return this.acknowledged.get(kind);
  }

  #count(counts, kind) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  refuse(kind) {
    this.#count(this.refused, kind);
  }

  lose(kind) {
    this.#count(this.unknown, kind);
  }

  /** `text` names what was asked and seen. */
  fault(text) {
    if (this.faults.length < 200) this.faults.push(`${new Date().toISOString()} ${text.slice(0, 500)}`);
  }

  get count() {
    return [...this.acknowledged.values()].reduce((sum, records) => sum + records.length, 0);
  }

  /** Lines: by kind what was acknowledged, refused and unknown. */
  summary() {
    const kinds = new Set([...this.acknowledged.keys(), ...this.refused.keys(), ...this.unknown.keys()]);
    return [...kinds]
      .sort()
      .map(
        (kind) =>
          `${kind}: ${this.acknowledged.get(kind)?.length ?? 0} acknowledged, ${this.refused.get(kind) ?? 0} refused, ${this.unknown.get(kind) ?? 0} unknown`,
      );
  }
}
