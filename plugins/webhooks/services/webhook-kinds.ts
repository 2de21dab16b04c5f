import { Invalid, type PointReader } from '@mortise/plugin-sdk';
import type { WebhookKind } from '../contract/webhooks.js';
import { t } from '../texts/index.js';

/** The kinds of receivers that are loaded, by their names. */
export class Kinds {
  constructor(private readonly kinds: PointReader<WebhookKind>) {}

  list(): readonly WebhookKind[] {
    return this.kinds.list();
  }

  find(type: string): WebhookKind | undefined {
    return this.kinds.get(type) ?? this.kinds.list().find((kind) => kind.aliases?.includes(type));
  }

  need(type: string): WebhookKind {
    const kind = this.find(type);
    if (!kind)
      throw Invalid(`there is no kind of webhook called ${JSON.stringify(type)}`, { text: t.later('error.kind') });
    return kind;
  }
}
