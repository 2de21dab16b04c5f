// The code of the plugin author's guides is compiled as it stands and run against a host.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';
import { compile, runTry, writeCode } from './compile-code.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe("the plugin author's guides", { timeout: 600_000 }, () => {
  let folder;
  before(() => {
    const guides = readdirSync(join(root, 'docs/plugins')).map((name) => `docs/plugins/${name}`);
    folder = writeCode(['docs/plugin-authors.md', ...guides]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('the example plugin of the guide compiles under strict TypeScript', () => {
    const compiled = compile(folder);
    expect(compiled.status, compiled.stdout).to.equal(0);
  });

  it('the example plugin of the guide does what the guide says', () => {
    expect(runTry(folder)).to.equal([201, 422, ['buy glue']]);
  });
});
