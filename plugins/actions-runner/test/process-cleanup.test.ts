import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { removeAbandoned } from '../engine/job-folders.js';
import { inFolder, runOne } from './kit.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

/** Is a process with these words running? One that nobody has taken note of has ended. */
const isRunning = (...words: string[]): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(words.join('\0')) &&
        !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
      );
    } catch {
      return false;
    }
  });

/** Nobody else's: all of its processes are ended. */
const somebody = { uid: 59_871, gid: 59_871 };

/** A folder that other users of the machine reach. */
const inOpenFolder = <T>(work: (folder: string) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => {
    await chmod(folder, 0o711);
    return work(folder);
  });

describe('What a job leaves behind', { skip: !isLinux }, () => {
  it('in another group of its session ends with the step', async () => {
    const { result, text } = await runOne(
      `steps:
  - run: set -m; env -i sleep 98701 & sleep 0.2
  - run: if pgrep -f "sleep 9870[1]"; then exit 1; fi`,
    );
    expect(result, text).to.equal('success');
  });

  it('without its mark ends where jobs have a user of their own', { skip: !isRoot }, async () => {
    await inOpenFolder(async (folder) => {
      const host = { runAs: somebody, workFolder: join(folder, 'w') };
      const { result, text } = await runOne('steps: [{ run: "env -i setsid sleep 98702 >/dev/null 2>&1 &" }]', {
        host,
      });
      expect(result, text).to.equal('success');
      expect(isRunning('sleep', '98702')).to.be.false();
      expect(readdirSync(host.workFolder)).to.equal([]);
    });
  });

  it('is not what another job of the same user runs meanwhile', { skip: !isRoot }, async () => {
    await inOpenFolder(async (folder) => {
      const host = { runAs: somebody, workFolder: join(folder, 'w') };
      const end = new AbortController();
      let other: ReturnType<typeof runOne> | undefined;
      const long = runOne('steps: [{ run: "echo begun; env -i sleep 98703" }]', {
        host,
        signal: end.signal,
        onLine: (line) => {
          if (line === 'begun') other = runOne('steps: [{ run: "true" }]', { host });
        },
      });
      while (!other) await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await other).result).to.equal('success');
      expect(isRunning('sleep', '98703')).to.be.true();
      end.abort(new Error('cancelled'));
      expect((await long).result).to.equal('cancelled');
      expect(isRunning('sleep', '98703')).to.be.false();
    });
  });

  it('is not what a job of another runner with the same user runs meanwhile', { skip: !isRoot }, async () => {
    await inOpenFolder(async (folder) => {
      const [here, there] = ['a', 'b'].map((name) => ({ runAs: somebody, workFolder: join(folder, name) }));
      const end = new AbortController();
      let other: ReturnType<typeof runOne> | undefined;
      const long = runOne('steps: [{ run: "echo begun; env -i sleep 98705" }]', {
        host: here,
        signal: end.signal,
        onLine: (line) => {
          if (line === 'begun') other = runOne('steps: [{ run: "true" }]', { host: there });
        },
      });
      while (!other) await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await other).result).to.equal('success');
      expect(isRunning('sleep', '98705')).to.be.true();
      end.abort(new Error('cancelled'));
      expect((await long).result).to.equal('cancelled');
      expect(isRunning('sleep', '98705')).to.be.false();
    });
  });

  it('is ended though it pretends to be of another runner', { skip: !isRoot }, async () => {
    await inOpenFolder(async (folder) => {
      // The words are those of its own runner, which lives.
      const { result, text } = await runOne(
        `steps:
  - run: |
      other=$HOME/00000000-1111-2222-3333-444444444444; mkdir $other
      echo "$(uname -n) $(readlink /proc/self/ns/pid) ${process.pid} $(cut -d' ' -f22 /proc/${process.pid}/stat)" > $other/runner
      ln -s "$(dirname $RUNNER_WORKSPACE)" $HOME/link
      env -i MORTISE_JOB=$other setsid sleep 98706 >/dev/null 2>&1 &
      env -i MORTISE_JOB=$HOME/link/$(basename $RUNNER_WORKSPACE) setsid sleep 98707 >/dev/null 2>&1 &`,
        { host: { runAs: somebody, workFolder: join(folder, 'w') } },
      );
      expect(result, text).to.equal('success');
      expect(['98706', '98707'].filter((length) => isRunning('sleep', length))).to.equal([]);
    });
  });

  it('ends at once when the runner does, without its steps for the end', async () => {
    const [cancel, halt] = [new AbortController(), new AbortController()];
    const { result, text } = await runOne(
      `steps:\n  - run: trap '' INT TERM; echo begun; while :; do sleep 0.1; done\n  - { run: echo late, if: always() }`,
      {
        signal: cancel.signal,
        halt: halt.signal,
        onLine: (line) => {
          if (line !== 'begun') return;
          cancel.abort(new Error('cancelled'));
          halt.abort(new Error('cancelled'));
        },
      },
    );
    expect(result, text).to.equal('cancelled');
    expect(text).to.not.contain('\nlate');
  });

  it('is removed after a runner that was killed, and nothing else', async () => {
    await inFolder(async (folder) => {
      const workFolder = join(folder, 'w');
      const job = '00000000-1111-2222-3333-444444444444';
      mkdirSync(join(workFolder, job, 'workspace'), { recursive: true });
      mkdirSync(join(workFolder, 'mine'));
      const gone = spawn('true');
      await new Promise((resolve) => gone.once('exit', resolve));
      // As that runner has written it.
      let owner = '';
      await runOne('steps: [{ run: "cat $RUNNER_WORKSPACE/runner" }]', {
        onLine: (line) => {
          if (/^\S+ pid:\S+ \d+ \d+$/.test(line)) owner = line;
        },
      });
      expect(owner).to.not.equal('');
      const [host, space, pid, start] = owner.split(' ');
      expect(pid).to.equal(String(process.pid));
      const left = spawn('sh', ['-c', 'env -i sleep 98704; true'], {
        env: { ...process.env, MORTISE_JOB: join(workFolder, job) },
        stdio: 'ignore',
        detached: true,
      });
      const ended = new Promise((resolve) => left.once('exit', resolve));
      writeFileSync(join(workFolder, job, 'runner'), owner);
      await removeAbandoned({ workFolder });
      expect(existsSync(join(workFolder, job)), 'a runner that lives').to.be.true();
      writeFileSync(join(workFolder, job, 'runner'), [host, space, gone.pid, start].join(' '));
      await removeAbandoned({ workFolder });
      expect(readdirSync(workFolder)).to.equal(['mine']);
      await ended;
      expect(isRunning('sleep', '98704')).to.be.false();
    });
  });

  it('of a runner that cannot be known is let be', async () => {
    await inFolder(async (workFolder) => {
      const root = join(workFolder, '00000000-1111-2222-3333-444444444444');
      const old = new Date(Date.now() - 3_600_000);
      const found: boolean[] = [];
      // Missing is no owner; what cannot be read is.
      for (const make of [mkdirSync, () => undefined]) {
        mkdirSync(join(root, 'workspace'), { recursive: true });
        make(join(root, 'runner'));
        utimesSync(root, old, old);
        await removeAbandoned({ workFolder });
        found.push(existsSync(join(root, 'workspace')));
        rmSync(root, { recursive: true, force: true });
      }
      expect(found).to.equal([true, false]);
    });
  });
});

