import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { SourceIssue } from '../contract/records.js';
import { IssueNames } from '../dump/issue-names.js';
import { checkRecord, issueOfRecord, issueSchema, issueToRecord } from '../dump/records.js';

export const lab = Lab.script();
const { describe, it } = lab;

const issue: SourceIssue = {
  number: 1,
  title: 'squeaks',
  body: '',
  author: { id: 7, name: 'eve' },
  isClosed: true,
  isLocked: false,
  labels: [],
  assignees: [],
  reactions: [],
  createdAt: Date.UTC(2024, 2, 1),
  updatedAt: Date.UTC(2024, 2, 2),
  closedAt: Date.UTC(2024, 2, 3),
  startAt: Date.UTC(2024, 3, 1),
  dueAt: Date.UTC(2024, 4, 1, 12),
};
const restored = (changes: Partial<SourceIssue> = {}): SourceIssue => {
  const record = issueToRecord({ ...issue, ...changes }, new IssueNames());
  return issueOfRecord(checkRecord(issueSchema, record, 'issue.yml', true));
};

describe('records of dumps', () => {
  it('MIG-02: an issue comes back from a dump with all its times', () => {
    expect(restored()).to.include({ ...issue, ref: '' });
  });

  it('MIG-02: times that no document can hold are left out, and the dump can be restored', () => {
    for (const time of [Date.UTC(12_000, 0), 8_640_000_000_000_001, Infinity, Number.NaN, -1])
      for (const name of ['createdAt', 'updatedAt', 'closedAt', 'startAt', 'dueAt'] as const)
        expect(restored({ [name]: time })[name], `${name} ${time}`).to.be.undefined();
  });
});
