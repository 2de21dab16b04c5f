// Database: SQLite alone. What it compares is two runners of the same server; that ours works with each database is shown by
// plugins/actions-runner/test/server.
// The usual runner program and that of Mortise do the same workflows, and the same comes of them: ends, outputs, lines.
// Time: about 120 s at full size
//
//   MORTISE_TEST_FULL=1   all workflows instead of every fifth
// Load: sleeps
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { runnerProgram } from '../support/runner-program.mjs';
import { OurRunner, UsualRunner } from '../support/runners.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const full = Boolean(process.env.MORTISE_TEST_FULL);
const program = runnerProgram();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const labels = ['usual', 'ours'];

async function until(look, what, ms = 200_000) {
  for (const end = Date.now() + ms; ;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`it did not come about: ${what}`);
    await pause(300);
  }
}

/** Fetches the repository as both can. */
const checkout = `- run: |
          git init -q . && git -c http.extraHeader="Authorization: Basic $(printf 'x:%s' "$TOKEN" | base64 -w0)" fetch -q --depth 1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" "$GITHUB_SHA"
          git checkout -q FETCH_HEAD
        env: { TOKEN: "\${{ github.token }}" }`;

const code = (method, path, body = '') =>
  `$(curl -s -o /dev/null -w '%{http_code}' -X ${method} -H "Authorization: token $TOKEN" -H 'Content-Type: application/json' ${body && `-d '${body}'`} "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/${path}")`;

