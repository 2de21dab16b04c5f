/** What the worker and the pages say to each other. */

/** An event as the site sends it (PSH-07 to PSH-09). */
export interface PushEvent {
  readonly eventType: string;
  readonly eventData?: unknown;
}

export interface WorkerEvent {
  readonly event: PushEvent;
  /** Of one that is told once more: when it came, milliseconds since 1970. */
  readonly at?: number;
}

/**
 * `push-unavailable`: pages have to ask by themselves; `push-available`: no more;
 * `listening`: the connection stands, and whatever happens from now on is heard; `signed-out`: it has ended for good.
 */
export type WorkerWord = WorkerEvent | 'push-unavailable' | 'push-available' | 'listening' | 'signed-out';

/** What a page says: it is about to go. */
export const goodbye = 'goodbye';
