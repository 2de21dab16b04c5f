import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { inFolder, runOne } from './kit.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

describe('A job', () => {
  it('runs its steps in order and hands on variables, paths and outputs', async () => {
    const { result, text, outputs, steps } = await runOne(`
env: { A: 'a\${{ 1 }}' }
outputs: { made: '\${{ steps.first.outputs.made }}', block: '\${{ steps.first.outputs.block }}' }
steps:
  - id: first
    env: { OWN: own }
    run: |
      echo "A=$A OWN=$OWN SHELL=$0"
      echo "B=later" >> "$GITHUB_ENV"
      echo "made=it" >> "$GITHUB_OUTPUT"
      printf 'block<<END\\none\\ntwo\\nEND\\n' >> "$GITEA_OUTPUT"
      mkdir -p bin && printf '#!/bin/sh\\necho tool runs' > bin/tool && chmod +x bin/tool
      echo "$PWD/bin" >> "$GITHUB_PATH"
  - run: echo "B=$B OWN=[$OWN]"; tool; test "$CI$GITHUB_ACTIONS" = truetrue
  - { shell: sh, run: 'echo "sh \${{ steps.first.outputs.made }} \${{ runner.os }} \${{ job.status }}"' }
  - { shell: 'python3 {0}', run: 'print("from", "python")', if: "hashFiles('bin/**') != ''" }`);
    expect(result, text).to.equal('success');
    expect(text).to.contain('A=a1 OWN=own');
    expect(text).to.contain('B=later OWN=[]\ntool runs');
    expect(text).to.contain('sh it Linux success');
    expect(text).to.contain('from python');
    expect(outputs).to.equal({ made: 'it', block: 'one\ntwo' });
    expect(steps).to.equal(['success', 'success', 'success', 'success']);
  });

  it('U11: GITHUB_WORKFLOW and github.workflow are the name of the workflow, else its file', async () => {
    const job = 'steps:\n  - run: echo "W=$GITHUB_WORKFLOW G=${{ github.workflow }}"';
    const context = { workflow: 'file.yml' };
    expect((await runOne(job, { context })).lines).to.include('W=Test G=Test');
    expect((await runOne(job, { context, head: 'on: push' })).lines).to.include('W=file.yml G=file.yml');
  });

  it('U11: a line that makes a mask is not written, and masks what follows', async () => {
    const { lines } = await runOne(
      'steps:\n  - run: |\n      printf "::add-%s::hidden\\n" mask\n      echo "the hidden word"',
    );
    expect(lines).to.include('the *** word');
    expect(lines.filter((line) => line.includes('add-mask'))).to.equal([]);
  });

  it('U13: inputs have the types that the trigger declares, from texts; strategy is of this job of the matrix', async () => {
    const declared = 'inputs: { go: { type: boolean }, n: { type: number }, word: { type: string } }';
    const job = `strategy: { fail-fast: false, max-parallel: 2, job-index: 1, job-total: 3, matrix: { a: [x] } }
steps:
  - { run: echo ticked, if: inputs.go }
  - { run: echo plain, if: '!inputs.go' }
  - { run: echo number, if: inputs.n == 0 }
  - run: 'echo "\${{ format(''{0} {1}'', toJSON(inputs.go), toJSON(inputs.n)) }} \${{ toJSON(inputs.word) }}"'
  - run: 'echo "S \${{ strategy.job-index }}/\${{ strategy.job-total }} \${{ strategy.fail-fast }} \${{ strategy.max-parallel }}"'`;
    for (const event of ['workflow_dispatch', 'workflow_call'])
      for (const [go, n] of [
        ['false', '0'],
        ['true', '2.50'],
      ]) {
        const context = { event_name: event, event: { inputs: { go: go!, n: n!, word: '1.10' } } };
        const { steps, lines } = await runOne(job, { context, head: `on: { ${event}: { ${declared} } }` });
        const isOn = go === 'true';
        expect(steps.slice(0, 3)).to.equal(
          isOn ? ['success', 'skipped', 'skipped'] : ['skipped', 'success', 'success'],
        );
        expect(lines)
          .to.include(`${go} ${Number(n)} 1.10`)
          .and.to.include('S 1/3 false 2');
      }
  });

  it('tells which lines are of which step', async () => {
    const { states, lines } = await runOne('steps:\n  - run: echo first line\n  - run: echo second line');
    const of = (at: number) => lines.slice(states[at]!.logIndex, states[at]!.logIndex + states[at]!.logLength);
    expect(of(0)).to.contain('first line');
    expect(of(0)).to.not.contain('second line');
    expect(of(1)).to.contain('second line');
    expect(states[1]!.logIndex).to.equal(states[0]!.logIndex + states[0]!.logLength);
  });

  it('goes on after a failure only where a step says so', async () => {
    const { result, steps, text } = await runOne(`
steps:
  - { id: soft, run: exit 3, continue-on-error: true }
  - run: 'echo "\${{ steps.soft.outcome }} \${{ steps.soft.conclusion }}"'
  - run: 'false'
  - run: echo never
  - { run: echo after failure, if: failure() }
  - { run: echo whatever, if: always() }
  - { run: echo no, if: cancelled() }`);
    expect(result).to.equal('failure');
    expect(steps).to.equal(['failure', 'success', 'failure', 'skipped', 'success', 'success', 'skipped']);
    expect(text).to.contain('failure success').and.to.contain('##[error]Process completed with exit code 3.');
    expect(text).to.contain('after failure').and.to.contain('whatever').and.to.not.contain('\nnever');
  });

  it('is skipped by its condition, unless the server has decided', async () => {
    expect((await runOne("if: github.ref == 'x'\nsteps: [{ run: echo }]")).result).to.equal('skipped');
    const needs = { a: { result: 'failure', outputs: {} } } as const;
    expect((await runOne('if: failure()\nsteps: [{ run: echo }]', { needs })).result).to.equal('success');
  });

  it('shows errors of expressions and of what it cannot do', async () => {
    const { result, text } = await runOne("if: fromJSON('x')\nsteps: [{ run: echo }]");
    expect([result, text]).to.equal(['failure', text]);
    expect(text).to.contain('##[error]').and.to.contain('the text is no JSON');
    const services = await runOne('services: { db: { image: pg } }\nsteps: [{ run: echo }]');
    expect([
      services.result,
      services.text.includes('has "services", and this runner has no container engine'),
    ]).to.equal(['failure', true]);
    const shell = await runOne('steps: [{ run: x, shell: fish }]');
    expect(shell.text).to.contain('the shell "fish" is unknown');
    for (const uses of ['docker://alpine', './missing', 'owner/action', './..', 'owner/action@v1']) {
      const { result: end, text: words } = await runOne(`steps: [{ uses: "${uses}" }]`);
      expect(end, words).to.equal('failure');
      expect(words).to.contain('##[error]');
    }
  });

  it('leaves nothing behind: no folder, no process', async () => {
    await inFolder(async (folder) => {
      const { result } = await runOne('steps: [{ run: "setsid sleep 987 & disown; echo $! > pid; cat pid" }]', {
        host: { workFolder: join(folder, 'w') },
      });
      expect(result).to.equal('success');
      expect(await readdir(join(folder, 'w'))).to.equal([]);
      const left = (await readdir('/proc')).filter(
        (pid) => /^\d+$/.test(pid) && commandOf(pid).includes('sleep\u0000987'),
      );
      expect(left).to.equal([]);
    });
  });

  it('has its own home and sees little of the machine', async () => {
    process.env.MORTISE_TEST_SECRET = 'of the machine';
    const { text } = await runOne('steps: [{ run: "env; ls -a $HOME" }]');
    delete process.env.MORTISE_TEST_SECRET;
    expect(text).to.not.contain('of the machine');
    expect(existsSync('/root')).to.be.true();
    expect(/^HOME=(.*)$/m.exec(text)?.[1]).to.contain('runner-test-');
  });
});

