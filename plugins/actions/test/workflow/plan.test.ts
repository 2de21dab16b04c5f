import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import {
  evaluateConcurrency,
  strategyOf,
  parseWorkflow,
  planJob,
  planJobs,
  runTitle,
  stepName,
  WorkflowError,
  type Contexts,
  type PlannedJob,
  type Workflow,
} from '../../workflow/index.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const workflow = (text: string): Workflow => {
  const { workflow: read, problems } = parseWorkflow(text, 'm.yml');
  if (!read) throw new Error(problems.map(({ message }) => message).join('\n'));
  return read;
};
const one = (job: string, contexts: Contexts = {}): readonly PlannedJob[] =>
  planJobs(
    workflow(`on: push\njobs:\n  one:\n${`runs-on: linux\n${job}`.replace(/^/gm, '    ')}\n    steps: [{ run: y }]\n`),
    contexts,
  );
const names = (matrix: string, more = ''): readonly string[] =>
  one(`strategy:\n  matrix:\n${matrix.replace(/^/gm, '    ')}\n${more}`).map(({ name }) => name);

describe('Name of an environment', () => {
  it('is one that the settings would take; otherwise the job fails', () => {
    expect(one('environment: " live "')[0]!.environment).to.equal('live');
    for (const bad of ['"a\\nb"', '"a,b"', '{ name: "${{ fromJSON(\'\\"a\\\\nb\\"\') }}" }', 'x'.repeat(256)])
      expect(() => one(`environment: ${bad}`), bad).to.throw(WorkflowError, /the name of an environment has 1 to 255/);
  });
});

describe('Bounds of a run', () => {
  it('hold for the files of all jobs together', () => {
    const text = 'x'.repeat(100_000);
    const list = (count: number) => JSON.stringify([...Array(count).keys()]);
    const job = (count: number) => `env: { A: ${text} }\nstrategy: { matrix: { v: ${list(count)} } }`;
    expect(one(job(80))).to.have.length(80);
    expect(() => one(job(90))).to.throw(WorkflowError, /the jobs have more than 8388608 characters together/);
  });

  it('hold for each planning by itself', () => {
    const read = workflow(
      `on: push\njobs:\n  one: { runs-on: x, strategy: { matrix: { v: [1, 2, 3, 4, 5] } }, steps: [{ run: ${'x'.repeat(1_000_000)} }] }\n`,
    );
    for (let time = 0; time < 3; time++) expect(planJobs(read, {})).to.have.length(5);
  });

  it('count a text wherever an alias repeats it', () => {
    const text = (count: number) =>
      `on: push\nenv: { A: &a ${'x'.repeat(100_000)}, ${[...Array(count).keys()].map((at) => `B${at}: *a`).join(', ')} }\njobs: { one: { runs-on: x, steps: [{ run: y }] } }\n`;
    expect(parseWorkflow(text(10), 'm.yml').problems).to.equal([]);
    expect(parseWorkflow(text(30), 'm.yml').problems[0]!.message).to.match(/more than 2097152 characters together/);
  });

  it('keep texts of several lines as they are', () => {
    const run = '  first\n\n    second: "x"\n# third\n';
    const [planned] = one(`env: { A: ${JSON.stringify(run)} }`);
    const env: unknown = workflow(planned!.payload).jobs[0]!.source.env;
    expect(env).to.equal({ A: run });
  });
});

