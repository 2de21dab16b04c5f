import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { chooseEngine } from '../containers/choose-engine.js';
import { Engine } from '../containers/engine.js';
import { readContainer, registryOf, splitWords } from '../containers/container-definition.js';
import { JobContainers } from '../containers/job-containers.js';
import { copyForBuild, type CopyLimits } from '../engine/build-folder.js';
import { makeWorkId, workIdOf } from '../engine/job-folders.js';
import { canDropNewPrivileges } from '../engine/no-new-privileges.js';
import { callsIn, fakeEngine, runWith } from './container-kit.js';
import { inFolder, runOne } from './kit.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const labels = '--label mortise.job=ID --label mortise.folder=ID';
const mounts = ['workspace', 'home', 'temp', 'actions']
  .map((name) => `--volume WORK/ID/${name}:WORK/ID/${name}`)
  .join(' ');

describe('A job with a container', () => {
  it('runs its steps there, its variables in files, and leaves nothing', async () => {
    const { result, text, calls, outputs } = await runWith(
      `
container:
  image: "registry.example:5000/tools:\${{ github.ref_name }}"
  credentials: { username: ada, password: "\${{ secrets.PULL }}" }
  env: { INSIDE: 'yes' }
  options: --cpus 2 --hostname "ci host"
outputs: { at: "\${{ steps.a.outputs.at }}", network: "\${{ job.container.network }}" }
steps:
  - id: a
    env: { KEY: "\${{ secrets.KEY }}", LINES: "one\\ntwo's", ODD-NAME: odd }
    run: |
      echo "at=$PWD" >> $GITHUB_OUTPUT; echo "[$LINES]"; env | grep ODD; echo "$PWD/bin" >> $GITHUB_PATH
  - { run: 'echo "$PATH" | cut -d: -f1', shell: sh, working-directory: /tmp }
  - run: exit 5`,
      { context: { ref_name: 'v1' }, secrets: { PULL: 'pull-password', KEY: 'key-of-the-job' } },
    );
    expect(result, text).to.equal('failure');
    expect(text).to.contain("[one\ntwo's]").and.to.contain('ODD-NAME=odd').and.to.contain('/workspace/bin');
    expect(text).to.contain('##[error]Process completed with exit code 5.');
    expect(outputs.network).to.match(/^mortise-/);
    const image = 'registry.example:5000/tools:v1';
    expect(calls).to.contain([
      `network create ${labels} mortise-ID`,
      `image inspect ${image}`,
      '--config WORK/ID/engine/registries login --username ada --password-stdin registry.example:5000',
      `--config WORK/ID/engine/registries pull --quiet ${image}`,
      `run --detach --name mortise-ID ${labels} --cap-drop MKNOD --network mortise-ID --cpus 2 --hostname ci host ${mounts} ` +
        `--env-file WORK/ID/engine/variables-0 --entrypoint tail ${image} -f /dev/null`,
      'variables INSIDE=yes',
      'ps --all --quiet --filter label=mortise.job=ID',
      'network ls --quiet --filter label=mortise.job=ID',
    ]);
    const whole = calls.join('\n');
    expect(whole).to.match(
      /^exec --workdir WORK\/ID\/workspace mortise-ID sh WORK\/ID\/temp\/ID-run\.sh bash --noprofile/m,
    );
    expect(whole).to.match(/^exec --workdir \/tmp mortise-ID sh WORK\/ID\/temp\/ID-run\.sh sh -e /m);
    expect(whole).to.not.contain('key-of-the-job').and.to.not.contain('pull-password');
  });

  it('ends what runs in it when the job is cancelled', async () => {
    const cancel = new AbortController();
    const { result, calls } = await runWith('container: tools\nsteps: [{ run: echo begun; sleep 30 }]', {
      signal: cancel.signal,
      onLine: (line) => (line === 'begun' ? cancel.abort(new Error('cancelled')) : undefined),
    });
    expect(result).to.equal('cancelled');
    expect(calls.join('\n')).to.match(/^exec mortise-ID sh -c .* WORK\/ID\/temp\/ID-run\.sh INT$/m);
  });
});

