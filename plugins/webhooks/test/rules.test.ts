import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Encryption, type PointReader } from '@mortise/plugin-sdk';
import type { ActivityEventKind } from '@mortise/activity-events/api';
import { checkBranchFilter, matchesBranch } from '../services/branch-filter.js';
import { EventNames } from '../services/event-names.js';

export const lab = Lab.script();
const { describe, it } = lab;

const reader = (...given: Pick<ActivityEventKind, 'key' | 'label' | 'inputs'>[]): PointReader<ActivityEventKind> => {
  const kinds = given.map((kind) => ({ describe: async () => undefined, payload: async () => undefined, ...kind }));
  return { list: () => kinds, get: (key) => kinds.find((kind) => kind.key === key), ownerOf: () => 'test' };
};

describe('the branch filter (HOK-06, HOK-07)', () => {
  const cases: [string, string, boolean][] = [
    ['', 'refs/heads/main', true],
    ['*', 'refs/tags/v1', true],
    ['**', 'refs/heads/a/b', true],
    ['main', 'refs/heads/main', true],
    ['main', 'refs/tags/main', false],
    ['refs/heads/*', 'refs/heads/main', true],
    ['refs/heads/*', 'refs/tags/v1', false],
    ['refs/tags/v*', 'refs/tags/v1.0', true],
    ['release/*', 'refs/heads/release/1', true],
    ['release/*', 'refs/heads/release/1/x', true],
    ['release/**', 'refs/heads/release/1/x', true],
    ['{main,release/*}', 'refs/heads/release/7', true],
    ['{main,release/*}', 'refs/heads/side', false],
    ['v[0-9]', 'refs/heads/v7', true],
    ['v[!0-9]', 'refs/heads/v7', false],
    ['a.c', 'refs/heads/abc', false],
  ];
  for (const [filter, ref, expected] of cases) {
    it(`${filter || '(empty)'} ${expected ? 'takes' : 'leaves'} ${ref}`, () => {
      expect(matchesBranch(filter, ref)).to.equal(expected);
    });
  }

  it('a branch filter that is no glob is refused', () => {
    expect(() => checkBranchFilter('{main')).to.throw(/glob/);
    expect(() => checkBranchFilter('[')).to.throw(/glob/);
  });
});

describe('names of events (HOK-27)', () => {
  it('knows no names that every object has', () => {
    expect(new EventNames(reader()).normalize(['__proto__', 'constructor', 'wiki'])).to.equal(['wiki']);
  });

  it('means push when nothing known is given', () => {
    const names = new EventNames(reader());
    expect(names.normalize(undefined)).to.equal(['push']);
    expect(names.normalize([])).to.equal(['push']);
    expect(names.normalize(['nonsense'])).to.equal([]);
    expect(names.normalize(['PUSH', 'Issue_Label'])).to.equal(['push', 'issue_label']);
  });

  it('the name of a group of events stands for all of them', () => {
    const names = new EventNames(reader());
    expect(names.normalize(['issues'])).to.equal([
      'issues',
      'issue_assign',
      'issue_label',
      'issue_milestone',
      'issue_comment',
    ]);
    expect(names.normalize(['issues_only', 'pull_request_review'])).to.equal(['issues', 'pull_request_review']);
    expect(names.normalize(['pull_request'])).to.include(['pull_request_sync', 'pull_request_review']);
  });

  it('takes events of further plugins', () => {
    const names = new EventNames(reader({ key: 'star', label: 'Star', inputs: ['social'] }));
    expect(names.normalize(['star', 'push'])).to.equal(['push', 'star']);
    expect(names.normalize(['social'])).to.equal(['star']);
  });

  it('lets the whole review stand for its parts', () => {
    expect(EventNames.wants(['pull_request_review'], 'pull_request_review_approved')).to.be.true();
    expect(EventNames.wants(['pull_request_review'], 'pull_request_review_request')).to.be.false();
  });
});

describe('kept secrets', () => {
  it('come back, differ each time, and are empty under another key', () => {
    const encryption = new Encryption(Buffer.alloc(32, 1));
    const sealed = encryption.encrypt('hush');
    expect(sealed).to.not.include('hush');
    expect(encryption.encrypt('hush')).to.not.equal(sealed);
    expect(encryption.decrypt(sealed)).to.equal('hush');
    expect(new Encryption(Buffer.alloc(32, 2)).decrypt(sealed)).to.equal('');
    expect(encryption.encrypt('')).to.equal('');
  });
});
