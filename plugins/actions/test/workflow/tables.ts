import { readFileSync } from 'node:fs';
import type { Contexts } from '../../workflow/index.js';

/** Lines of a table beside this file, without comments. */
export function linesOf(name: string): string[] {
  const folder = new URL('../../../test/workflow/', import.meta.url);
  return readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** What the tables know. */
export const contexts: Contexts = {
  github: {
    event_name: 'push',
    ref: 'refs/heads/main',
    repository: 'ada/mill',
    event: {
      number: 7,
      one: 1,
      head_commit: { message: 'Fix [deps]' },
      commits: [
        { id: 'a1', author: { name: 'Ada' } },
        { id: 'b2', author: { name: 'Ben' }, note: 'n' },
      ],
      labels: [{ name: 'bug' }, { name: 'urgent' }],
    },
  },
  env: { NAME: 'value', EMPTY: '', FLAG: 'true', 'with-dash': 'dashed' },
  vars: { REGION: 'eu' },
  job: { status: 'success' },
  steps: { build: { outputs: { digest: 'abc' }, outcome: 'failure', conclusion: 'success' } },
  runner: { os: 'Linux' },
  secrets: { TOKEN: 's3cret' },
  strategy: { 'job-total': 4, 'fail-fast': true },
  matrix: { os: 'linux', node: 20 },
  needs: {
    setup: { result: 'success', outputs: { key: 'k1' } },
    skipped: { result: 'skipped', outputs: {} },
    broken: { result: 'failure', outputs: {} },
  },
  inputs: { loud: true, colour: 'red' },
  jobs: { mix: { outputs: { paint: 'thick' } } },
};