describe('Services', () => {
  it('start beside the job with their ports, and are waited for', async () => {
    const { result, text, calls } = await runWith(
      `
services:
  db:
    image: postgres:16
    env: { POSTGRES_PASSWORD: secret-of-db }
    ports: ['5432', '8080:80/udp']
    volumes: [/var/lib/data, cache:/cache]
    options: >-
      --health-cmd "pg_isready -U ada" --health-interval=10s
  empty: { image: '' }
steps: [{ run: 'echo "port \${{ job.services.db.ports[5432] }} in \${{ job.services.db.network }}"' }]`,
      { host: { volumes: ['cache'] } },
    );
    expect(result, text).to.equal('success');
    expect(text).to.match(/port 49153 in mortise-/);
    expect(calls).to.contain([
      `run --detach --name mortise-ID-db ${labels} --cap-drop MKNOD --network mortise-ID --volume /var/lib/data --volume cache:/cache ` +
        '--health-cmd pg_isready -U ada --health-interval 10s --network-alias db --publish 127.0.0.1::5432 ' +
        '--publish 127.0.0.1:8080:80/udp --env-file WORK/ID/engine/variables-0 postgres:16',
    ]);
    expect(calls.filter((line) => line === 'inspect mortise-ID-db').length).to.equal(2);
    expect(calls.join('\n')).to.not.contain('run --detach --name mortise-ID-empty');
  });

  it('that are not healthy end the job with what they say', async () => {
    const { result, text } = await runWith('services: { ill: { image: x } }\nsteps: [{ run: echo never }]');
    expect(result).to.equal('failure');
    expect(text).to.contain('what the service says').and.to.contain('the service "ill" is not healthy');
    expect(text).to.not.contain('\nnever');
  });
});