/** Jobs of workflows that both do, where \`LABEL\` stands for the runner. */
const flows = {
  matrix: `jobs:
  grid:
    runs-on: LABEL
    strategy: { fail-fast: false, matrix: { a: [1, 2], b: [x, y], exclude: [{ a: 2, b: y }], include: [{ a: 3, b: z, more: "yes" }] } }
    steps:
      - run: echo "say \${{ matrix.a }}\${{ matrix.b }} [\${{ matrix.more }}] \${{ strategy.fail-fast }}"
`,
  needs: `jobs:
  one:
    runs-on: LABEL
    outputs: { size: "\${{ steps.a.outputs.size }}", text: "\${{ steps.a.outputs.text }}" }
    steps:
      - id: a
        run: |
          echo "size=7" >> "$GITHUB_OUTPUT"
          printf 'text<<END\\none\\ntwo\\nEND\\n' >> "$GITHUB_OUTPUT"
  bad: { runs-on: LABEL, steps: [{ run: echo "say bad"; exit 3 }] }
  two:
    needs: one
    runs-on: LABEL
    steps:
      - run: echo "say \${{ needs.one.outputs.size }} \${{ needs.one.result }} \${{ toJSON(needs.one.outputs.text) }}"
  never: { needs: bad, runs-on: LABEL, steps: [{ run: echo "say never" }] }
  rescue:
    needs: [one, bad]
    if: failure()
    runs-on: LABEL
    steps: [{ run: 'echo "say \${{ needs.bad.result }}"' }]
`,
  reusable: `jobs:
  call:
    uses: ./.gitea/workflows/called-LABEL.yml
    with: { word: hello }
    secrets: { KEY: "\${{ secrets.HUSH }}" }
  use:
    needs: call
    runs-on: LABEL
    steps: [{ run: 'echo "say \${{ needs.call.outputs.back }}"' }]
`,
  composite: `jobs:
  one:
    runs-on: LABEL
    steps:
      ${checkout}
      - { id: c, uses: ./act/composite, with: { who: Ada } }
      - run: 'echo "say \${{ steps.c.outputs.said }} [$SET_INSIDE]"'
      - { id: j, uses: ./act/node, with: { who: Ben } }
      - run: 'echo "say \${{ steps.j.outputs.out }}"'
      - { uses: ./act/fails, continue-on-error: true }
      - run: echo "say after"
`,
  files: `env: { TOP: top, OVER: top }
defaults: { run: { shell: sh, working-directory: /tmp } }
jobs:
  one:
    runs-on: LABEL
    env: { OVER: job }
    steps:
      - id: first
        run: |
          echo "say $TOP $OVER $PWD $0" | sed 's/ [^ ]*$//'
          echo "LATER=set" >> "$GITHUB_ENV"
          printf 'BLOCK<<X\\na\\nb\\nX\\n' >> "$GITHUB_ENV"
          mkdir -p "$RUNNER_TEMP/tools"; printf '#!/bin/sh\\necho say tool\\n' > "$RUNNER_TEMP/tools/my-tool"; chmod +x "$RUNNER_TEMP/tools/my-tool"
          echo "$RUNNER_TEMP/tools" >> "$GITHUB_PATH"
      - { run: 'echo "say $LATER $BLOCK" | tr "\\n" " "; echo; my-tool', env: { OVER: step } }
      - { run: 'echo "say $OVER"', env: { OVER: step }, shell: bash, working-directory: / }
      - run: echo "say $GITHUB_EVENT_NAME $GITHUB_REF $GITHUB_REF_NAME $GITHUB_REPOSITORY $GITHUB_ACTOR $GITHUB_JOB $GITHUB_RUN_ATTEMPT $CI $GITHUB_ACTIONS"
      - run: test "$(cat "$GITHUB_EVENT_PATH" | head -c 1)" = "{" && echo "say event"
      - { run: 'print("say python")', shell: 'python3 {0}' }
`,
  masks: `jobs:
  one:
    runs-on: LABEL
    steps:
      - run: |
          echo "say $HUSH and x\${HUSH}y"
          printf 'say %s' "very secret"; sleep 0.3; echo " words"
          echo "::add-mask::found-$((1 + 1))"
          echo "say found-2"
        env: { HUSH: "\${{ secrets.HUSH }}" }
      - run: echo "say found-2 \${{ secrets.HUSH }}"
`,
  groups: `jobs:
  one:
    runs-on: LABEL
    steps:
      - run: |
          echo "::group::say group"
          echo "say inside"
          echo "::endgroup::"
          echo "::warning file=a.js,line=1::say careful"
          echo "::notice::say notice"
          echo "::error::say error"
          echo "::debug::say debug"
          echo "say after"
`,
  failures: `jobs:
  one:
    runs-on: LABEL
    steps:
      - { id: soft, run: exit 3, continue-on-error: true }
      - run: 'echo "say \${{ steps.soft.outcome }} \${{ steps.soft.conclusion }} \${{ job.status }}"'
      - run: echo "say before"; false; echo "say not this"
      - run: echo "say never"
      - { run: 'echo "say failure \${{ job.status }}"', if: failure() }
      - { run: echo "say always", if: always() }
      - { run: echo "say cancelled", if: cancelled() }
      - { run: echo "say success", if: success() }
  soft: { runs-on: LABEL, continue-on-error: true, steps: [{ run: exit 1 }] }
  none: { runs-on: LABEL, if: "github.ref == 'x'", steps: [{ run: echo "say never" }] }
`,
  timeouts: `jobs:
  step:
    runs-on: LABEL
    steps:
      - { run: 'echo "say begun"; exec sleep 300', timeout-minutes: 1 }
      - run: echo "say never"
      - { run: echo "say failed", if: failure() }
`,
  permissions: `permissions: { contents: read, issues: write }
jobs:
  one:
    runs-on: LABEL
    env: { TOKEN: "\${{ secrets.GITHUB_TOKEN }}" }
    steps:
      - run: |
          echo "say read ${code('GET', 'contents/README.md')}"
          echo "say write ${code('POST', 'contents/LABEL.txt', '{"content":"eA=="}')}"
          echo "say issue ${code('POST', 'issues', '{"title":"LABEL"}')}"
          echo "say releases ${code('POST', 'releases', '{"tag_name":"LABEL"}')}"
`,
  artifacts: `jobs:
  make:
    runs-on: LABEL
    steps:
      - run: |
          call() { curl -s -X POST -H "Authorization: Bearer $ACTIONS_RUNTIME_TOKEN" -H 'Content-Type: application/json' -d "$2" "$ACTIONS_RESULTS_URL/twirp/github.actions.results.api.v1.ArtifactService/$1"; }
          ids=$( (echo "$ACTIONS_RUNTIME_TOKEN" | cut -d. -f2 | tr '_-' '/+' | base64 -d 2>/dev/null || true) | grep -o 'Actions.Results:[0-9]*:[0-9]*')
          run=$(echo "$ids" | cut -d: -f2); job=$(echo "$ids" | cut -d: -f3)
          of="\\"workflowRunBackendId\\":\\"$run\\",\\"workflowJobRunBackendId\\":\\"$job\\",\\"name\\":\\"LABEL\\""
          url=$(call CreateArtifact "{$of,\\"version\\":4}" | grep -o '"signedUploadUrl":"[^"]*' | cut -d'"' -f4)
          echo "say upload $(printf content | curl -s -o /dev/null -w '%{http_code}' -X PUT --data-binary @- "$url&comp=appendBlock")"
          call FinalizeArtifact "{$of,\\"size\\":\\"7\\"}" | grep -o '"ok":true' | sed 's/^/say /'
          call ListArtifacts "{\\"workflowRunBackendId\\":\\"$run\\",\\"workflowJobRunBackendId\\":\\"$job\\"}" | grep -o '"size":"[0-9]*"' | sed 's/^/say /'
`,
  cache: `jobs:
  one:
    runs-on: LABEL
    steps:
      - run: |
          base="\${ACTIONS_CACHE_URL%/}/_apis/artifactcache"
          ask() { curl -s -H "Authorization: Bearer $ACTIONS_RUNTIME_TOKEN" "$@"; }
          echo "say miss $(ask -o /dev/null -w '%{http_code}' "$base/cache?keys=LABEL&version=v1")"
          id=$(ask -X POST -H 'Content-Type: application/json' -d '{"key":"LABEL","version":"v1","cacheSize":7}' "$base/caches" | grep -o '"cacheId":[0-9]*' | cut -d: -f2)
          echo "say part $(printf content | ask -o /dev/null -w '%{http_code}' -X PATCH -H 'Content-Type: application/octet-stream' -H 'Content-Range: bytes 0-6/*' --data-binary @- "$base/caches/$id")"
          echo "say commit $(ask -o /dev/null -w '%{http_code}' -X POST -H 'Content-Type: application/json' -d '{"size":7}' "$base/caches/$id")"
          at=$(ask "$base/cache?keys=LABEL&version=v1" | grep -o '"archiveLocation":"[^"]*' | cut -d'"' -f4 | sed 's/\\\\u0026/\\&/g')
          echo "say got $(ask "$at")"
`,
  cancel: `jobs:
  one:
    runs-on: LABEL
    steps:
      - run: echo "say begun"; exec sleep 300
      - run: echo "say never"
`,
  again: `jobs:
  good: { runs-on: LABEL, steps: [{ run: 'echo "say good $GITHUB_RUN_ATTEMPT"' }] }
  bad:
    needs: good
    runs-on: LABEL
    steps: [{ run: 'echo "say try $GITHUB_RUN_ATTEMPT"; test $GITHUB_RUN_ATTEMPT = 2' }]
`,
};

