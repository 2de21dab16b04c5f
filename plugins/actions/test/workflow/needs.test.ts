import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import {
  aggregateNeed,
  bindCall,
  callOutputs,
  callTarget,
  effectivePermissions,
  jobsContext,
  parseWorkflow,
  shouldRun,
  WorkflowError,
  type DeclaredPermissions,
  type NeedResult,
  type Result,
  type Workflow,
} from '../../workflow/index.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const read = (text: string): Workflow => parseWorkflow(text, 'c.yml').workflow!;

describe('Jobs that wait for others', () => {
  const graph: Record<string, readonly string[]> = { fails: ['first'], skipped: ['fails'], first: [], also: [] };
  const results: Record<string, Result> = {
    first: 'success',
    fails: 'failure',
    skipped: 'skipped',
    also: 'success',
    stopped: 'cancelled',
  };
  const ended = new Map<string, NeedResult>(
    Object.entries(results).map(([id, result]) => [id, { result, outputs: { go: 'yes' } }]),
  );
  const runs = (needs: readonly string[], condition?: string, cancelled = false) =>
    shouldRun(
      { id: 'j', needs, if: condition },
      { ended, needsOf: (id) => graph[id] ?? [], cancelled, contexts: { vars: { A: 'a' } } },
    );

  it('run when all of them went well, unless they say otherwise', () => {
    expect(runs(['first'])).to.be.true();
    expect(runs(['first', 'also'])).to.be.true();
    for (const need of ['fails', 'skipped', 'stopped']) {
      expect(runs([need]), need).to.be.false();
      expect(runs([need], "vars.A == 'a'"), need).to.be.false();
      expect(runs([need], 'always()'), need).to.be.true();
      expect(runs([need], '!cancelled()'), need).to.be.true();
    }
    expect(runs([], undefined)).to.be.true();
    expect(runs(['first'], "needs.first.outputs.go == 'no'")).to.be.false();
    expect(runs(['first'], "${{ needs.first.outputs.go == 'yes' }}")).to.be.true();
  });

  it('see a need that was skipped in the same pass', () => {
    expect(runs(['skipped'], "always() && needs.skipped.result == 'skipped'")).to.be.true();
  });

  it('see a failure behind a need that was skipped', () => {
    expect(runs(['fails'], 'failure()')).to.be.true();
    expect(runs(['skipped'], 'failure()')).to.be.true();
    expect(runs(['first'], 'failure()')).to.be.false();
    expect(runs(['also', 'first'], 'success() || failure()')).to.be.true();
  });

  it('know of a cancelled run', () => {
    expect(runs(['first'], undefined, true)).to.be.false();
    expect(runs(['first'], 'cancelled()', true)).to.be.true();
    expect(runs(['first'], 'always()', true)).to.be.true();
  });

  it('tell where their condition cannot be evaluated', () => {
    expect(() => runs(['first'], 'fromJSON(vars.A)')).to.throw(
      WorkflowError,
      /^jobs\.j\.if: fromJSON\(\): the text is no JSON$/,
    );
    expect(() => runs(['first'], "hashFiles('a')")).to.throw(WorkflowError, /^jobs\.j\.if: /);
  });

  it('are told one result and all outputs of a matrix', () => {
    const of = (...list: readonly (readonly [Result, boolean?, object?])[]) =>
      aggregateNeed(
        list.map(([result, continueOnError = false, outputs = {}]) => ({
          result,
          continueOnError,
          outputs: outputs as Record<string, string>,
        })),
      );
    expect(of(['success'], ['success']).result).to.equal('success');
    expect(of(['success'], ['failure']).result).to.equal('failure');
    expect(of(['success'], ['failure', true]).result).to.equal('success');
    expect(of(['skipped'], ['skipped']).result).to.equal('skipped');
    expect(of(['skipped'], ['success']).result).to.equal('success');
    expect(of(['cancelled'], ['failure']).result).to.equal('cancelled');
    expect(of(['success', false, { a: 'x', b: '' }], ['success', false, { a: '', b: 'y' }]).outputs).to.equal({
      a: 'x',
      b: 'y',
    });
    expect(of(['success', false, { a: 'x' }], ['success', false, { a: 'z' }]).outputs).to.equal({ a: 'z' });
  });
});

