import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { zipStream } from '@mortise/actions/zip';
import { satisfies } from '../builtin/setup-node.js';
import { unzip } from '../builtin/unzip.js';
import { lint } from '../commands/lint.js';
import { runLocally } from '../commands/run-locally.js';
import { runnerHost, readRegistration, systemUser, writeRegistration } from '../commands/registration-file.js';
import { inFolder, runOne } from './kit.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

describe('mortise actions lint', () => {
  it('names file, line and column of each fault', async () => {
    await inFolder(async (folder) => {
      const [good, bad] = [join(folder, 'good.yml'), join(folder, 'bad.yml')];
      writeFileSync(good, 'on: push\njobs: { a: { runs-on: x, steps: [{ run: y }] } }\n');
      writeFileSync(bad, 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: x\n        run: y\n');
      const lines: string[] = [];
      expect(await lint([good, bad, join(folder, 'none.yml')], (line) => lines.push(line))).to.equal(2);
      expect(lines[0]).to.equal(`${bad}:6:9: step 1 of job "a" has both "run" and "uses"`);
      expect(lines[1]).to.contain('none.yml:1:1: ENOENT');
    });
  });
});

describe('mortise actions run', () => {
  it('runs the jobs of a workflow in the working copy, with needs, outputs and a matrix', async () => {
    await inFolder(async (folder) => {
      const copy = join(folder, 'copy');
      mkdirSync(copy);
      writeFileSync(
        join(copy, 'w.yml'),
        `on: push
jobs:
  last: { needs: [made, many], runs-on: x, steps: [{ run: 'echo "last \${{ needs.made.outputs.v }}" > last.txt' }] }
  made: { runs-on: x, outputs: { v: '\${{ steps.s.outputs.v }}' }, steps: [{ id: s, run: 'echo v=7 >> $GITHUB_OUTPUT' }] }
  many: { runs-on: x, strategy: { matrix: { n: [1, 2] } }, steps: [{ run: 'echo \${{ matrix.n }} > n\${{ matrix.n }}.txt' }] }
  never: { needs: broken, runs-on: x, steps: [{ run: 'touch never.txt' }] }
  broken: { runs-on: x, steps: [{ run: exit 1 }] }
  rescue: { needs: never, if: failure(), runs-on: x, steps: [{ run: touch rescue.txt }] }
`,
      );
      const lines: string[] = [];
      const run = {
        file: join(copy, 'w.yml'),
        folder: copy,
        host: runnerHost({ folder, address: '', name: 'local', workspace: copy }),
        event: 'push',
        secrets: {},
        inputs: {},
        print: (line: string) => lines.push(line),
        signal: new AbortController().signal,
      };
      expect(await runLocally(run)).to.be.false();
      expect(readFileSync(join(copy, 'last.txt'), 'utf8')).to.equal('last 7\n');
      expect(execFileSync('ls', [copy], { encoding: 'utf8' }).split('\n').filter(Boolean)).to.equal([
        'last.txt',
        'n1.txt',
        'n2.txt',
        'rescue.txt',
        'w.yml',
      ]);
      expect(lines)
        .to.contain('── never: skipped')
        .and.to.contain('── broken: failure')
        .and.to.contain('── many (1): success');
      expect(await runLocally({ ...run, job: 'made' })).to.be.true();
    });
  });
});

describe('actions/checkout', () => {
  it('fetches the commit of the run onto its branch, without leaving credentials', async () => {
    await inFolder(async (folder) => {
      const bare = join(folder, 'ada', 'mill.git');
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
      git('init', '-q', '-b', 'main', join(folder, 'src'));
      writeFileSync(join(folder, 'src', 'a.txt'), 'one');
      git('-C', join(folder, 'src'), 'add', '.');
      git('-C', join(folder, 'src'), 'commit', '-qm', 'first');
      const sha = git('-C', join(folder, 'src'), 'rev-parse', 'HEAD');
      git('clone', '-q', '--bare', join(folder, 'src'), bare);
      const context = {
        repository: 'ada/mill',
        sha,
        ref: 'refs/heads/main',
        server_url: `file://${folder}`,
        token: 'task-token-of-this-job',
      };
      const { result, text } = await runOne(
        `steps:
  - run: |
      printf '#!/bin/sh\\necho "$@" >> "%s/said"\\nexec "%s" "$@"\\n' "$HOME" "$(command -v git)" > $HOME/git
      chmod +x $HOME/git; echo $HOME >> $GITHUB_PATH
  - uses: actions/checkout@v4
  - uses: actions/checkout@v4
  - run: 'grep -q " checkout " $HOME/said; grep -ci authorization $HOME/said; stat -c %a .git/config; git config --get-regexp extraheader | grep -c Basic'
    shell: sh {0}
  - run: 'cat a.txt; echo; git rev-parse --abbrev-ref HEAD; git config --get-regexp extraheader || echo none'
  - { uses: actions/checkout@v4, with: { path: below/x, fetch-depth: 0, persist-credentials: false } }
  - run: 'cat below/x/a.txt; git -C below/x config --get-regexp extraheader || echo none'
  - { uses: actions/checkout@v4, with: { path: ../.. }, continue-on-error: true }
  - { uses: actions/checkout@v4, with: { ref: missing } }`,
        { context },
      );
      expect(result, text).to.equal('failure');
      expect(text)
        .to.contain('\n0\n600\n1\n')
        .and.to.contain('one\nmain')
        .and.to.contain('one' + 'none')
        .and.to.contain('leads out of the workspace');
      expect(text).to.contain('"missing" cannot be fetched').and.to.not.contain('task-token');
      expect(text).to.not.contain(Buffer.from('token:task-token-of-this-job').toString('base64'));
    });
  });
});

describe('A runner', () => {
  it('keeps its registration for itself', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'below', 'runner.json');
      expect(readRegistration(file)).to.be.undefined();
      const registration = {
        address: 'http://x',
        id: '1',
        uuid: 'u',
        token: 't',
        name: 'n',
        labels: ['l'],
        ephemeral: false,
      };
      await writeRegistration(file, registration);
      expect(readRegistration(file)).to.equal(registration);
      expect(execFileSync('stat', ['-c', '%a', file], { encoding: 'utf8' }).trim()).to.equal('600');
    });
  });

  it('runs jobs as no other user than it may', async () => {
    expect(systemUser('')).to.be.undefined();
    expect(() => systemUser('-x')).to.throw(/no name of a user/);
    if (process.getuid?.() !== 0) return;
    expect(() => systemUser('root')).to.throw(/must not run as root/);
    expect(systemUser('nobody')!.uid).to.be.above(0);
    // All processes of the user are ended with the job, so that it is nobody else's.
    const uid = 59_872;
    const { result, text } = await runOne(
      'steps:\n  - run: id -u; echo made=x >> $GITHUB_OUTPUT; touch $HOME/a $RUNNER_TEMP/b here\n  - run: mv $RUNNER_TEMP/../temp /tmp/',
      {
        host: { runAs: { uid, gid: uid }, workFolder: '/tmp/runner-user-test' },
      },
    );
    expect(text).to.contain(`\n${uid}\n`);
    expect(result, text).to.equal('failure');
  });

  it('knows which Node is asked for', () => {
    const good: readonly (readonly [string, string])[] = [
      ['20.1.2', '20'],
      ['20.1.2', '20.x'],
      ['20.1.2', '20.1'],
      ['20.1.2', '^20.0'],
      ['20.1.2', '>=18'],
      ['20.1.2', 'lts/*'],
      ['21.0.0', '*'],
      ['20.1.2', '18 || 20'],
      ['20.1.2', '>=18 <21'],
      ['20.1.2', '18 - 20'],
      ['20.1.2', '20.1.x || lts/*'],
      ['20.1.2', 'v20.1.2'],
      ['20.1.5', '~20.1.2'],
    ];
    const bad: readonly (readonly [string, string])[] = [
      ['20.1.2', '18'],
      ['20.1.2', '20.2'],
      ['20.1.2', '^20.2'],
      ['20.1.2', '>=22'],
      ['21.0.0', 'lts/*'],
      ['20.1.2', 'x20'],
      ['20.1.2', '>=18 <20'],
      ['20.2.0', '~20.1.2'],
      ['20.1.2', '20.1.3'],
    ];
    for (const [version, wanted] of good) expect(satisfies(version, wanted), `${version} ${wanted}`).to.be.true();
    for (const [version, wanted] of bad) expect(satisfies(version, wanted), `${version} ${wanted}`).to.be.false();
  });
});

