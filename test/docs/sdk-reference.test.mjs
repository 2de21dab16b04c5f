// docs/sdk says what the docstrings say; `npm run docs` writes it anew.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeReference, outdated } from '../../core/bin/reference.mjs';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the reference of the SDK and the contracts', { timeout: 300_000 }, () => {
  it('is up to date with the docstrings', async () => {
    const old = outdated(await makeReference());
    expect(
      old,
      'the public API or its docstrings have changed: run npm run docs, and note a change of the API in the CHANGELOG',
    ).to.equal([]);
  });

  it('names every point, event, job and service, and every part of pages', () => {
    const index = readFileSync(join(root, 'docs/sdk/README.md'), 'utf8');
    for (const id of [
      'core.authMethods',
      'webhooks.kinds',
      'packages.formats',
      'repositories.created',
      'core.database',
    ])
      expect(index).to.contain(`\`${id}\``);
    const parts = readFileSync(join(root, 'docs/sdk/parts.md'), 'utf8');
    for (const name of ['TextField', 'PostButton', 'Section', 'Pager', 'MenuLayout'])
      expect(parts).to.contain(`[\`${name}\`]`);
  });

  it('tells of no part that authors cannot look at: each is on the page of parts', () => {
    const parts = readFileSync(join(root, 'docs/sdk/parts.md'), 'utf8');
    const page = readFileSync(join(root, 'core/src/web/components-page.tsx'), 'utf8');
    const names = [...parts.matchAll(/\[`([A-Z]\w+)`\]/g)].map(([, name]) => name);
    // texts for scripts are not seen
    expect(names.filter((name) => name !== 'IslandTexts' && !page.includes(`name="${name}"`))).to.equal([]);
  });
});
