import { createRequire } from 'node:module';
import type { DiffHunk, DiffLine } from '../contract/diffs.js';
import { blocksOf } from './diff.js';

const require = createRequire(import.meta.url);
/** Loaded with the first lines that stand opposite: a start does without. */
const library = () => require('diff') as typeof import('diff');

/** Part of a line that the other side does not have: from and to in characters, the end exclusive. */
export type Span = readonly [from: number, to: number];

const maxLineLength = 600;
/** Of the shorter line: what shares less are different lines, not one line that was changed. */
const minShared = 0.4;
const maxEdits = 120;
/** Long enough that a busy machine may let the process wait within it. */
const pairMilliseconds = 20;

interface WordLimits {
  readonly pairs?: number;
  readonly milliseconds?: number;
  /** Of one pair of lines. */
  readonly pairMilliseconds?: number;
}

/** Time and pairs that one answer may spend on words. */
export class WordBudget {
  readonly pairMilliseconds: number;
  #pairs: number;
  #milliseconds: number;

  constructor(limits: WordLimits = {}) {
    this.pairMilliseconds = limits.pairMilliseconds ?? pairMilliseconds;
    this.#pairs = limits.pairs ?? 1_000;
    this.#milliseconds = limits.milliseconds ?? 60;
  }

  get isSpent(): boolean {
    return this.#pairs <= 0 || this.#milliseconds <= 0;
  }

  spend(milliseconds: number): void {
    this.#pairs--;
    this.#milliseconds -= milliseconds;
  }
}

/** What changed within lines, for each removed and added line that stands opposite another. */
export function changedWords(hunks: readonly DiffHunk[], budget: WordBudget): ReadonlyMap<DiffLine, readonly Span[]> {
  const spansByLine = new Map<DiffLine, readonly Span[]>();
  for (const { lines } of hunks)
    for (const { removed, added } of blocksOf(lines))
      for (let index = 0; index < Math.min(removed.length, added.length); index++) {
        if (budget.isSpent) return spansByLine;
        const [before, after] = [removed[index]!, added[index]!];
        const started = performance.now();
        const spans = spansOf(before.text, after.text, budget.pairMilliseconds);
        budget.spend(performance.now() - started);
        if (!spans) continue;
        spansByLine.set(before, spans.before);
        spansByLine.set(after, spans.after);
      }
  return spansByLine;
}

/** Undefined where the lines have too little in common, or are too long. */
export function spansOf(
  before: string,
  after: string,
  timeout = pairMilliseconds,
): { before: Span[]; after: Span[] } | undefined {
  if (before.length > maxLineLength || after.length > maxLineLength) return undefined;
  const changes = library().diffWordsWithSpace(before, after, { timeout, maxEditLength: maxEdits });
  if (!changes) return undefined;
  const spans = { before: [] as [number, number][], after: [] as [number, number][] };
  let [left, right, shared] = [0, 0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) append(spans.before, left, (left += value.length));
    else if (added) append(spans.after, right, (right += value.length));
    else {
      shared += value.trim().length;
      left += value.length;
      right += value.length;
    }
  }
  const shorter = Math.min(before.trim().length, after.trim().length);
  return shared > 0 && shared >= shorter * minShared ? spans : undefined;
}

function append(spans: [number, number][], from: number, to: number): void {
  const last = spans.at(-1);
  if (last && last[1] === from) last[1] = to;
  else spans.push([from, to]);
}

/** Puts elements around the spans of a line whose HTML is there already; its own elements stay whole. */
export function markSpans(html: string, spans: readonly Span[], open: string, close: string): string {
  if (spans.length === 0) return html;
  let result = '';
  let at = 0;
  let next = 0;
  let isOpen = false;
  for (const [token] of html.matchAll(/<[^>]*>|&[#\w]+;|[^<&]/gu)) {
    if (token.length > 1 && token.startsWith('<')) {
      // elements may begin within a span and end outside of it
      result += isOpen ? close + token : token;
      isOpen = false;
      continue;
    }
    while (next < spans.length && at >= spans[next]![1]) next++;
    const inside = next < spans.length && at >= spans[next]![0];
    if (inside !== isOpen) result += inside ? open : close;
    isOpen = inside;
    result += token;
    at += token.startsWith('&') && token.length > 1 ? 1 : token.length;
  }
  return isOpen ? result + close : result;
}
