import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import {
  dispatchInputs,
  parseWorkflow,
  problemText,
  typedInputs,
  type Job,
  type ValueMap,
} from '../../workflow/index.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const head = 'on: push\n';
const told = (text: string): string[] => parseWorkflow(text, 'a.yml').problems.map(problemText);
const errors = (text: string): string[] => told(text).filter((line) => !line.includes('warning: '));
const jobs = (text: string): readonly Job[] => parseWorkflow(head + text, 'a.yml').workflow?.jobs ?? [];

describe('Workflow files', () => {
  it('are read whole', () => {
    const { workflow, problems, name } = parseWorkflow(
      `name: Build
run-name: By \${{ github.actor }}
on:
  push: { branches: main }
  schedule: [{ cron: '5 4 * * *', timezone: Europe/Berlin }]
  workflow_dispatch:
    inputs:
      colour: { type: choice, options: [red, blue], required: true, default: red, description: Which }
      loud: { type: boolean }
env: { A: 1 }
permissions: { contents: read, id-token: write }
concurrency: { group: 'x-\${{ github.ref }}', cancel-in-progress: true }
defaults: { run: { shell: sh } }
jobs:
  one:
    name: First
    runs-on: [linux, red]
    if: github.ref == 'refs/heads/main'
    timeout-minutes: 5
    outputs: { made: '\${{ steps.a.outputs.made }}' }
    strategy: { matrix: { os: [a, b] }, max-parallel: 2, fail-fast: false }
    steps:
      - id: a
        run: |
          echo one
          echo two
      - uses: actions/checkout@v4
        name: Fetch
  two: { needs: one, uses: ./.gitea/workflows/x.yml, with: { a: b }, secrets: inherit }
`,
      'build.yml',
    );
    expect(problems).to.equal([]);
    expect(name).to.equal('Build');
    expect(workflow?.runName).to.equal('By ${{ github.actor }}');
    expect(workflow?.on.map(({ event }) => event)).to.equal(['push', 'schedule', 'workflow_dispatch']);
    expect(workflow?.on[0]?.branches).to.equal(['main']);
    expect(workflow?.on[1]?.crons).to.equal([{ cron: '5 4 * * *', timezone: 'Europe/Berlin' }]);
    expect(workflow?.on[2]?.inputs?.[0] as object).to.equal({
      name: 'colour',
      type: 'choice',
      required: true,
      default: 'red',
      description: 'Which',
      options: ['red', 'blue'],
    });
    expect(workflow?.permissions?.units.code).to.equal('read');
    expect(workflow?.permissions?.idToken).to.be.true();
    expect(workflow?.concurrency as unknown).to.equal({ group: 'x-${{ github.ref }}', cancelInProgress: true });
    const [one, two] = workflow!.jobs;
    expect(one as object).to.include({
      id: 'one',
      name: 'First',
      runsOn: ['linux', 'red'],
      timeoutMinutes: 5,
      line: 15,
    });
    expect(one?.steps.map(({ id, run, uses }) => id ?? uses ?? run)).to.equal(['a', 'actions/checkout@v4']);
    expect(two as object).to.include({
      needs: ['one'],
      uses: './.gitea/workflows/x.yml',
      with: { a: 'b' },
      secrets: 'inherit',
    });
  });

  it('know anchors, aliases, merge keys and words of YAML 1.1', () => {
    const [job] = jobs(
      'jobs:\n  a:\n    runs-on: x\n    env: &e { A: yes, B: on }\n    steps:\n      - run: y\n        env: { <<: *e, B: c }\n',
    );
    expect(job?.steps[0]?.source as unknown).to.equal({ run: 'y', env: { B: 'c', A: 'yes' } });
  });

  it('name line and column of what is wrong', () => {
    expect(errors('on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - name: none\n')).to.equal([
      'a.yml:6:9: step 1 of job "a" has neither "run" nor "uses"',
    ]);
    expect(
      errors('on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ github.ref == }}\n')[0],
    ).to.match(/^a\.yml:6:14: the expression ends too early/);
    expect(errors('on: [push\njobs: {}\n')[0]).to.match(/^a\.yml:2:\d+: /);
    expect(errors('on: push\njobs:\n  a:\n\tx: y\n')[0]).to.match(/^a\.yml:4:\d+: /);
  });

  it('are refused for faults of structure', () => {
    const faults: readonly (readonly [string, RegExp])[] = [
      ['', /the file is empty/],
      ['- a', /must be a mapping/],
      ['jobs: { a: { runs-on: x, steps: [] } }', /no "on"/],
      ['on: push', /no "jobs"/],
      ['on: push\njobs: {}', /no jobs/],
      ['on: push\njobs: []', /"jobs" must be a mapping/],
      ['on: []\njobs: { a: { runs-on: x } }', /names no event/],
      ['on: push\non: pull_request\njobs: { a: { runs-on: x } }', /stands twice/],
      ['on: push\njobs: { 1a: { runs-on: x } }', /is no id of a job/],
      ['on: push\njobs: { a: { needs: b } }', /needs "b", which is no job/],
      ['on: push\njobs: { a: { needs: a } }', /waits for it/],
      ['on: push\njobs: { a: { needs: c }, b: { needs: a }, c: { needs: b } }', /waits for it/],
      ['on: push\njobs: { a: { if: "x ==" } }', /there is no context "x"/],
      ['on: push\njobs: { a: { uses: ./x.yml, steps: [{ run: x }] } }', /both "uses" and "steps"/],
      ['on: push\njobs: { a: { steps: [{ run: x, uses: y }] } }', /both "run" and "uses"/],
      ['on: push\njobs: { a: { steps: [{ run: x, id: s }, { run: x, id: S }] } }', /have the id/],
      ['on: push\njobs: { a: { steps: { run: x } } }', /must be a list/],
      ['on: push\njobs: { a: { strategy: { matrix: [1] } } }', /must be a mapping/],
      ['on: push\njobs: { a: { secrets: [x] } }', /mapping or "inherit"/],
      ['on: { workflow_call: { inputs: { a: { type: list } } } }\njobs: { a: { runs-on: x } }', /needs a type/],
      ['on: push\nconcurrency: { cancel-in-progress: true }\njobs: { a: { runs-on: x } }', /has no group/],
      ['on: push\njobs: *none', /no anchor|Unresolved alias/],
      ['on: push\njobs: { a: !x }', /a\.yml/],
    ];
    for (const [text, wanted] of faults) expect(told(text).join('\n'), text).to.match(wanted);
  });

  it('are taken with a warning where only a part is strange', () => {
    const text =
      'on: { push: { brunches: x }, party: null }\ncolour: red\npermissions: { ink: write }\njobs: { a: { runs-on: x, stepps: [] } }';
    expect(parseWorkflow(text, 'a.yml').workflow).to.exist();
    expect(told(text).map((line) => line.replace(/^.*warning: /, ''))).to.equal([
      '"push" has no filter "brunches": the entry never matches',
      '"party" is no event',
      'a workflow has no key "colour"',
      'there is no permission "ink"',
      'job "a" has no steps',
      'job "a" has no key "stepps"',
    ]);
  });

  it('give the name of a broken file', () => {
    const { name, workflow } = parseWorkflow('name: Broken\non: push\n', 'a.yml');
    expect([name, workflow]).to.equal(['Broken', undefined]);
  });
});

