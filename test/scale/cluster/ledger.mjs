// What the cluster acknowledged, what it refused, and what was seen to be wrong.
export class Ledger {
  /** Kind → what was acknowledged of it. */
  acknowledged = new Map();
  /** Kind → how often it was refused, and how often its outcome is not known. */
  refused = new Map();
  unknown = new Map();
  /** Sentences: what was seen to be wrong. */
  violations = [];
  /** The longest that something withdrawn was accepted after the revoke was acknowledged, in milliseconds. */
  longestUseAfterRevokeMs = 0;
  staleReads = 0;

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

  countUnknown(kind) {
    this.#count(this.unknown, kind);
  }

  /** `text` names what was asked and seen. */
  violation(text) {
    // what an error is stands at its end, behind the statement
    const short = text.length > 1000 ? `${text.slice(0, 300)} … ${text.slice(-700)}` : text;
    if (this.violations.length < 200) this.violations.push(`${new Date().toISOString()} ${short}`);
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
