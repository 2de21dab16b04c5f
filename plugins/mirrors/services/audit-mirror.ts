import { actAudited, type Events } from '@mortise/plugin-sdk';

interface Mirror {
  readonly id: number;
  readonly repository_id: number;
  readonly remote_url: string;
}

/** In the transaction of the act. The host alone: the rest of an address can be a secret. */
export function auditMirror(
  events: Events,
  action: `${'mirror' | 'push_mirror'}.${'create' | 'edit' | 'delete'}`,
  { id, repository_id: repositoryId, remote_url: address }: Mirror,
): Promise<void> {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?([^/:]+)/i.exec(address)?.[1] ?? '';
  const target = { kind: action.split('.')[0]!, id, name: host };
  return events.emit(actAudited, { action, target, repositoryId });
}