describe('Summaries', () => {
  it('of a step are told whole, with those of what it uses and of its end, and without secrets', async () => {
    const action = JSON.stringify({
      runs: { using: 'composite', steps: [{ shell: 'sh', run: 'echo "from within" >> $GITHUB_STEP_SUMMARY' }] },
    });
    const { result, text, summaries } = await runOne(
      `steps:
  - run: |
      mkdir c j; echo '${action}' > c/action.yml
      echo '{"runs":{"using":"node20","main":"m.js","post":"p.js"}}' > j/action.yml
      echo "require('fs').appendFileSync(process.env.GITHUB_STEP_SUMMARY, 'main\\n')" > j/m.js
      sed s/main/post/ j/m.js > j/p.js
      echo "# Tests of hush-hush-1" >> "$GITHUB_STEP_SUMMARY"
  - uses: ./c
  - uses: ./j
  - run: head -c 2000000 /dev/zero | tr '\\0' x >> "$GITHUB_STEP_SUMMARY"
  - run: head -c 5000000 /dev/zero >> "$GITHUB_STEP_SUMMARY"
  - run: 'true'`,
      { secrets: { KEY: 'hush-hush-1' } },
    );
    expect(result, text).to.equal('success');
    expect(summaries).to.equal(['# Tests of ***\n', 'from within\n', 'main\npost\n']);
    expect(text).to.contain('##[warning]Summaries of a job have at most 1048576 bytes');
    expect(text).to.contain('##[warning]The summary of the step is left out: ');
  });
});