describe('Matrices', () => {
  it('give a job for each combination, in the order of their names', () => {
    expect(names('os: [red, blue]\nsize: [1, 2]')).to.equal([
      'one (blue, 1)',
      'one (blue, 2)',
      'one (red, 1)',
      'one (red, 2)',
    ]);
    expect(names('v: [1.5, true, "x y", 10]')).to.equal(['one (1.5)', 'one (10)', 'one (true)', 'one (x y)']);
    expect(names('size: [1]\nos: [a]')).to.equal(['one (a, 1)']);
    expect(names('v: []')).to.equal([]);
    expect(names('v: [{a: 1}, [2]]')).to.equal(['one ([2])', 'one ({"a":1})']);
  });

  it('leave out what is excluded', () => {
    const base = 'os: [red, blue]\nsize: [1, 2]\nexclude:\n';
    expect(names(`${base}  - { os: red, size: 2 }`)).to.equal(['one (blue, 1)', 'one (blue, 2)', 'one (red, 1)']);
    expect(names(`${base}  - os: red`)).to.equal(['one (blue, 1)', 'one (blue, 2)']);
    expect(names(`${base}  - size: "1"`)).to.have.length(4);
    expect(() => names(`${base}  - shade: dark`)).to.throw(WorkflowError, /"exclude" names "shade"/);
  });

  it('take what is included into combinations that it fits, or beside them', () => {
    const base = 'os: [red, blue]\ninclude:\n';
    expect(names(`${base}  - { os: green, size: 9 }`)).to.equal(['one (blue)', 'one (green, 9)', 'one (red)']);
    expect(names(`${base}  - { os: red, shade: dark }`)).to.equal(['one (blue)', 'one (red, dark)']);
    expect(names(`${base}  - shade: dark`)).to.equal(['one (blue, dark)', 'one (red, dark)']);
    expect(names(`${base}  - shade: dark\n  - { os: red, shade: pale }`)).to.equal([
      'one (blue, dark)',
      'one (red, pale)',
    ]);
    expect(names('include:\n  - { os: red, size: 1 }\n  - { os: blue, size: 2 }')).to.equal([
      'one (blue, 2)',
      'one (red, 1)',
    ]);
    const fruit =
      'fruit: [apple, pear]\nanimal: [cat, dog]\ninclude:\n  - color: green\n  - { color: pink, animal: cat }\n  - { fruit: apple, shape: circle }\n  - { fruit: banana }\n  - { fruit: banana, animal: cat }';
    expect(names(fruit)).to.equal([
      'one (banana)',
      'one (cat, banana)',
      'one (cat, pink, apple, circle)',
      'one (cat, pink, pear)',
      'one (dog, green, apple, circle)',
      'one (dog, green, pear)',
    ]);
  });

  it('name jobs by their own expression, else by their values', () => {
    expect(names('os: [red, blue]', 'name: Paint ${{ matrix.os }}')).to.equal(['Paint blue', 'Paint red']);
    expect(names('os: [red, blue]', 'name: Paint')).to.equal(['Paint (blue)', 'Paint (red)']);
    expect(names(`os: ["${'x'.repeat(300)}"]`)[0]).to.have.length(255);
  });

  it('come from expressions', () => {
    const job = 'strategy:\n  matrix: ${{ fromJSON(vars.M) }}';
    expect(one(job, { vars: { M: '{"a":[1,2]}' } }).map(({ name }) => name)).to.equal(['one (1)', 'one (2)']);
    expect(() => one(job, { vars: { M: '[1]' } })).to.throw(
      WorkflowError,
      /jobs\.one\.strategy\.matrix: a matrix must be a mapping/,
    );
    expect(one('strategy:\n  matrix:\n    a: ${{ fromJSON(vars.L) }}', { vars: { L: '["x"]' } })[0]?.name).to.equal(
      'one (x)',
    );
    expect(() => names('a: text')).to.throw(WorkflowError, /"a" must be a list/);
  });

  it('are refused when they are too many', () => {
    const list = (count: number) => `[${Array.from({ length: count }, (_, i) => i)}]`;
    expect(() => names(`a: ${list(1000)}\nb: ${list(1000)}`)).to.throw(WorkflowError, /more than 4096 combinations/);
    expect(() => names(`a: ${list(300)}`)).to.throw(WorkflowError, /300 combinations/);
    expect(names(`a: ${list(256)}`)).to.have.length(256);
    expect(() => names(`include: [${'{ a: 1 },'.repeat(5000)}]`)).to.throw(WorkflowError, /at most 4096/);
    expect(() => names('a: ${{ fromJSON(vars.X) }}')).to.throw(WorkflowError, /text is empty/);
  });

  it('limit how many run beside each other', () => {
    const limit = (value: string) =>
      strategyOf(
        workflow(
          `on: push\njobs: { a: { runs-on: x, strategy: { max-parallel: ${value}, matrix: { a: [1] } }, steps: [{ run: y }] } }`,
        ).jobs[0]!,
        { contexts: {} },
      ).maxParallel;
    expect(['2', '1.5', '0.5', '"3"', '0', '-1', '"${{ 2 }}"', 'null'].map(limit)).to.equal([
      2,
      1,
      1,
      3,
      undefined,
      undefined,
      2,
      undefined,
    ]);
    const [job] = one('strategy:\n  matrix: { a: [1, 2] }');
    expect(job?.strategy as object).to.equal({ 'fail-fast': true, 'job-index': 0, 'job-total': 2, 'max-parallel': 4 });
  });

  it('U13: strategy counts combinations as the matrix lists them, and evaluates what it says', () => {
    const jobs = one(
      `strategy:
  fail-fast: \${{ inputs.fast }}
  max-parallel: \${{ inputs.most }}
  matrix: { a: [1, 2, 10], b: [y, x], exclude: [{ a: 1, b: y }], include: [{ a: 3, b: z }] }`,
      { inputs: { fast: false, most: 3 } },
    );
    const listed = [...jobs].sort((x, y) => Number(x.strategy['job-index']) - Number(y.strategy['job-index']));
    expect(listed.map(({ name }) => name)).to.equal([
      'one (1, x)',
      'one (2, y)',
      'one (2, x)',
      'one (10, y)',
      'one (10, x)',
      'one (3, z)',
    ]);
    for (const [index, { strategy, maxParallel, payload }] of listed.entries()) {
      expect(strategy as object).to.equal({
        'fail-fast': false,
        'job-index': index,
        'job-total': 6,
        'max-parallel': 3,
      });
      expect(maxParallel).to.equal(3);
      expect(payload).to.contain(`job-index: ${index}\n`).and.to.contain('job-total: 6\n');
    }
  });
});

