import type { Announcement, AnnouncementKind, PayloadOptions } from '@mortise/announcements/api';
import { textOf, type Languages, type PointReader } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { Hook, HookEvent } from '../api.js';
import type { Announcer } from '../services/announcer.js';

export interface ListenParts {
  readonly kinds: PointReader<AnnouncementKind>;
  readonly languages: Languages;
  readonly options: PayloadOptions;
}

/** Makes of announcements what hooks are sent. */
export class Listener {
  constructor(private readonly parts: ListenParts) {}

  /** In their order; again after a failure, and then only to the hooks that have not heard it. */
  async hear(list: readonly Announcement[], announcer: Announcer): Promise<void> {
    for (const one of list) {
      const event = this.#eventOf(one);
      if (event) await announcer.deliver(event);
    }
  }

  /**
   * Sends the newest push that could have been to one hook, whatever it listens to, unless it is switched off (HOK-21);
   * false: there is nothing to make it from.
   */
  async trial(
    hook: Hook,
    request: { repository: Repository; ref: string; actorId: number },
    announcer: Announcer,
  ): Promise<boolean> {
    const event = await this.sample(request);
    if (event && hook.active) await announcer.deliverTo(hook.id, event);
    return event !== undefined;
  }

  /** The newest push that could have been; undefined: there is nothing to make it from. */
  async sample(request: { repository: Repository; ref: string; actorId: number }): Promise<HookEvent | undefined> {
    const sample = await this.parts.kinds.get('push')?.sample?.(request);
    return sample && this.#eventOf(sample);
  }

  /** Undefined: of a plugin that is not loaded any more. */
  #eventOf(announcement: Announcement): HookEvent | undefined {
    const { kinds, languages, options } = this.parts;
    const kind = kinds.get(announcement.kind);
    if (!kind) return undefined;
    const { repositoryId, ownerId, ref } = announcement.resource;
    return {
      eventType: kind.key,
      event: kind.event ?? kind.key,
      ...(repositoryId === undefined ? {} : { repositoryId }),
      ...(ownerId === undefined ? {} : { ownerId }),
      ...(ref === undefined ? {} : { ref }),
      at: announcement.at,
      once: announcement.id,
      payload: () => kind.payload(announcement, options),
      describe: async () => {
        const description = await kind.describe(announcement);
        if (!description) return undefined;
        const language = languages.offered()[0]?.tag ?? 'en-US';
        return { ...description, title: languages.in(language, () => textOf(description.title)) };
      },
    };
  }
}
