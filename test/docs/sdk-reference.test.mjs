// The reference that `npm run docs` writes from the docstrings; git does not keep it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeReference } from '../../core/bin/reference.mjs';
import { root } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it, before } = lab;

describe('the reference of the SDK and the contracts', { timeout: 300_000 }, () => {
  let files;
  before(async () => {
    files = await makeReference();
  });
  const page = (name) => files.get(name);

  it('is made, not kept', () => {
    expect(trackedFiles('docs/sdk/*') ?? []).to.equal([]);
    expect(files.size).to.be.above(20);
  });

  it('names every point, event, job and service, and every part of pages', () => {
    const index = page('README.md');
    for (const id of [
      'core.authMethods',
      'webhooks.kinds',
      'packages.formats',
      'repositories.created',
      'core.database',
    ])
      expect(index).to.contain(`\`${id}\``);
    const parts = page('parts.md');
    for (const name of ['TextField', 'PostButton', 'Section', 'Pager', 'MenuLayout'])
      expect(parts).to.contain(`[\`${name}\`]`);
  });

  it('shows the types that exports mention, though no plugin imports them', () => {
    const [exported, mentioned] = page('migrations.md').split('## Types that these mention');
    expect(exported).to.contain('### MigrationSource');
    expect(mentioned).to.contain('### SourceReader').and.contain('### SourceIssue');
  });

  it('has no link that leads nowhere', () => {
    const broken = [];
    for (const [name, text] of files) {
      const links = [...text.replace(/```[^]*?```|`[^`\n]*`/g, '').matchAll(/\]\((?!https:)([^)\s#]*)#?([^)\s]*)\)/g)];
      for (const [, target, anchor] of links) {
        const linked = target.startsWith('../') ? readFileSync(join(root, 'docs/sdk', target), 'utf8') : page(target);
        const isThere = linked && (!anchor || new RegExp(`^#+ ${anchor}$`, 'im').test(linked));
        if (!isThere) broken.push(`${name}: ${target}#${anchor}`);
      }
    }
    expect(broken).to.equal([]);
  });

  it('tells of no part that authors cannot look at: each is on the page of parts', () => {
    const shown = readFileSync(join(root, 'core/src/web/components-page.tsx'), 'utf8');
    const names = [...page('parts.md').matchAll(/\[`([A-Z]\w+)`\]/g)].map(([, name]) => name);
    // texts for scripts are not seen
    expect(names.filter((name) => name !== 'IslandTexts' && !shown.includes(`name="${name}"`))).to.equal([]);
  });
});
