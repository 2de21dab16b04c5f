import type { PointReader } from '@mortise/plugin-sdk';
import type { ActivityEventKind } from '@mortise/activity-events/api';

const issueEvents = ['issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment'];
const pullEvents = [
  'pull_request',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_comment',
  'pull_request_review',
  'pull_request_review_request',
  'pull_request_sync',
];

/**
 * The fixed event names of the interface (HOK-27). They are accepted also while the plugin that tells them is off, so
 * that a hook survives it.
 */
const hookEventNames = [
  'create',
  'delete',
  'fork',
  'push',
  ...issueEvents,
  ...pullEvents,
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
  'wiki',
  'repository',
  'release',
  'package',
  'status',
  'workflow_run',
  'workflow_job',
];

/** Stored in place of names by a hook that hears everything, also what plugins announce that are added later. */
export const everyEvent = '*';

/** Names that stand for others. */
const umbrellas: ReadonlyMap<string, readonly string[]> = new Map([
  ['issues', issueEvents],
  ['issues_only', ['issues']],
  ['pull_request', pullEvents],
  ['pull_request_only', ['pull_request']],
]);

/** Normalizes event names chosen in forms and API requests. */
export class EventNames {
  constructor(private readonly events: PointReader<ActivityEventKind>) {}

  /**
   * Stored names in the order of the interface, whatever the case; none given means `push` (HOK-27). Unknown ones are
   * left out, so that a hook may be left with none.
   */
  normalize(given: readonly string[] | undefined): string[] {
    if (!given?.length) return ['push'];
    if (given.includes(everyEvent)) return [everyEvent];
    const contributed = this.events.list();
    const wanted = new Set<string>();
    for (const name of given.map((one) => one.toLowerCase())) {
      for (const one of umbrellas.get(name) ?? [name]) wanted.add(one);
      // names of the interface stand for what it says; only others are for the owners of events to explain
      if (!hookEventNames.includes(name))
        for (const event of contributed) if (event.inputs?.includes(name)) wanted.add(event.key);
    }
    return this.#known().filter((name) => wanted.has(name));
  }

  /** Stored names as the API says them: each for itself. */
  named(stored: readonly string[]): string[] {
    return stored.includes(everyEvent) ? this.#known() : [...stored];
  }

  #known(): string[] {
    return [...new Set([...hookEventNames, ...this.events.list().map((event) => event.key)])];
  }

  /** What the form offers: the events that some loaded plugin tells. */
  offered(): readonly ActivityEventKind[] {
    return this.events.list();
  }

  /** Does a hook with these events want to hear of the type? */
  static wants(events: readonly string[], eventType: string): boolean {
    if (events.includes(everyEvent) || events.includes(eventType)) return true;
    return (
      /^pull_request_review_(?:approved|rejected|comment)$/.test(eventType) && events.includes('pull_request_review')
    );
  }
}
