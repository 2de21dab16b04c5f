// Database: none.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the relays of git in workers of a cluster', () => {
  it('S5: have a port each: what one user fetches never comes by the connection of another', async () => {
    const program = fileURLToPath(new URL('./relay-worker.js', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 30_000 });
    const ports = JSON.parse(stdout) as number[];
    expect(ports).to.have.length(4);
    expect(new Set(ports).size).to.equal(4);
  });
});
