/** What the worker and the pages say to each other. */

/** An event as the site sends it (PSH-07 to PSH-09). */
export interface PushEvent {
  readonly eventType: string;
  readonly eventData?: unknown;
}

/**
 * `push-unavailable`: pages have to ask by themselves; `push-available`: no more;
 * `listening`: the connection stands, and whatever happens from now on is heard; `signed-out`: it has ended for good.
 */
export type WorkerMessage =
  | { readonly event: PushEvent }
  | 'push-unavailable'
  | 'push-available'
  | 'listening'
  | 'signed-out';

/** What a page says: for how long (ms) it has been on its way when it begins to listen, and that it is about to go. */
export type PageMessage = { readonly age: number } | typeof goodbye;
export const goodbye = 'goodbye';