describe('Commands in output', () => {
  it('are obeyed', async () => {
    const { text, steps } = await runOne(`
steps:
  - id: a
    run: |
      echo "::set-output name=old::way"
      echo "::debug::hidden"
      echo "::group::Part"
      echo "::warning file=a.js,line=1::careful%0Athere"
      echo "::endgroup::"
      echo "::set-env name=X::y"
      echo "::stop-commands::token-1"
      echo "::set-output name=old::not"
      echo "::token-1::"
      echo "::notice::done"
  - run: 'test "\${{ steps.a.outputs.old }}" = way'`);
    expect(steps, text).to.equal(['success', 'success']);
    expect(text).to.contain('::group::Part\n::warning file=a.js,line=1::careful%0Athere\n::endgroup::');
    expect(text.includes('::debug::hidden\n::group::Part\n::w')).to.be.false();
    expect(text).to.contain('##[error]::set-env:: is switched off').and.to.contain('::notice::done');
    const debug = await runOne('steps: [{ run: "echo ::debug::shown" }]', { secrets: { ACTIONS_STEP_DEBUG: 'true' } });
    expect(debug.lines).to.contain('::debug::shown');
  });

  it('cannot change what the runner relies on', async () => {
    const { steps, text } = await runOne(`
steps:
  - run: |
      printf 'NODE_OPTIONS=--require x\\nGITHUB_SHA=evil\\nRUNNER_TEMP=/\\nFINE=yes\\n' >> $GITHUB_ENV
  - run: test "$NODE_OPTIONS$GITHUB_SHA" = "" && test "$FINE" = yes && test "$RUNNER_TEMP" != /
  - run: rm "$GITHUB_OUTPUT" && ln -s /etc/passwd "$GITHUB_OUTPUT"
  - run: echo "no pair" >> "$GITHUB_OUTPUT"`);
    expect(steps, text).to.equal(['success', 'success', 'success', 'failure']);
    expect(text).to.contain('NODE_OPTIONS cannot be set').and.to.contain('GITHUB_OUTPUT: "no pair" is not name=value');
  });
});

function commandOf(pid: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