describe('Payloads', () => {
  const text = `name: Many
run-name: Go \${{ github.actor }}
on: { push: { branches: [main] } }
env: { A: "yes" }
concurrency: x
permissions: { contents: read }
jobs:
  zero: { runs-on: x, steps: [{ run: z }] }
  one:
    needs: [zero]
    if: github.ref == 'x'
    runs-on: \${{ matrix.os }}
    strategy: { fail-fast: false, matrix: { os: [red, blue], size: [1, 2] } }
    continue-on-error: \${{ matrix.size == 2 }}
    timeout-minutes: 3
    outputs: { made: "\${{ steps.a.outputs.made }}" }
    services: { db: { image: pg } }
    env: { B: "\${{ github.sha }}" }
    steps:
      - id: a
        run: echo "\${{ matrix.os }}"
`;
  const planned = planJobs(workflow(text), { github: { actor: 'ada' } }).filter(({ id }) => id === 'one');

  it('have the header and one job with one combination', () => {
    const [first] = planned;
    const { workflow: read, problems } = parseWorkflow(first!.payload, 'p.yml');
    expect(problems).to.equal([]);
    expect(Object.keys(read!.source)).to.equal(['name', 'run-name', 'on', 'env', 'permissions', 'jobs']);
    expect(read?.runName).to.equal('Go ada');
    expect(read?.jobs.map(({ id }) => id)).to.equal(['one']);
    expect(first!.payload).to.not.contain('needs');
    expect(read!.jobs[0]!.source as unknown).to.equal({
      name: 'one (blue, 1)',
      'runs-on': 'blue',
      env: { B: '${{ github.sha }}' },
      if: "github.ref == 'x'",
      steps: [{ id: 'a', run: 'echo "${{ matrix.os }}"' }],
      'timeout-minutes': 3,
      'continue-on-error': false,
      services: { db: { image: 'pg' } },
      strategy: { 'fail-fast': false, 'job-index': 2, 'job-total': 4, matrix: { os: ['blue'], size: [1] } },
      outputs: { made: '${{ steps.a.outputs.made }}' },
    });
    expect(first!.payload.match(/- (red|blue)/g)).to.have.length(1);
    expect(first!.payload.match(/- [12]\n/g)).to.have.length(1);
    expect(first!.payload).to.contain('A: "yes"');
  });

  it('tell what the server needs to know', () => {
    expect(planned.map((job) => [job.name, job.runsOn, job.continueOnError])).to.equal([
      ['one (blue, 1)', ['blue'], false],
      ['one (blue, 2)', ['blue'], true],
      ['one (red, 1)', ['red'], false],
      ['one (red, 2)', ['red'], true],
    ]);
    expect(planned[0] as object).to.include({
      needs: ['zero'],
      timeoutMinutes: 3,
      isCaller: false,
      stepNames: ['Run echo "${{ matrix.os }}"'],
    });
    expect(planned[0]?.permissions?.units.code).to.equal('read');
  });

  it('of jobs that wait for needs are planned when these have ended', () => {
    const read = workflow(`on: push
jobs:
  zero: { runs-on: x, steps: [{ run: z }] }
  one: { needs: zero, runs-on: "\${{ needs.zero.outputs.on }}", strategy: { matrix: { v: "\${{ fromJSON(needs.zero.outputs.list) }}" } }, steps: [{ run: y }] }`);
    const waiting = planJobs(read, {}).find(({ id }) => id === 'one');
    expect(waiting as object).to.include({ isDeferred: true, name: 'one', runsOn: [] });
    const { workflow: stored } = parseWorkflow(waiting!.payload, 'p.yml');
    const needs = { zero: { result: 'success', outputs: { list: '["a","b"]', on: 'red' } } };
    const jobs = planJob(stored!, stored!.jobs[0]!, { needs });
    expect(jobs.map(({ name, runsOn }) => [name, runsOn])).to.equal([
      ['one (a)', ['red']],
      ['one (b)', ['red']],
    ]);
  });

  it('take labels as a text, a list, or a group with labels', () => {
    const labels = (runsOn: string, contexts: Contexts = {}) =>
      planJobs(workflow(`on: push\njobs: { a: { runs-on: ${runsOn}, steps: [{ run: y }] } }`), contexts)[0]?.runsOn;
    expect(labels('linux')).to.equal(['linux']);
    expect(labels('[a, b, a]')).to.equal(['a', 'b']);
    expect(labels('{ group: g, labels: [a, b] }')).to.equal(['g', 'a', 'b']);
    expect(labels('{ labels: a }')).to.equal(['a']);
    expect(labels('"${{ fromJSON(vars.L) }}"', { vars: { L: '["x","y"]' } })).to.equal(['x', 'y']);
    expect(labels('""')).to.equal([]);
    expect(() => labels('[[a]]')).to.throw(WorkflowError, /jobs\.a\.runs-on/);
  });

  it('LIM-08: are 256 for one run at most', () => {
    const many = Array.from(
      { length: 30 },
      (_, i) => `  j${i}: { runs-on: x, strategy: { matrix: { v: [1,2,3,4,5,6,7,8,9,10] } }, steps: [{ run: y }] }`,
    );
    expect(() => planJobs(workflow(`on: push\njobs:\n${many.join('\n')}`), {})).to.throw(
      WorkflowError,
      /more than 256 jobs/,
    );
  });
});

