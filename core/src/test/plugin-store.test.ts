import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { PluginStore } from '../added/store.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the folder of added plugins', () => {
  it('sweeps what a killed command left, and nothing of one that still runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mortise-store-'));
    try {
      const store = new PluginStore(folder);
      const [left, running] = [await store.stage(), await store.stage()];
      const before = new Date(Date.now() - 2 * 3_600_000);
      utimesSync(left, before, before);
      await store.sweep();
      expect([existsSync(left), existsSync(running)]).to.equal([false, true]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
