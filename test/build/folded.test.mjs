// What `npm run build` makes of knex and objection (docs/decisions/0012): one file each, with its licences.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';

export const lab = Lab.script();
const { describe, it } = lab;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const files = { knex: 'core/dist/database/knex.js', objection: 'plugin-sdk/dist/objection.js' };

describe('the folded libraries', () => {
  it('are one file each, with the licences of what is inside', () => {
    for (const [library, file] of Object.entries(files)) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text.split('\n', 1), file).to.equal([`// ${library} in one file`]);
      expect(text.match(/^(import|export) .* from .*/gm)).to.equal(["import { createRequire } from 'node:module';"]);
      expect(readFileSync(join(root, `${file}.LICENSES.txt`), 'utf8')).to.match(
        new RegExp(`^${library} [\\d.]+ \\(MIT\\)$`, 'm'),
      );
    }
  });

  it('are CommonJS where they are loaded late and synchronously', () => {
    const file = join(root, 'plugin-sdk/dist/message-format.cjs');
    expect(readFileSync(file, 'utf8')).to.startWith('// intl-messageformat in one file');
    expect(readFileSync(`${file}.LICENSES.txt`, 'utf8')).to.match(/^intl-messageformat [\d.]+ \(BSD-3-Clause\)$/m);
    const { IntlMessageFormat } = createRequire(import.meta.url)(file);
    expect(new IntlMessageFormat('{n, plural, one {# file} other {# files}}', 'en').format({ n: 2 })).to.equal(
      '2 files',
    );
  });
});
