// The kernel knows none of the things that plugins bring: no repositories, issues, pull requests or git.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const word = /\{repo\b|\brepos?\b|\brepositor(?:y|ies)\b|\bissues?\b|\bpull requests?\b|\breactions?\b|\bgit\b/gi;
/** Names of addresses and files that only sound like it. */
const others = /github\.com|\.git\b|'\.gitignore'/g;

/** Words of the features of plugins in a source, each with its line. */
function foreignWords(path, text) {
  return text.split('\n').flatMap((line, at) => {
    const found = line.replace(others, '').match(word);
    return found ? [`${path}:${at + 1}: ${found.join(', ')}`] : [];
  });
}

describe('the kernel', () => {
  it('names nothing that only plugins know', () => {
    // skeletons of plugins are texts about plugins
    const files = trackedFiles('core/src/*.ts', 'core/src/*.tsx')?.filter(
      (path) => !/\/test\/|\/cli\/templates\//.test(path),
    );
    if (!files) return;
    expect(files.length).to.be.above(150);
    expect(files.flatMap((path) => foreignWords(path, readFileSync(join(root, path), 'utf8')))).to.equal([]);
  });

  it('would be found naming it', () => {
    expect(foreignWords('a.ts', "const a = path.includes('{repo');\n// report\nimport 'github.com';")).to.equal([
      'a.ts:1: {repo',
    ]);
  });
});