describe('Bombs in workflow files', () => {
  const took = (work: () => void): number => {
    const started = process.cpuUsage();
    work();
    return process.cpuUsage(started).user / 1e6;
  };

  it('are refused within seconds and without falling over', () => {
    let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n';
    for (let i = 1; i < 20; i++)
      bomb += `a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]\n`;
    const files: readonly (readonly [string | Uint8Array, RegExp])[] = [
      [bomb, /more than 100000 values/],
      ['['.repeat(500_000), /nested/],
      ['{a: '.repeat(200_000), /nested/],
      ['- '.repeat(400_000), /nested/],
      [Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /nested/],
      ['x: &x [*x]', /nested deeper|no anchor|Unresolved/],
      [`a: ${'x'.repeat(1_048_577)}`, /larger than/],
      [new Uint8Array([0x6f, 0xff, 0xfe]), /UTF-8/],
      ['on: push\njobs: { a: { steps: [{ run: x }] } }\u0000', /a\.yml/],
      [
        `on: push\njobs:\n${Array.from({ length: 300 }, (_, i) => `  j${i}: { runs-on: x, steps: [{ run: y }] }`).join('\n')}`,
        /more than 256 jobs/,
      ],
    ];
    for (const [text, wanted] of files) {
      let all = '';
      expect(took(() => (all = parseWorkflow(text, 'a.yml').problems.map(problemText).join('\n')))).to.be.below(20);
      expect(all, String(text).slice(0, 60)).to.match(wanted);
      expect(all.length).to.be.below(100_000);
    }
  });

  it('are read in time when they are only large', () => {
    const many = `on: push\nenv:\n${Array.from({ length: 30_000 }, (_, i) => `  K${i}: v`).join('\n')}\njobs: { a: { runs-on: x, steps: [{ run: y }] } }`;
    expect(took(() => expect(parseWorkflow(many, 'a.yml').workflow).to.exist())).to.be.below(20);
  });

  it('hide no keys of objects', () => {
    const { workflow } = parseWorkflow(
      'on: push\nenv: { __proto__: x, constructor: y }\njobs: { a: { runs-on: x, steps: [{ run: y }] } }',
      'a.yml',
    );
    expect(Object.keys(workflow!.env)).to.equal(['__proto__', 'constructor']);
    expect(({} as { x?: string }).x).to.be.undefined();
  });
});