describe('Steps that are containers', () => {
  const action = (runs: string) =>
    `mkdir act; printf '%s' '${runs.replaceAll('${{', "${{ '${{' }}")}' > act/action.yml; echo FROM scratch > act/Dockerfile`;

  it('run images and files for images, with inputs, arguments and their end', async () => {
    const { result, text, calls } = await runWith(`
steps:
  - run: |
      ${action('{"inputs":{"who":{"default":"Ada"}},"runs":{"using":"docker","image":"Dockerfile","args":["hello","${{ inputs.who }}"],"env":{"SAID":"${{ inputs.who }}"},"post-entrypoint":"/after"}}')}
  - { uses: 'docker://alpine:3', with: { entrypoint: /bin/echo, args: one "two three" } }
  - { uses: ./act, with: { who: Ben Lu } }
  - { uses: 'docker://alpine:3', with: { args: fails } }`);
    expect(result, text).to.equal('failure');
    expect(text).to.contain('the container speaks').and.to.contain('The container ended with exit code 9.');
    const whole = calls.join('\n');
    expect(whole).to.contain('--entrypoint /bin/echo alpine:3 one two three');
    expect(whole)
      .to.contain(`build ${labels} --tag mortise-ID-`)
      .and.to.contain('--file WORK/ID/workspace/act/Dockerfile');
    expect(whole)
      .to.match(/:action hello Ben Lu$/m)
      .and.to.match(/--entrypoint \/after mortise-ID-\d+:action hello Ben Lu$/m);
    expect(whole)
      .to.match(/^variables .*SAID=Ben Lu/m)
      .and.to.match(/^variables .*INPUT_WHO=Ben Lu/m);
    expect(whole).to.match(/^rmi --force mortise-ID-\d+:action$/m);
  });

  it('are built from a copy that the job cannot change', { skip: process.getuid?.() !== 0 }, async () => {
    await inFolder(async (folder) => {
      await chmod(folder, 0o711);
      const host = { runAs: { uid: 59_871, gid: 59_871 }, workFolder: join(folder, 'w') };
      const { result, text, calls } = await runWith(
        `steps:
  - run: |
      ${action('{"runs":{"using":"docker","image":"Dockerfile"}}')}
      mkdir act/sub; echo x > act/sub/file; ln -s / act/all; ln -s /etc/passwd act/.dockerignore; mkfifo act/pipe
  - uses: ./act
  - run: rm act/Dockerfile; ln -s /etc/passwd act/Dockerfile
  - uses: ./act`,
        { host },
      );
      expect(result, text).to.equal('failure');
      expect(text)
        .to.contain('##[warning]2 files of the action are not')
        .and.to.contain('##[error]the action has no file "Dockerfile" for its image');
      const [context, ...others] = calls.filter((line) => line.startsWith('context '));
      expect([context, others]).to.equal(['context of 0: Dockerfile action.yml all sub', []]);
      expect(calls.join('\n')).to.match(
        /^build .* --file \S+\/ID\/engine\/build-ID\/Dockerfile \S+\/ID\/engine\/build-ID$/m,
      );
      expect(readdirSync(host.workFolder)).to.equal(['engine-id']);
    });
  });

  it('are built from no more than may be', async () => {
    await inFolder(async (folder) => {
      const from = join(folder, 'from');
      mkdirSync(join(from, 'a', 'b'), { recursive: true });
      writeFileSync(join(from, 'a', 'b', 'file'), 'twelve bytes');
      const uid = statSync(from).uid;
      let count = 0;
      const copy = (max: CopyLimits, user = uid) =>
        copyForBuild(from, join(folder, `to-${count++}`), {
          uid: user,
          signal: new AbortController().signal,
          limits: max,
        });
      const enough = { bytes: 12, entries: 3, depth: 2 };
      expect(await copy(enough)).to.equal(0);
      expect(readFileSync(join(folder, 'to-0', 'a', 'b', 'file'), 'utf8')).to.equal('twelve bytes');
      for (const less of [{ bytes: 11 }, { entries: 2 }, { depth: 1 }])
        await expect(copy({ ...enough, ...less })).to.reject(/^an image is built from at most \d+ /);
      await expect(copy(enough, uid + 1)).to.reject("the action is in no folder of the job's user");
    });
  });

  it('leave no files of root behind', { skip: process.getuid?.() !== 0 }, async () => {
    await inFolder(async (folder) => {
      await chmod(folder, 0o711);
      const [outside, workFolder] = [join(folder, 'outside'), join(folder, 'w')];
      mkdirSync(outside);
      writeFileSync(join(outside, 'kept'), '');
      const host = { runAs: { uid: 59_871, gid: 59_871 }, workFolder };
      const { result, text } = await runWith(
        `steps: [{ uses: "docker://alpine", with: { args: leaves ${outside} } }]`,
        {
          host,
        },
      );
      expect(result, text).to.equal('success');
      expect(text).to.not.contain('##[warning]');
      expect([readdirSync(workFolder), readdirSync(outside)]).to.equal([['engine-id'], ['kept']]);
    });
  });

  it('remove what they have made where the runner may not', async () => {
    await inFolder(async (folder) => {
      const engine = (await Engine.find(fakeEngine(folder)))!;
      const share = () => Promise.resolve();
      const host = { folder, mark: 'job', workId: 'id', mounts: ['/w'], workspace: '/w', share, log: () => undefined };
      const containers = new JobContainers(engine, host);
      await containers.step({ image: 'alpine', entrypoint: '', args: [], cwd: '/w', env: {} });
      await containers.close(['/w'], false);
      const [clear = ''] = callsIn(folder).filter((line) => line.startsWith('run '));
      expect(clear)
        .to.match(
          /^run --rm .* --network none --user 0 --volume \/w:\/w --entrypoint sh alpine -c for folder; .* sh \/w$/,
        )
        .and.to.contain('--label mortise.job=job');
    });
  });

  it('are refused where there is no engine', async () => {
    for (const steps of [
      'steps: [{ uses: "docker://alpine" }]',
      `steps: [{ run: '${action('{"runs":{"using":"docker","image":"Dockerfile"}}').replaceAll("'", "''")}' }, { uses: ./act }]`,
      'container: alpine\nsteps: [{ run: echo }]',
    ]) {
      const { result, text } = await runOne(steps);
      expect(result, text).to.equal('failure');
      expect(text).to.contain('this runner has no container engine');
    }
    expect(await Engine.find('/no/such/engine')).to.be.undefined();
    expect(await Engine.find('false')).to.be.undefined();
  });
});

describe('An engine for jobs of a user of their own', () => {
  const runAs = { uid: 59_871, gid: 59_871 };

  /** What is chosen where docker and podman say this of themselves. */
  const chosen = (wanted: string, said: object): Promise<string> =>
    inFolder(async (folder) => {
      const answer = `#!/bin/sh\ntest "$1" != info || echo '${JSON.stringify(said)}'\n`;
      for (const name of ['docker', 'podman']) writeFileSync(join(folder, name), answer, { mode: 0o755 });
      const path = process.env.PATH;
      process.env.PATH = `${folder}:${path}`;
      try {
        return (await chooseEngine({ containers: wanted, runAs })).program;
      } catch (error) {
        return (error as Error).message;
      } finally {
        process.env.PATH = path;
      }
    });

  it('is one that is named, or whose root is not that of the machine', { skip: !canDropNewPrivileges }, async () => {
    for (const said of [
      { SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] },
      { SecurityOptions: ['name=userns'] },
      { host: { security: { rootless: true } } },
    ])
      expect(await chosen('auto', said)).to.equal('docker');
    for (const said of [{ SecurityOptions: ['name=cgroupns'] }, { host: { security: { rootless: false } } }, {}]) {
      expect(await chosen('auto', said)).to.contain('Its operator may name the engine in CONTAINERS');
      expect(await chosen('podman', said)).to.equal('podman');
    }
    expect(await chosen('off', {})).to.contain('this runner has no container engine');
  });
});

