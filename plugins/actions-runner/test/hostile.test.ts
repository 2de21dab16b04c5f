import { mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { parseCommand } from '@mortise/actions/workflow';
import { parsePairs } from '../engine/file-commands.js';
import { LineSplitter, maxLine } from '../engine/line-splitter.js';
import { Masks } from '../engine/masks.js';
import { canDropNewPrivileges, withNoNewPrivileges } from '../engine/no-new-privileges.js';
import { inFolder, runOne } from './kit.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

describe('Secrets', () => {
  it('are hidden however they are printed', async () => {
    const secrets = { KEY: 'hush-hush-1234', LONG: 'line one of it\nline two of it', PIN: '77' };
    const { text } = await runOne(
      `
steps:
  - env: { KEY: '\${{ secrets.KEY }}', LONG: '\${{ secrets.LONG }}' }
    run: |
      echo "whole $KEY and x\${KEY}y"
      printf '%s' "\${KEY:0:6}"; sleep 0.1; printf '%s\\n' "\${KEY:6}"
      printf '%s' "\${KEY:0:6}"; printf '%s\\n' "\${KEY:6}" >&2
      echo "$LONG"
      printf '%s' "$KEY" | base64
      echo '\${{ secrets.KEY }} direct'
      echo "::add-mask::found-$((1 + 1))"
      echo "now found-2" | tr -d x
      echo pin $((70 + 7))
      exit 1`,
      { secrets, context: { token: 'task-token-abcdef' } },
    );
    for (const shown of [
      'hush-hush',
      '1234',
      'line one',
      'line two',
      Buffer.from(secrets.KEY).toString('base64'),
      'pin 77',
    ])
      expect(text, shown).to.not.contain(shown);
    expect(text).to.contain('whole *** and x***y').and.to.contain('now ***');
  });

  it('are hidden in a line that is cut within one', () => {
    const masks = new Masks();
    masks.add('s'.repeat(100));
    const lines: string[] = [];
    const cutter = new LineSplitter(
      (line) => lines.push(masks.hide(line)),
      () => masks.longest,
    );
    cutter.push(Buffer.from('x'.repeat(maxLine - 50) + 's'.repeat(100) + 'y'.repeat(500)));
    cutter.finish();
    expect(lines.join('')).to.not.contain('sss');
  });

  it('of blank text hide nothing', () => {
    const masks = new Masks();
    for (const blank of ['', ' ', '\n']) masks.add(blank);
    expect(masks.hide('a b')).to.equal('a b');
  });
});

describe('Floods', () => {
  it('of output without a line end stay one line of bounded length', async () => {
    const { result, lines } = await runOne(
      'steps: [{ run: "head -c 200000000 /dev/zero | tr \\"\\\\0\\" x; echo; echo after" }]',
    );
    expect(result).to.equal('success');
    expect(lines.at(-1)).to.equal('after');
    expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(maxLine);
    expect(process.memoryUsage().rss / 1_048_576).to.be.below(600);
  });

  it('of lines end at the bound of the log, and the job goes on', async () => {
    const { result, text, lines } = await runOne(
      'steps:\n  - run: seq 1 500000\n  - run: echo unseen\n  - run: exit 1',
      {
        host: { maxLogBytes: 10_000 },
      },
    );
    expect(result).to.equal('failure');
    expect(text.length).to.be.below(12_000);
    expect(text).to.contain('The log has reached 10000 bytes').and.to.not.contain('unseen');
    expect(lines.at(-1)).to.equal('##[error]Process completed with exit code 1.');
  });

  it('of commands and pairs are read in time', () => {
    expect(parseCommand(`::${'a'.repeat(100_000)}`)).to.be.undefined();
    expect(parseCommand(`::error ${'a=b,'.repeat(20_000)}::x`)).to.be.undefined();
    expect(parseCommand('  ::error file=a%2Cb,line=1::x%0Ay')).to.equal({
      name: 'error',
      properties: { file: 'a,b', line: '1' },
      value: 'x\ny',
    });
    expect(parseCommand('text ::error::x')).to.be.undefined();
    expect(parsePairs('a=b=c\r\nd<<X\n1\n\n2\nX\ne=', 'F')).to.equal([
      ['a', 'b=c'],
      ['d', '1\n\n2'],
      ['e', ''],
    ]);
    for (const bad of ['x', '=x', 'a<<', 'a<<END\nx', '<<X\ny\nX'])
      expect(() => parsePairs(bad, 'F'), bad).to.throw(/^F: /);
  });
});

describe('The end of a job', () => {
  it('by cancelling stops the step, runs what asks for it, and leaves nothing running', async () => {
    const cancel = new AbortController();
    const started = Date.now();
    const { result, steps, text } = await runOne(
      `steps:\n  - run: echo begun; sleep 300\n  - run: echo not this\n  - { run: echo cleaning, if: always() }\n  - { run: echo cancelled, if: cancelled() }`,
      {
        signal: cancel.signal,
        onLine: (line) => (line === 'begun' ? cancel.abort(new Error('cancelled')) : undefined),
      },
    );
    expect(result, text).to.equal('cancelled');
    expect(steps).to.equal(['cancelled', 'cancelled', 'success', 'success']);
    expect(text).to.contain('cleaning').and.to.not.contain('\nnot this');
    expect(Date.now() - started).to.be.below(30_000);
  });

  it('by a limit of time is a failure that is told', async () => {
    const step = await runOne(
      'steps:\n  - { run: sleep 300, timeout-minutes: 0.01 }\n  - { run: echo rest, if: failure() }',
    );
    expect([step.result, step.steps]).to.equal(['failure', ['failure', 'success']]);
    expect(step.text).to.contain('##[error]the step took longer than 0.01 minutes');
    const job = await runOne('timeout-minutes: 0.01\nsteps: [{ run: sleep 300 }]');
    expect(job.result).to.equal('failure');
    expect(job.text).to.contain('the job took longer than');
  });
});

describe('The rights of a job', () => {
  it(
    'grow by no program of root where it has a user of its own',
    { skip: !canDropNewPrivileges || process.getuid?.() !== 0 },
    async () => {
      await inFolder(async (folder) => {
        await chmod(folder, 0o711);
        const { result, text } = await runOne(
          `env: { LD_LIBRARY_PATH: /of/the/job, ODD: 'a b' }
steps: [{ run: 'echo "$(grep NoNewPrivs /proc/self/status) of $(id -u) with $LD_LIBRARY_PATH and $ODD"' }]`,
          { host: { runAs: { uid: 59_871, gid: 59_871 }, workFolder: join(folder, 'w') } },
        );
        expect(result, text).to.equal('success');
        expect(text).to.contain('NoNewPrivs:\t1 of 59871 with /of/the/job and a b');
      });
    },
  );

  it('are bound before anything that the job says is read', { skip: !canDropNewPrivileges }, () => {
    const env = { LD_PRELOAD: '/x.so', GCONV_PATH: '/x', LC_ALL: 'C', PATH: '/bin', 'INPUT_A-B': 'secret' };
    const { program, args, env: first } = withNoNewPrivileges({ program: '/bin/it', args: ['-x'], env });
    expect(program).to.match(/^\/.*\/setpriv$/);
    expect(first).to.equal({ PATH: '/bin', 'INPUT_A-B': 'secret' });
    expect(args.slice(0, 2)).to.equal(['--no-new-privs', '--']);
    expect(args.slice(3)).to.equal(['--', 'LD_PRELOAD=/x.so', 'GCONV_PATH=/x', 'LC_ALL=C', '/bin/it', '-x']);
  });
});

describe('Actions', () => {
  const files = (...list: readonly (readonly [string, string])[]): string =>
    list
      .map(
        ([path, text]) =>
          `mkdir -p $(dirname ${path}) && echo ${Buffer.from(text).toString('base64')} | base64 -d > ${path}`,
      )
      .join(' && ');
  const composite = `inputs: { who: { default: nobody }, times: { required: true } }
outputs: { said: { value: "\${{ steps.say.outputs.said }}" } }
runs:
  using: composite
  steps:
    - { id: say, shell: bash, run: 'echo "said=\${{ inputs.who }} \${{ inputs.times }}" >> $GITHUB_OUTPUT; echo "FROM=inside" >> $GITHUB_ENV; test -f $GITHUB_ACTION_PATH/action.yml' }
    - { shell: sh, run: 'echo secrets [\${{ secrets.KEY }}] path \${{ github.action_path }}' }
`;
  const js = `console.log('main', process.env.INPUT_WHO, process.env['INPUT_NO-CASE']);
const fs = require('fs'); fs.appendFileSync(process.env.GITHUB_STATE, 'kept=this\\n'); fs.appendFileSync(process.env.GITHUB_OUTPUT, 'out=js\\n');`;
  const steps = (more: string) =>
    `steps:\n  - run: ${files(
      ['act/c/action.yml', composite],
      [
        'act/j/action.yml',
        "inputs: { who: { default: x }, no-case: { default: 'd' } }\nruns: { using: node20, pre: pre.js, main: main.js, post: post.js }",
      ],
      ['act/j/pre.js', "console.log('pre')"],
      ['act/j/main.js', js],
      ['act/j/post.js', "console.log('post', process.env.STATE_kept)"],
      ['act/d/action.yml', 'runs: { using: docker, image: x }'],
      ['act/r/action.yml', 'runs: { using: composite, steps: [{ uses: ./act/r }] }'],
    )}\n${more}`;

  it('of steps and of JavaScript run, with inputs, outputs, state and clean-up in reverse', async () => {
    const { result, text } = await runOne(
      steps(`  - { id: c, uses: ./act/c, with: { who: Ada, times: 3 } }
  - run: 'echo "got \${{ steps.c.outputs.said }} $FROM"'
  - { id: j, uses: ./act/j, with: { who: Ben } }
  - run: 'echo "got \${{ steps.j.outputs.out }}"'`),
      { secrets: { KEY: 'k-secret-k' } },
    );
    expect(result, text).to.equal('success');
    expect(text)
      .to.contain('got Ada 3 inside')
      .and.to.contain('secrets [] path /')
      .and.to.contain('main Ben d')
      .and.to.contain('got js');
    expect(text.indexOf('pre')).to.be.below(text.indexOf('main Ben'));
    expect(text).to.match(/Post .*\n.*post this$/s);
  });

  it('that need a container or go in circles fail with a reason', async () => {
    const { text } = await runOne(
      steps('  - { uses: ./act/d, continue-on-error: true }\n  - { uses: ./act/r, continue-on-error: true }'),
    );
    expect(text).to.contain('this runner has no container engine').and.to.contain('more than 10 levels deep');
  });

  it('that are built in set up what is there, and fetch no more', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'tools-'));
    const { text, steps: results } = await runOne(
      `steps:
  - { id: n, uses: actions/setup-node@v4, with: { node-version: '>=18' } }
  - run: 'node --version; echo "is \${{ steps.n.outputs.node-version }}"'
  - { uses: actions/setup-node@v4, with: { node-version: '4' } }`,
      { host: { toolFolder: tools } },
    );
    rmSync(tools, { recursive: true });
    expect(results, text).to.equal(['success', 'success', 'failure']);
    expect(text).to.contain('is v').and.to.contain('there is no Node 4');
  });
});