describe('Workflows that are called', () => {
  const callee = read(`on:
  workflow_call:
    inputs:
      colour: { type: string, required: true }
      loud: { type: boolean, default: false }
      times: { type: number, default: 2 }
      note: { type: string }
    secrets:
      key: { required: false }
      MUST: { required: true }
    outputs:
      paint: { value: "\${{ jobs.mix.outputs.paint }}" }
      plain: { value: text }
jobs: { mix: { runs-on: x, steps: [{ run: y }] } }`);
  const bind = (more: string, contexts = {}) =>
    bindCall(
      read(`on: push\njobs:\n  call:\n    uses: ./x.yml\n${more.replace(/^/gm, '    ')}`).jobs[0]!,
      callee,
      contexts,
    );

  it('get typed inputs, with defaults', () => {
    expect(bind('with: { colour: red }\nsecrets: inherit')).to.equal({
      inputs: { colour: 'red', loud: false, times: 2, note: '' },
      secrets: 'inherit',
    });
    const { inputs } = bind(
      'with: { Colour: "${{ github.ref_name }}", loud: true, times: "${{ fromJSON(vars.N) }}", other: x }\nsecrets: inherit',
      { github: { ref_name: 'main' }, vars: { N: '7' } },
    );
    expect(inputs).to.equal({ colour: 'main', loud: true, times: 7, note: '' });
  });

  it('get secrets by name', () => {
    expect(
      bind('with: { colour: red }\nsecrets: { must: "${{ secrets.Other }}", KEY: "${{ secrets[\'x\'] }}" }').secrets,
    ).to.equal({ MUST: 'OTHER', KEY: 'X' });
  });

  it('refuse what does not fit', () => {
    const refused = (more: string, wanted: RegExp) => expect(() => bind(more), more).to.throw(WorkflowError, wanted);
    refused('secrets: inherit', /required input "colour" is missing/);
    refused('with: { colour: x, loud: "true" }\nsecrets: inherit', /"loud" must be a boolean/);
    refused('with: { colour: x, times: "7" }\nsecrets: inherit', /"times" must be a number/);
    refused('with: { colour: [x] }\nsecrets: inherit', /"colour" must be a text/);
    refused('with: { colour: x }', /required secret "MUST" is missing/);
    refused(
      'with: { colour: x }\nsecrets: { MUST: "${{ secrets.A }}", NEW: "${{ secrets.A }}" }',
      /declares no secret "NEW"/,
    );
    for (const value of [
      'plain',
      '"${{ vars.A }}"',
      '"x${{ secrets.A }}"',
      '"${{ secrets.A }}${{ secrets.B }}"',
      '"${{ secrets.A || \'x\' }}"',
    ])
      refused(`with: { colour: x }\nsecrets: { MUST: ${value} }`, /must be \$\{\{ secrets\.NAME \}\}/);
    const plain = read('on: push\njobs: { a: { runs-on: x, steps: [{ run: y }] } }');
    expect(() => bindCall(plain.jobs[0]!, plain, {})).to.throw(WorkflowError, /no "on.workflow_call"/);
  });

  it('give outputs of their jobs', () => {
    const jobs = jobsContext(new Map([['mix', { result: 'success', outputs: { paint: 'thick' } }]]));
    expect(callOutputs(callee, { jobs })).to.equal({ paint: 'thick', plain: 'text' });
    expect(callOutputs(callee, { jobs: {} })).to.equal({ paint: '', plain: 'text' });
  });

  it('are found in workflow folders only', () => {
    const options = { rootUrl: 'https://git.example/sub/', folders: ['.gitea/workflows', '.github/workflows/'] };
    const target = (uses: string) => callTarget(uses, options);
    const far = { kind: 'repository', owner: 'ada', repository: 'mill', path: '.gitea/workflows/a.yml', ref: 'v1/x' };
    expect(target('./.gitea/workflows/below/a.yaml')).to.equal({
      kind: 'local',
      path: '.gitea/workflows/below/a.yaml',
    });
    expect(target('ada/mill/.gitea/workflows/a.yml@v1/x') as object).to.equal(far);
    expect(target('https://git.example/sub/ada/mill/.gitea/workflows/a.yml@v1/x') as object).to.equal(far);
    for (const uses of [
      'https://other.example/ada/mill/.gitea/workflows/a.yml@v1',
      './a.yml',
      './.gitea/workflows/../a.yml',
      './.gitea/workflows/a.sh',
      './.gitea/workflows/a.yml@v1',
      'ada/mill/.gitea/workflows/a.yml',
      'ada/mill@v1',
      'ada/mill/src/a.yml@v1',
      '/.gitea/workflows/a.yml',
      './.gitea/workflows//a.yml',
      './.gitea/workflowsx/a.yml',
      '',
    ])
      expect(() => target(uses), uses).to.throw(WorkflowError);
  });
});

describe('Permissions of a job', () => {
  const declared = (text: string): DeclaredPermissions | undefined =>
    read(`on: push\npermissions: ${text}\njobs: { a: { runs-on: x, steps: [{ run: y }] } }`).permissions;
  const shown = (text: string): string =>
    Object.entries(declared(text)!.units)
      .filter(([, mode]) => mode !== 'none')
      .map(([unit, mode]) => `${unit}:${mode}`)
      .join(' ');

  it('are read as declared', () => {
    expect(shown('read-all').split(' ')).to.have.length(8);
    expect(shown('write-all')).to.contain('wiki:write');
    for (const none of ['{}', 'none', 'null', '[contents]', 'write']) expect(shown(none), none).to.equal('');
    expect(shown('{ contents: write }')).to.equal('code:write releases:write');
    expect(shown('{ contents: write, releases: none, issues: read }')).to.equal('code:write issues:read');
    expect(shown('{ code: read, pull-requests: write, id-token: write, statuses: write, contents: admin }')).to.equal(
      'code:read pull-requests:write',
    );
    expect([
      declared('{ id-token: write }')?.idToken,
      declared('{ id-token: read }')?.idToken,
      declared('write-all')?.idToken,
    ]).to.equal([true, false, true]);
  });

  it('are limited by configuration, fork and target', () => {
    const none = declared('{}')!.units;
    const write = declared('write-all')!;
    const of = (facts: Partial<Parameters<typeof effectivePermissions>[0]>) => {
      const table = effectivePermissions({ mode: 'permissive', isForkOrOther: false, ...facts });
      return [table.code, table.issues, table.packages].join(' ');
    };
    expect(of({})).to.equal('write write write');
    expect(of({ mode: 'restricted' })).to.equal('read none read');
    expect(of({ mode: 'restricted', declared: write })).to.equal('write write write');
    expect(of({ declared: declared('{ contents: read }') })).to.equal('read none none');
    expect(of({ ceiling: { ...none, code: 'read' } })).to.equal('read none none');
    expect(of({ declared: write, isForkOrOther: true })).to.equal('read none read');
    expect(of({ isForkOrOther: true, targetCeiling: { ...none, packages: 'write' } })).to.equal('none none read');
    expect(of({ declared: declared('{}'), readableByAnyone: ['code', 'issues'] })).to.equal('read read none');
  });
});