describe('An archive of an artifact', () => {
  const packed = async (folder: string, names: readonly string[]): Promise<string> => {
    const path = join(folder, 'a.zip');
    const entries = names.map((name) => ({ name, modifiedAt: 0, open: async () => Readable.from([`in ${name}`]) }));
    await pipeline(zipStream(entries), createWriteStream(path));
    return path;
  };

  it('is read whole, also with a list that is too long for the first of its records', async () => {
    await inFolder(async (folder) => {
      const path = await packed(folder, ['a', 'b/c']);
      expect(await unzip(path, join(folder, 'plain'))).to.equal(2);
      const whole = readFileSync(path);
      const end = whole.length - 22;
      const record = Buffer.alloc(76);
      record.writeUInt32LE(0x06064b50, 0);
      record.writeBigUInt64LE(2n, 32);
      record.writeBigUInt64LE(BigInt(whole.readUInt32LE(end + 12)), 40);
      record.writeBigUInt64LE(BigInt(whole.readUInt32LE(end + 16)), 48);
      record.writeUInt32LE(0x07064b50, 56);
      record.writeBigUInt64LE(BigInt(end), 64);
      whole.writeUInt16LE(0xffff, end + 10);
      whole.writeUInt32LE(0xffff_ffff, end + 16);
      writeFileSync(path, Buffer.concat([whole.subarray(0, end), record, whole.subarray(end)]));
      expect(await unzip(path, join(folder, 'long'))).to.equal(2);
      for (const to of ['plain', 'long'])
        expect(['a', 'b/c'].map((name) => readFileSync(join(folder, to, name), 'utf8'))).to.equal(['in a', 'in b/c']);
    });
  });

  it('S1: is refused when a name leads out of its folder', async () => {
    await inFolder(async (folder) => {
      const inside = 'a-name';
      for (const name of ['../out', '/etc/out', 'a/../../out', '..\\out', 'a/../../../out']) {
        const path = await packed(folder, [inside.padEnd(name.length, '-').slice(0, name.length)]);
        const bytes = readFileSync(path)
          .toString('latin1')
          .replaceAll(inside.padEnd(name.length, '-').slice(0, name.length), name);
        writeFileSync(path, Buffer.from(bytes, 'latin1'));
        await expect(unzip(path, join(folder, 'in')), name).to.reject(/path|characters/);
        expect(existsSync(join(folder, 'in')), name).to.be.false();
      }
    });
  });

  it('S1: is refused when a file unpacks to more than the archive tells', async () => {
    await inFolder(async (folder) => {
      const path = await packed(folder, ['a'.repeat(100)]);
      const bytes = readFileSync(path);
      const directory = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
      bytes.writeUInt32LE(5, directory + 24);
      writeFileSync(path, bytes);
      await expect(unzip(path, join(folder, 'in'))).to.reject(/too many bytes/);
    });
  });
});
