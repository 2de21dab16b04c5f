import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { runOne, type JobOptions } from './kit.js';
import { realEngine, type RealEngine } from './podman.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

// What is shown with a stand-in everywhere (`containers.test.ts`), here with an engine.
describe('Jobs in real containers', { timeout: 180_000 }, () => {
  let engine: RealEngine | undefined;
  before(async () => {
    engine = await realEngine(mkdtempSync(join(tmpdir(), 'runner-podman-')));
    if (!engine) console.log('skipped: no container engine runs here');
  });
  after(() => engine?.close());

  /** `IMAGE` stands for the image of the test. */
  const run = async (job: string, options: JobOptions = {}) => {
    const { program, image } = engine!;
    const host = { ...options.host, containers: program, workFolder: mkdtempSync(join(tmpdir(), 'runner-in-')) };
    chmodSync(host.workFolder, 0o711);
    try {
      const recorded = await runOne(job.replaceAll('IMAGE', image), { ...options, host });
      const left = spawnSync(program, ['ps', '--all', '--quiet'], { encoding: 'utf8' }).stdout.trim();
      expect([left, readdirSync(host.workFolder)], recorded.text).to.equal(['', ['engine-id']]);
      return recorded;
    } finally {
      rmSync(host.workFolder, { recursive: true, force: true });
    }
  };

  it('have their folders, variables and services, and leave nothing', async () => {
    if (!engine) return;
    const { result, text, outputs } = await run(
      `
container: { image: IMAGE, env: { INSIDE: 'yes' }, options: --hostname ci-host }
services:
  web:
    image: IMAGE
    options: --health-cmd "echo pong" --health-interval 1s
outputs: { made: "\${{ steps.a.outputs.made }}" }
steps:
  - id: a
    env: { KEY: "\${{ secrets.KEY }}", LINES: "one\\ntwo's" }
    run: |
      echo "made=$INSIDE" >> "$GITHUB_OUTPUT"; echo "[$LINES] $(cat /etc/hostname) $(id -u) key $KEY"
      echo closed > closed; mkdir below; echo "LATER=set" >> "$GITHUB_ENV"
  - run: test "$PWD" = "$GITHUB_WORKSPACE" && cat closed && echo "later $LATER" && ls /root /work 2>/dev/null || true
  - run: echo "the service says $(nc web 8080 </dev/null)"
  - { uses: "docker://IMAGE", with: { entrypoint: /bin/echo, args: own "of its own" } }
  - run: exit 7`,
      { secrets: { KEY: 'key-of-the-job' } },
    );
    expect(result, text).to.equal('failure');
    expect(text).to.contain("[one\ntwo's] ci-host 0 key ***").and.to.contain('closed\nlater set');
    expect(text).to.contain('the service says pong').and.to.contain('own of its own');
    expect(text).to.contain('##[error]Process completed with exit code 7.');
    expect(outputs).to.equal({ made: 'yes' });
  });

  it('of another user have their folders too, and built-in actions fit them or say what they cannot reach', async () => {
    if (!engine) return;
    const { result, text, outputs } = await run(`
container: { image: IMAGE, options: --user 1234 }
outputs: { at: "\${{ steps.a.outputs.at }}" }
steps:
  - { id: a, run: 'echo "as $(id -u)"; echo mine > file; echo x > "$HOME/f"; echo "at=there" >> "$GITHUB_OUTPUT"' }
  - { uses: actions/cache/restore@v4, with: { key: k, path: '~/x' } }
  - { uses: actions/cache/restore@v4, with: { key: k, path: /root/x }, continue-on-error: true }
  - { uses: actions/setup-node@v4, with: { node-version: 20 } }`);
    expect([result, outputs], text).to.equal(['failure', { at: 'there' }]);
    expect(text).to.contain('as 1234').and.to.contain('No cache for').and.to.contain('"/root/x" is in the container');
    expect(text).to.contain('there is no Node 20 that runs in the container: found none');
    expect(text).to.not.contain('##[warning]The container runs');
  });

  it('are ended when they are cancelled, with what runs in them', async () => {
    if (!engine) return;
    const cancel = new AbortController();
    const { result, steps, text } = await run(
      'container: IMAGE\nsteps:\n  - run: echo begun; sleep 300\n  - { run: echo cleaning, if: always() }',
      {
        signal: cancel.signal,
        onLine: (line) => (line === 'begun' ? cancel.abort(new Error('cancelled')) : undefined),
      },
    );
    expect([result, steps], text).to.equal(['cancelled', ['cancelled', 'success']]);
  });

  it('start with files of actions, built here', async () => {
    if (!engine) return;
    const { result, text } = await run(`steps:
  - run: |
      mkdir act; printf 'FROM IMAGE\\nENTRYPOINT ["/bin/echo", "built"]\\n' > act/Dockerfile
      echo '{"inputs":{"who":{"default":"Ada"}},"runs":{"using":"docker","image":"Dockerfile","args":["for","me"]}}' > act/action.yml
  - uses: ./act`);
    expect(result, text).to.equal('success');
    expect(text).to.contain('built for me');
  });

  it('leave nothing of root and build what is theirs, where jobs have a user', async () => {
    if (!engine) return;
    const { result, text } = await run(
      `steps:
  - { uses: "docker://IMAGE", with: { entrypoint: sh, args: '-c "echo of root > kept; ls > listed; id -u"' } }
  - run: |
      mkdir act; printf 'FROM IMAGE\\nCOPY word /word\\nENTRYPOINT ["/bin/cat", "/word"]\\n' > act/Dockerfile
      echo '{"runs":{"using":"docker","image":"Dockerfile"}}' > act/action.yml; echo copied > act/word
  - uses: ./act`,
      { host: { runAs: { uid: 59_871, gid: 59_871 } } },
    );
    expect(result, text).to.equal('success');
    expect(text).to.contain('\n0\n').and.to.contain('\ncopied').and.to.not.contain('##[warning]');
  });
});