/** How they end; the others well. */
const ends = { needs: 'failure', failures: 'failure', timeouts: 'failure', cancel: 'cancelled' };

const called = `on:
  workflow_call:
    inputs: { word: { type: string } }
    secrets: { KEY: { required: true } }
    outputs: { back: { value: "\${{ jobs.inner.outputs.back }}" } }
jobs:
  inner:
    runs-on: LABEL
    outputs: { back: "\${{ steps.s.outputs.back }}" }
    steps:
      - id: s
        run: echo "say \${{ inputs.word }} $KEY"; echo "back=\${{ inputs.word }} back" >> "$GITHUB_OUTPUT"
        env: { KEY: "\${{ secrets.KEY }}" }
`;

const actions = {
  'composite/action.yml': `inputs: { who: { default: nobody }, other: { default: "d" } }
outputs: { said: { value: "\${{ steps.say.outputs.said }}" } }
runs:
  using: composite
  steps:
    - { id: say, shell: bash, run: 'echo "said=\${{ inputs.who }} \${{ inputs.other }}" >> $GITHUB_OUTPUT; echo "SET_INSIDE=inside" >> $GITHUB_ENV; echo "say in composite"' }
    - { shell: sh, run: 'test -f "$GITHUB_ACTION_PATH/action.yml" && echo "say found"' }
`,
  'fails/action.yml': `runs:
  using: composite
  steps: [{ shell: sh, run: 'echo "say fails"; exit 2' }, { shell: sh, run: echo "say never" }]
`,
  'node/action.yml': `inputs: { who: { default: x } }
outputs: { out: { description: it } }
runs: { using: node20, main: main.js, post: post.js }
`,
  'node/main.js': `console.log('say main', process.env.INPUT_WHO);
const fs = require('fs');
fs.appendFileSync(process.env.GITHUB_STATE, 'kept=this\\n');
fs.appendFileSync(process.env.GITHUB_OUTPUT, 'out=js\\n');
`,
  'node/post.js': `console.log('say post', process.env.STATE_kept);\n`,
};

const compared = Object.keys(flows).filter((_name, at) => full || at % 5 === 0);

