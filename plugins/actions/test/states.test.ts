import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { statusNumbers } from '../api.js';
import { aggregate, apiStatus, isFinal, runAction, statusNames, type StatusName } from '../contract/states.js';
import { selected } from '../services/runs/rerun-service.js';
import type { JobRow } from '../models/job.js';
import { actionsUrlProblem, checkFolders, type ActionsSettings } from '../settings.js';

export const lab = Lab.script();
const { describe, it } = lab;

const sum = (...names: readonly (StatusName | `${StatusName}?`)[]) =>
  statusNames[
    aggregate(
      names.map((name) => ({
        status: statusNumbers[name.replace('?', '') as StatusName],
        continueOnError: name.endsWith('?'),
      })),
    )
  ];

describe('how runs stand', () => {
  it('is the sum of their jobs, by the first rule that holds', () => {
    expect(sum()).to.equal('unknown');
    expect(sum('skipped', 'skipped')).to.equal('skipped');
    expect(sum('success', 'skipped', 'failure?')).to.equal('success');
    expect(sum('cancelling', 'running', 'waiting')).to.equal('cancelling');
    expect(sum('failure', 'running', 'waiting')).to.equal('running');
    expect(sum('failure', 'waiting', 'blocked')).to.equal('waiting');
    expect(sum('blocked', 'cancelled')).to.equal('blocked');
    expect(sum('failure', 'cancelled')).to.equal('cancelled');
    expect(sum('failure', 'success')).to.equal('failure');
  });

  it('is said in the words of the REST surface and of webhooks (ACT-26, ACT-28, ACT-29)', () => {
    const said = Object.values(statusNumbers).map((status) => Object.values(apiStatus(status)).join('/'));
    expect(said).to.equal([
      'unknown/',
      'completed/success',
      'completed/failure',
      'completed/cancelled',
      'completed/skipped',
      'queued/',
      'in_progress/',
      'waiting/',
      'in_progress/',
    ]);
    expect([5, 7, 6, 8, 1].map(runAction)).to.equal([
      'requested',
      'requested',
      'in_progress',
      'in_progress',
      'completed',
    ]);
    expect([1, 2, 3, 4, 5, 8].map(isFinal)).to.equal([true, true, true, true, false, false]);
  });
});

describe('what runs again', () => {
  const row = (id: number, status: StatusName, parent = 0, needs: readonly string[] = []) =>
    ({ id, job_id: `j${id}`, status: statusNumbers[status], parent_job_id: parent, needs }) as unknown as JobRow;
  // caller 1 calls 2, which calls 3 and 4, and 5 needs 3; 6 needs the outer caller
  const jobs = [
    row(1, 'failure'),
    row(2, 'failure', 1),
    row(3, 'failure', 2),
    row(4, 'success', 2),
    row(5, 'skipped', 2, ['j3']),
    row(6, 'skipped', 0, ['j1']),
    row(7, 'success'),
  ];
  const again = (which: Parameters<typeof selected>[1]) => {
    const found = selected(jobs, which);
    return [[...found.again].sort(), [...found.above].sort()];
  };

  it('is what failed and what follows from it, below a nested caller too, and no sibling that passed (ACT-38)', () => {
    expect(again({ what: 'failed' })).to.equal([
      [3, 5, 6],
      [1, 2],
    ]);
    expect(again({ what: 'job', jobId: 4 })).to.equal([
      [4, 6],
      [1, 2],
    ]);
    expect(again({ what: 'job', jobId: 7 })).to.equal([[7], []]);
    expect(again({ what: 'all' })).to.equal([[1, 6, 7], []]);
    expect(() => selected([row(1, 'success')], { what: 'failed' })).to.throw(/no failed jobs/);
    expect(() => selected(jobs, { what: 'job', jobId: 8 })).to.throw();
  });
});

describe('where actions come from', () => {
  it('is one of two places, and another address is told', () => {
    const problem = (url: string) => actionsUrlProblem({ DEFAULT_ACTIONS_URL: url } as ActionsSettings);
    expect([problem('github'), problem('self')]).to.equal([undefined, undefined]);
    expect(problem('https://code.example.com')).to.match(/DEFAULT_ACTIONS_URL: https:\/\/code/);
  });
});

describe('folders of workflows', () => {
  const settings = (own: string, scoped: string) =>
    ({ WORKFLOW_DIRS: [own], SCOPED_WORKFLOW_DIRS: [scoped] }) as unknown as ActionsSettings;

  it('do not lie in one another (LIM-06)', () => {
    expect(() => checkFolders(settings('a/flows', 'a/scoped'))).not.to.throw();
    expect(() => checkFolders(settings('a/flows', 'a/flows'))).to.throw(/SCOPED_WORKFLOW_DIRS: a\/flows and a\/flows/);
    expect(() => checkFolders(settings('a', 'a/scoped'))).to.throw(/SCOPED/);
    expect(() => checkFolders(settings('a/b', 'a'))).to.throw(/SCOPED/);
    expect(() =>
      checkFolders({ WORKFLOW_DIRS: [], SCOPED_WORKFLOW_DIRS: [] } as unknown as ActionsSettings),
    ).to.throw();
  });
});
