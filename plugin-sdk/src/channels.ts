import type { Actor } from './actor.js';
import { definePoint, defineService, type Keyed } from './references.js';

/** Extension point: a kind of messages that open pages get over the site's WebSocket at the moment when something happens. */
export interface ChannelKind<P = unknown> extends Keyed {
  /** May this account hear it? Asked of those alone to whom it is published, for each message. */
  authorize(actor: Actor, payload: P): boolean | Promise<boolean>;
  /**
   * What goes over the line, JSON; undefined: nothing. Made once for each account that has a connection to this process,
   * so that nothing is worked out for those who do not listen.
   */
  message(actor: Actor, payload: P): unknown;
  /**
   * Its message, made without a payload, tells how things are: who opens a connection with `?state` in the address hears
   * it at once, and so misses nothing of what happened before.
   */
  readonly isState?: boolean;
  /** The connections end with it, and are not to be opened again by themselves. */
  readonly isLast?: boolean;
}
export const channelKinds = definePoint.keyed<ChannelKind>('core.channels');

/** Whose connections a message is for. */
export interface ChannelAddress {
  readonly userIds: readonly number[];
  /** Only those that were opened with one of these credentials, for instance the session of a browser. */
  readonly credentialIds?: readonly number[];
}

/** Live messages to open pages, on all processes of the site. They are heard at once or not at all; nothing waits. */
export interface Channels {
  /** `key` of a {@link ChannelKind}; the payload is JSON. After the commit of what it tells about. */
  publish(key: string, to: ChannelAddress, payload?: unknown): Promise<void>;
  /** What these accounts may do has changed: connections of those who are not signed in any more end. */
  recheck(userIds: readonly number[]): Promise<void>;
}
export const channels = defineService<Channels>('core.channels');