describe('Names, titles and groups', () => {
  it('of steps follow their name, command or action', () => {
    const step = (part: object) => stepName({ source: {}, ...part });
    expect(step({ name: 'Own', run: 'x' })).to.equal('Own');
    expect(step({ run: '\n echo a\necho b' })).to.equal('Run echo a');
    expect(step({ uses: 'actions/checkout@v4' })).to.equal('Run actions/checkout@v4');
    expect(step({ id: 'x' })).to.equal('Run x');
    expect(step({ run: 'y'.repeat(400) })).to.have.length(255);
  });

  it('of runs come from run-name', () => {
    const title = (name: string) =>
      runTitle(workflow(`on: push\nrun-name: ${name}\njobs: { a: { runs-on: x, steps: [{ run: y }] } }`), {
        github: { actor: 'ada' },
      });
    expect(title('By ${{ github.actor }}')).to.equal('By ada');
    expect(title('${{ github.missing }}')).to.be.undefined();
    expect(() => title('${{ success() }}')).to.throw(WorkflowError, /^run-name: /);
  });

  it('of concurrency are evaluated', () => {
    const group = (raw: { group: string; cancelInProgress: string | boolean }) =>
      evaluateConcurrency(raw, { github: { ref: 'r' }, inputs: { stop: 'true' } });
    expect(group({ group: 'g-${{ github.ref }}', cancelInProgress: true })).to.equal({
      group: 'g-r',
      cancelInProgress: true,
    });
    expect(group({ group: 'g', cancelInProgress: "${{ inputs.stop == 'true' }}" })?.cancelInProgress).to.be.true();
    expect(group({ group: 'g', cancelInProgress: 'yes' })?.cancelInProgress).to.be.false();
    expect(group({ group: '${{ github.missing }}', cancelInProgress: true })).to.be.undefined();
    expect(evaluateConcurrency(undefined, {})).to.be.undefined();
  });
});
