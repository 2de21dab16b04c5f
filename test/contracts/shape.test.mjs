// One place for one role, the same in every plugin: what lies where is known before a folder is opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Folders of a plugin, each with what lies there (docs/architecture.md). */
const rooms = new Set([
  'commands',
  'contract',
  'events',
  'jobs',
  'migrations',
  'models',
  'pages',
  'routes',
  'services',
  'takeover',
  'templates',
  'test',
  'texts',
  'units',
  'wiring',
]);

/** Files beside them: the contents of a plugin, its settings, its contract, and what a kind of plugin contributes. */
const files = /^(?:plugin|api|settings|wiring|testing|format|kind)\.tsx?$/;

/** Folders of one plugin, each with its reason. */
const ownRooms = {
  'actions/worker': 'a thread of its own, which loads nothing of the server',
  'actions/workflow': 'the language of workflow files; the runner and the worker read it without the plugin',
  'actions-runner/builtin': 'actions that the runner brings along, each a program',
  'actions-runner/containers': 'what the runner asks of a container engine',
  'actions-runner/engine': 'runs a job wherever a runner is, with or without a server',
  'actions-runner/remote': 'a runner on another machine',
  'actions-runner-protocol/proto': 'messages as their protocol describes them',
  'actions-runner-protocol/schema': 'code that is generated from proto',
  'issues/fields': 'a file for each field of issues, which everything that handles issues takes from their list',
  'markup/worker': 'a thread of its own, which loads nothing of the server',
  'migrations/dump': 'the format of exported repositories, which other programs read',
  'migrations/schemas': 'JSON schemas of that format',
  'migrations/sources': 'a file for each host that repositories come from',
  'migrations/steps': 'a file for each kind of thing that is imported',
};

/** Routes of pages that answer programs with a picture or a fragment, and have no view. */
const viewless = new Set(['plugins/actions/routes/runs/badge.ts', 'plugins/markup/routes/markup.ts']);

const codeFiles = (tracked) => tracked.filter((file) => /^plugins\/[^/]+\/.*\.tsx?$/.test(file));

/** What lies in no room of its plugin. */
export function misplaced(tracked) {
  const faults = [];
  for (const file of codeFiles(tracked)) {
    const [, plugin, room, ...rest] = file.split('/');
    if (rest.length === 0 ? !files.test(room) : !rooms.has(room) && !(`${plugin}/${room}` in ownRooms))
      faults.push(`${file}: no room of a plugin`);
    if (room === 'routes' && file.endsWith('.tsx')) faults.push(`${file}: routes of pages lie in pages/`);
    if (room === 'wiring.ts' && tracked.some((other) => other.startsWith(`plugins/${plugin}/wiring/`)))
      faults.push(`${file}: a plugin has wiring.ts or wiring/, not both`);
    if (room === 'api.ts' && tracked.some((other) => other.startsWith(`plugins/${plugin}/api/`)))
      faults.push(`${file}: a plugin has api.ts or api/, not both`);
  }
  return faults;
}

/** Tables that a file of models describes. */
export const tablesIn = (text) =>
  [...text.matchAll(/static override (?:readonly )?tableName = '(\w+)'/g)].map(([, table]) => table);

describe('shape of plugins', () => {
  it('is known to the test: what lies elsewhere is named', () => {
    expect(misplaced(['plugins/a/plugin.ts', 'plugins/a/services/x.ts', 'plugins/a/test/x.test.ts'])).to.equal([]);
    expect(misplaced(['plugins/a/shared.ts', 'plugins/a/things/x.ts', 'plugins/a/routes/page.tsx'])).to.have.length(3);
    expect(misplaced(['plugins/a/wiring.ts', 'plugins/a/wiring/x.ts'])).to.have.length(1);
  });

  it('is the same everywhere: no plugin has a room of its own without a reason', () => {
    const tracked = trackedFiles('plugins');
    if (!tracked) return;
    expect(misplaced(tracked)).to.equal([]);
    for (const room of Object.keys(ownRooms))
      expect(
        tracked.some((file) => file.startsWith(`plugins/${room}/`)),
        `${room} is there`,
      ).to.be.true();
  });

  it('routes/ is for programs: routes of pages lie beside their views', () => {
    const routes = trackedFiles('plugins/*/routes/*')?.filter((file) => file.endsWith('.ts') && !viewless.has(file));
    if (!routes) return;
    expect(routes.length).to.be.above(100);
    const pages = routes.filter((file) => /surface: 'page'|\bwebPage\(/.test(readFileSync(join(root, file), 'utf8')));
    expect(pages).to.equal([]);
  });

  it('models/ has one table a file', () => {
    const models = trackedFiles('plugins/*/models/*')?.filter((file) => file.endsWith('.ts'));
    if (!models) return;
    const crowded = models.filter((file) => tablesIn(readFileSync(join(root, file), 'utf8')).length > 1);
    expect(crowded).to.equal([]);
  });
});
