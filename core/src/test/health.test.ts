import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { createHost, type Host } from '../host.js';
import { until } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('F8: health tells the truth', { timeout: 120_000 }, () => {
  let workDir: string;
  let host: Host;
  before(async () => {
    workDir = mkdtempSync(join(tmpdir(), 'mortise-health-'));
    host = await createHost({ workDir, environment: {}, plugins: [], logLevel: 'none' });
    await host.start({ background: false });
  });
  after(async () => {
    await host.stop();
    rmSync(workDir, { recursive: true, force: true });
  });
  const status = async (path: string) => (await host.inject(path)).statusCode;

  it('names what it has looked at', async () => {
    for (const path of ['/api/healthz', '/api/readyz']) {
      const { statusCode, result } = await host.inject(path);
      expect(statusCode).to.equal(200);
      const { checks, description } = JSON.parse(String(result)) as { checks: object; description: string };
      expect(Object.keys(checks)).to.include(['database:ping', 'broker:ping', 'storage:write']);
      expect(description).to.equal('Mortise');
    }
  });

  it('fails while the storage cannot be written, lives on, and is well again afterwards', async () => {
    const folder = join(workDir, 'data', 'storage');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'no folder');
    await until(async () => (await status('/api/readyz')) === 503);
    expect(await status('/api/healthz')).to.equal(503);
    expect(await status('/api/livez')).to.equal(200);
    for (const path of ['/api/readyz', '/api/healthz']) {
      const text = String((await host.inject(path)).result);
      expect(text).to.contain('see the log').and.not.contain(workDir);
    }
    rmSync(folder);
    await until(async () => (await status('/api/readyz')) === 200);
  });
});