describe('two runners', { timeout: 600_000, skip: !program }, () => {
  let server;
  const api = '/repos/root/mill';
  const runners = [];

  const jobsOf = async (run) => (await server.api('GET', `${api}/actions/runs/${run}/jobs?limit=50`)).json.jobs;
  const stateOf = async (run) => (await server.api('GET', `${api}/actions/runs/${run}`)).json;
  const ended = (run, what) =>
    until(async () => {
      const state = await stateOf(run);
      return state.status === 'completed' && state;
    }, what);

  before(async () => {
    server = await startServer();
    await server.api('POST', '/user/repos', {
      body: { name: 'mill', auto_init: true, default_branch: 'main', private: true },
    });
    await server.api('PUT', `${api}/actions/secrets/HUSH`, { body: { data: 'very secret words' } });
    const files = Object.entries(actions).map(([path, text]) => [`act/${path}`, text]);
    for (const label of labels) {
      const put = (name, text) =>
        files.push([`.gitea/workflows/${name}-${label}.yml`, text.replaceAll('LABEL', label)]);
      put('called', called);
      for (const [name, text] of Object.entries(flows)) put(name, `on: workflow_dispatch\n${text}`);
    }
    const body = {
      branch: 'main',
      files: files.map(([path, text]) => ({
        operation: 'create',
        path,
        content: Buffer.from(text).toString('base64'),
      })),
    };
    const made = await server.api('POST', `${api}/contents`, { body });
    if (made.status !== 201) throw new Error(made.text);
    const usual = new UsualRunner(program, server, 'usual', { label: 'usual', capacity: 4, cache: true });
    const ours = new OurRunner(server, 'ours', { label: 'ours', capacity: 4 });
    for (const one of [usual, ours]) {
      await one.register();
      runners.push(one.start());
    }
  });
  after(async () => {
    for (const one of runners) await one.stop();
    await server?.close();
  });

  /** What came of a run, in words that hold for both. */
  async function told(run, label) {
    const { conclusion } = await stateOf(run);
    const jobs = await Promise.all(
      (await jobsOf(run)).map(async (job) => {
        const { text } = await server.api('GET', `${api}/actions/jobs/${job.id}/logs`);
        const lines = text.split('\n').map((line) => line.replace(/^\S+ /, '').trimEnd());
        return {
          name: job.name,
          conclusion: job.conclusion,
          steps: job.steps.map((step) => `${step.name.replaceAll(label, 'LABEL')}: ${step.conclusion}`),
          said: lines
            .filter((line) => /^say |^##\[error\]|^::\w+[^:]*::.*say/.test(line))
            .map((line) =>
              line
                .replaceAll(label, 'LABEL')
                .replaceAll(/\/\S*\/(?:workspace|hostexecutor)/g, 'WORKSPACE')
                // Each has words of its own for this end.
                .replace(/(?<=^##\[error\]).*(?:took longer than 1 minutes|exit code -1\.)$/, 'OVERDUE'),
            ),
        };
      }),
    );
    return { conclusion, jobs: jobs.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  const during = {
    async cancel(run) {
      // What was not sent before the cancel is not taken after it.
      const log = async ([job]) => job && (await server.api('GET', `${api}/actions/jobs/${job.id}/logs`)).text;
      await until(async () => (await log(await jobsOf(run)))?.includes(' say begun\n'), 'the step begins');
      expect((await server.api('POST', `${api}/actions/runs/${run}/cancel`)).status).to.equal(200);
    },
    async again(run) {
      await ended(run, 'the first attempt');
      expect((await server.api('POST', `${api}/actions/runs/${run}/rerun-failed-jobs`)).status).to.equal(201);
      await until(async () => (await stateOf(run)).run_attempt === 2, 'the second attempt');
    },
  };

  it('do the same workflows with the same results and the same lines', async () => {
    const runs = await Promise.all(
      compared.flatMap((name) =>
        labels.map(async (label) => {
          const path = `${api}/actions/workflows/${name}-${label}.yml/dispatches?return_run_details=true`;
          const started = await until(async () => {
            const answer = await server.api('POST', path, { body: { ref: 'main' } });
            return answer.status === 200 && answer.json;
          }, `${name} starts`);
          const run = started.workflow_run_id;
          await during[name]?.(run);
          await ended(run, `${name} of ${label}`);
          return { name, label, told: await told(run, label) };
        }),
      ),
    );
    const differences = [];
    for (const name of compared) {
      const [usual, ours] = labels.map((label) => runs.find((one) => one.name === name && one.label === label).told);
      if (JSON.stringify(usual) !== JSON.stringify(ours)) differences.push({ name, usual, ours });
      // Something was compared.
      expect([name, ours.conclusion]).to.equal([name, ends[name] ?? 'success']);
      expect(ours.jobs.flatMap(({ said }) => said).length, name).to.be.above(0);
    }
    expect(differences, JSON.stringify(differences, undefined, 1)).to.equal([]);
  });
});
