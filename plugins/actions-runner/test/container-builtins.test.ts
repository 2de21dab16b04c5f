import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { runWith } from './container-kit.js';
import { inFolder, runOne } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const isRoot = process.getuid?.() === 0;

describe('A container whose user is not root', () => {
  const job = `
container: tools
steps:
  - run: echo "modes $(stat -c %a . "$HOME" "$RUNNER_TEMP" "$GITHUB_OUTPUT" "$GITHUB_EVENT_PATH" | xargs)"`;

  it('gets folders and files that it can write to', async () => {
    const { result, text } = await runWith(job, { user: '1000 closed\n1000' });
    expect(result, text).to.equal('success');
    expect(text).to.contain('modes 777 777 777 777 777').and.to.not.contain('##[warning]');
  });

  it('that nobody else on the machine gets to', { skip: !isRoot }, async () => {
    const host = { runAs: { uid: 59_871, gid: 59_872 } };
    const user = '1000 closed\n1000';
    const { text } = await runWith(`${job}; stat -c "around %a %u %g" "$RUNNER_WORKSPACE"`, { user, host });
    expect(text).to.contain('around 710 0 59872');
  });

  it('leaves them alone where it can write, and is told of where it cannot', async () => {
    for (const user of ['0', '', '1000']) {
      const { text } = await runWith(job, { user });
      expect(text).to.contain('modes 700 700 700 700 700').and.to.not.contain('##[warning]');
    }
    const { text } = await runWith(job, { user: '1000 closed\n1000 closed' });
    expect(text).to.contain('##[warning]The container runs as user 1000, who may not write to the workspace');
  });
});

describe('The folder around those of a job', () => {
  it('lets its user through, whatever the umask of the runner is', { skip: !isRoot }, async () => {
    await inFolder(async (folder) => {
      const host = { runAs: { uid: 59_871, gid: 59_871 }, workFolder: join(folder, 'w') };
      mkdirSync(host.workFolder);
      for (const path of [folder, host.workFolder]) chmodSync(path, 0o711);
      const mask = process.umask(0o077);
      try {
        const { result, text } = await runOne('steps: [{ run: stat -c "around %a" "$RUNNER_WORKSPACE"; ls }]', {
          host,
        });
        expect(result, text).to.equal('success');
        expect(text).to.contain('around 711');
      } finally {
        process.umask(mask);
      }
    });
  });
});

describe('Built-in actions of a job with a container', () => {
  let tools: string;
  before(() => {
    tools = mkdtempSync(join(tmpdir(), 'runner-tools-'));
    for (const [version, body] of [
      ['97.3.0', 'echo v97.3.0'],
      // Of another system.
      ['98.0.0', 'exit 126'],
    ]) {
      const folder = join(tools, 'node', version!, process.arch, 'bin');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'node'), `#!/bin/sh\n${body}\n`);
      chmodSync(join(folder, 'node'), 0o755);
    }
  });
  after(() => rmSync(tools, { recursive: true, force: true }));

  it('setup-node takes what runs in there, and says what does', async () => {
    const { result, text } = await runWith(
      `
container: tools
steps:
  - { uses: actions/setup-node@v4, with: { node-version: '>=97', registry-url: 'https://registry.example/npm' } }
  - run: echo "now $(node --version) $(cat "$NPM_CONFIG_USERCONFIG" | xargs) $NODE_AUTH_TOKEN"
  - { uses: actions/setup-node@v4, with: { node-version: 98 } }`,
      { host: { toolFolder: tools } },
    );
    expect(result, text).to.equal('failure');
    expect(text).to.contain(
      'now v97.3.0 //registry.example/npm/:_authToken=${NODE_AUTH_TOKEN} registry=https://registry.example/npm/ none',
    );
    expect(text).to.match(/there is no Node 98 that runs in the container: found 97\.3\.0, \d+/);
  });

  it('take nothing of the container for theirs', async () => {
    const { result, text } = await runWith(
      `
container: tools
env: { HOME: /root, GIT_EXEC_PATH: /nowhere }
steps:
  - run: |
      mkdir bin; printf '#!/bin/sh\\necho "from $((40 + 2))"; exit 1\\n' > bin/git; chmod +x bin/git
      echo "$PWD/bin" >> "$GITHUB_PATH"; echo "LD_LIBRARY_PATH=/nowhere" >> "$GITHUB_ENV"
  - { id: c, uses: actions/checkout@v4, continue-on-error: true }
  - run: grep -q "directory = $GITHUB_WORKSPACE" "$RUNNER_WORKSPACE/home/.gitconfig" && echo "safe"`,
      { context: { repository: 'ada/mill' } },
    );
    expect(result, text).to.equal('success');
    expect(text).to.not.contain('from 42').and.to.contain('\nsafe');
  });

  it('say what they cannot reach', async () => {
    const cached = (path: string) =>
      runWith(`
container: tools
steps: [{ uses: actions/cache/restore@v4, with: { key: k, path: '${path}' } }]`);
    for (const path of ['/root/.m2', '../../../etc']) {
      const { result, text } = await cached(path);
      expect(result, text).to.equal('failure');
      expect(text).to.match(/is in the container, and this action runs outside it: it reaches the workspace, \$HOME/);
    }
    for (const path of ['~/.m2', 'x/y', '$'.concat('{{ runner.temp }}/x')])
      expect((await cached(path)).text).to.contain('No cache for');
  });

  it('say whose a file is that they may not read', { skip: !isRoot }, async () => {
    const { result, text } = await runWith(
      `
container: tools
steps:
  - run: mkdir out; echo open > out/a; echo closed > out/b; chmod 600 out/b
  - { uses: actions/upload-artifact@v4, with: { path: out } }`,
      { host: { runAs: { uid: 59_871, gid: 59_871 } } },
    );
    expect(result, text).to.equal('failure');
    expect(text).to.match(
      /"out\/b" belongs to user 0, .* outside the container, as user 59871: .* "chmod -R a\+rwX \."/,
    );
  });
});
