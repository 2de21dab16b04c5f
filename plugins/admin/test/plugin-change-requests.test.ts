import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Events, PluginChange, PluginChanges, PluginSwitches } from '@mortise/plugin-sdk';
import { PluginChangeRequests } from '../services/plugin-change-requests.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('changes of installed plugins, for administrators', () => {
  const acts: unknown[] = [];
  /** Lets a change of this plugin be confirmed. */
  const confirm = (kind: PluginChange['kind'], plugin: string, dependents: readonly string[] = []) =>
    new PluginChangeRequests({
      changes: {
        confirm: (_id: number, within: (change: PluginChange) => Promise<void>) =>
          within({
            id: 1,
            kind,
            plugin,
            state: 'running',
            source: `@acme/${plugin}`,
            canRetry: false,
            changedAt: 1,
            nodes: [],
          }),
      } as unknown as PluginChanges,
      events: { emit: (_type: unknown, act: unknown) => Promise.resolve(void acts.push(act)) } as unknown as Events,
      switches: { dependents: () => dependents } as unknown as PluginSwitches,
    }).confirm(1);

  it('keep what these pages need, by whatever name it was asked for', async () => {
    for (const kind of ['remove', 'purge'] as const) {
      await expect(confirm(kind, 'auth-basic')).to.reject();
      await expect(confirm(kind, 'shelf', ['sessions'])).to.reject();
    }
    expect(acts).to.equal([]);
    await confirm('remove', 'shelf');
    await confirm('update', 'auth-basic');
    expect(acts.length).to.equal(2);
  });
});