describe('Inputs of workflow_dispatch', () => {
  const { workflow } = parseWorkflow(
    `on:
  workflow_dispatch:
    inputs:
      who: { required: true }
      where: {}
      colour: { type: choice, options: [red, blue], default: red }
      loud: { type: boolean, default: false }
      times: { type: number, default: 3 }
jobs: { a: { runs-on: x, steps: [{ run: y }] } }`,
    'a.yml',
  );

  it('are texts, only those declared, with their defaults', () => {
    const { inputs, problems } = dispatchInputs(workflow!, { who: 'Ada', loud: true, times: 7, other: 'x' });
    expect(inputs).to.equal({ who: 'Ada', where: '', colour: 'red', loud: 'true', times: '7' });
    expect(problems).to.equal([]);
  });

  it('U13: have the declared types in the context inputs, from texts, values and defaults', () => {
    const typed = (given: ValueMap, event = 'workflow_dispatch'): object => typedInputs(workflow!, event, given);
    const rest = { who: '', where: '', colour: 'red' };
    expect(typed({})).to.equal({ ...rest, loud: false, times: 3 });
    expect(typed({ who: 'Ada', loud: 'false', times: '1.50' })).to.equal({
      ...rest,
      ...{ who: 'Ada', loud: false, times: 1.5 },
    });
    expect(typed({ who: '1', loud: 'true', times: 'x' })).to.equal({ ...rest, who: '1', loud: true, times: 0 });
    expect(typed({ loud: true, times: 7 })).to.equal({ ...rest, loud: true, times: 7 });
    // that of other events are none
    expect(typed({ loud: 'true' }, 'push')).to.equal({ loud: 'true' });
    expect(typed({}, 'push')).to.equal({});
  });

  it('U13: defaults of texts and choices are what was written, as options are', () => {
    const { workflow: dispatched } = parseWorkflow(
      `on:
  workflow_dispatch:
    inputs:
      choice: { type: choice, options: [1.9, 1.10], default: 1.10 }
      text: { default: 1.10 }
      zeros: { type: string, default: 007 }
      word: { type: string, default: True }
      none: { type: string, default: null }
      count: { type: number, default: 1.10 }
  workflow_call: { inputs: { version: { type: string, default: 3.10 } } }
jobs: { a: { runs-on: x, steps: [{ run: y }] } }`,
      'a.yml',
    );
    const { inputs, problems } = dispatchInputs(dispatched!, {});
    expect(problems).to.equal([]);
    expect(inputs).to.equal({ choice: '1.10', text: '1.10', zeros: '007', word: 'True', none: '', count: '1.1' });
    const called = dispatched!.on.find(({ event }) => event === 'workflow_call')!;
    expect(called.inputs![0]!.default as string).to.equal('3.10');
  });

  it('U13: numbers that are none for JSON are refused', () => {
    const problems = (times: string) => dispatchInputs(workflow!, { who: 'a', times }).problems;
    for (const times of ['Infinity', '-Infinity', 'NaN', '1e999']) expect(problems(times)).to.have.length(1);
    for (const times of ['0', '-1.5', '1e3', '0x10']) expect(problems(times)).to.equal([]);
  });

  it('tell what does not fit', () => {
    expect(dispatchInputs(workflow!, { colour: 'green', loud: 'maybe', times: 'x' }).problems).to.equal([
      'input "who" is required',
      'input "colour" must be one of red, blue',
      'input "loud" must be true or false',
      'input "times" must be a number',
    ]);
  });
});