describe('What runners that were killed have left', () => {
  const ids = [1, 2, 3].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);

  it('is removed by the id of the work folder: containers, and networks without any', async () => {
    await inFolder(async (folder) => {
      const engine = (await Engine.find(fakeEngine(folder)))!;
      writeFileSync(join(folder, 'containers'), `mortise-${ids[0]}-step-0\nmortise-${ids[1]}\nother\n`);
      writeFileSync(join(folder, 'networks'), `mortise-${ids[2]}\n`);
      await engine.removeAbandoned('the-id', () => Promise.resolve([ids[1]!]));
      const calls = callsIn(folder);
      expect(calls.filter((line) => line.includes('--format'))).to.equal([
        'ps --all --filter label=mortise.folder=the-id --format {{.Names}}',
        'network ls --filter label=mortise.folder=the-id --format {{.Name}}',
      ]);
      const removed = [0, 2].map((at) => `network ls --quiet --filter label=mortise.job=${ids[at]}`);
      expect(calls.filter((line) => line.startsWith('network ls --quiet'))).to.equal(removed);
    });
  });

  it('is told from that of other machines with a folder of the same path', async () => {
    await inFolder(async (folder) => {
      const made = await Promise.all([makeWorkId(folder), makeWorkId(folder)]);
      expect(made[0]).to.match(/^[\da-f-]{36}$/);
      expect([made[1], await makeWorkId(folder), await workIdOf(folder)]).to.equal([made[0], made[0], made[0]]);
      expect(readdirSync(folder)).to.equal(['engine-id']);
      expect(await inFolder(async (other) => [await workIdOf(other), (await makeWorkId(other)) === made[0]])).to.equal([
        '',
        false,
      ]);
    });
  });
});

describe('What a workflow says of a container', () => {
  const read = (definition: object | string) =>
    readContainer(
      definition as never,
      'it',
      { contexts: {}, status: { success: true, failure: false, cancelled: false } },
      ['kept'],
    );

  it('reaches the machine by nothing that the runner does not allow', () => {
    for (const options of [
      '--privileged',
      '-v /:/host',
      '--volume=/:/host',
      '--mount type=bind,source=/,target=/host',
      '--pid host',
      '--network host',
      '--cap-add SYS_ADMIN',
      '--device /dev/kmsg',
      '--security-opt seccomp=unconfined',
      '--env-file /etc/shadow',
      '-e MORTISE_SECRET',
      '--label mortise.job=x',
      '--cpus',
      '--health-cmd x stray',
      '-- image',
    ])
      expect(() => read({ image: 'x', options }), options).to.throw(/ of it /);
    for (const volume of ['/:/host', '/etc:/etc:ro', 'other:/x', 'kept', 'kept:x', '../x:/y'])
      expect(() => read({ image: 'x', volumes: [volume] }), volume).to.throw(/volume/);
    for (const port of ['0.0.0.0:80:80', 'x', '80:80:80', '-1'])
      expect(() => read({ image: 'x', ports: [port] })).to.throw(/no port/);
    for (const image of ['--privileged', '-x', 'a b', 'x;y', '../x'])
      expect(() => read(image), image).to.throw(/no image/);
    expect(read({ image: 'x', volumes: ['/data', 'kept:/kept:ro'] })!.volumes).to.equal(['/data', 'kept:/kept:ro']);
    expect(read('')).to.be.undefined();
  });

  it('is cut as a shell does, and fetched from where it says', () => {
    expect(splitWords(`a "b c" d'e f'g \\"h "i\\"j" ''`)).to.equal(['a', 'b c', 'de fg', '"h', 'i"j', '']);
    expect(['alpine', 'ada/tool', 'ghcr.io/a/b', 'localhost/x', 'host:5000/x'].map(registryOf)).to.equal([
      'docker.io',
      'docker.io',
      'ghcr.io',
      'localhost',
      'host:5000',
    ]);
  });
});