describe('The folder of a job', { skip: !isLinux || !isRoot }, () => {
  const steps = `steps:
  - run: |
      mkdir -p closed/below && touch closed/below/file && chmod 0 closed/below
      ln -s "$OUTSIDE" link; ln -s "$OUTSIDE" $HOME/link; mkfifo pipe
      echo made`;

  it('is removed with its links and closed folders, and nothing that they lead to', async () => {
    await inOpenFolder(async (folder) => {
      const outside = join(folder, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'kept'), '');
      chownSync(outside, somebody.uid, somebody.gid);
      for (const host of [{ workFolder: join(folder, 'w') }, { runAs: somebody, workFolder: join(folder, 'v') }]) {
        const { result, text } = await runOne(steps.replaceAll('$OUTSIDE', outside), { host });
        expect(result, text).to.equal('success');
        expect(readdirSync(host.workFolder)).to.equal([]);
        expect(readdirSync(outside)).to.equal(['kept']);
      }
    });
  });

  it('is removed with the rights of its user: what is not that user stays, and is told', async () => {
    await inOpenFolder(async (folder) => {
      const host = { runAs: somebody, workFolder: join(folder, 'w') };
      const { lines } = await runOne('steps: [{ run: "echo made in $PWD" }]', {
        host,
        onLine: (line) => {
          const workspace = /^made in (.*)$/.exec(line)?.[1];
          if (workspace === undefined) return;
          mkdirSync(join(workspace, 'of-root'));
          writeFileSync(join(workspace, 'of-root', 'kept'), '');
        },
      });
      expect(lines.at(-1)).to.contain('##[warning]The folder of the job could not be removed');
      const [job = ''] = readdirSync(host.workFolder);
      expect(existsSync(join(host.workFolder, job, 'workspace', 'of-root', 'kept'))).to.be.true();
    });
  });

  it('holds no file that the runner reads for somebody who may not', async () => {
    await inOpenFolder(async (folder) => {
      const secret = join(folder, 'secret');
      writeFileSync(secret, 'runs: { using: composite, steps: [{ run: echo taken, shell: sh }] }\n', { mode: 0o600 });
      const host = { runAs: somebody, workFolder: join(folder, 'w') };
      for (const make of [
        `ln -s ${secret} act/action.yml`,
        'mkfifo act/action.yml',
        'ln -s /dev/zero act/action.yml',
      ]) {
        const { result, text } = await runOne(`steps:\n  - run: mkdir act; ${make}\n  - uses: ./act`, { host });
        expect(result, text).to.equal('failure');
        expect(text).to.contain('##[error]').and.to.not.contain('taken');
      }
    });
  });
});
