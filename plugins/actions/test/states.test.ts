import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { aggregate, apiStatus, isFinal, runAction, statusNumbers, statusNames, type StatusName } from '../api.js';
import { checkFolders, type ActionsSettings } from '../settings.js';

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
