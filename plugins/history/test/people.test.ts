/** Whose the addresses in commits are. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import { commitAuthorsRef } from '../services/commit-authors.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const by = (...emails: string[]): Commit[] =>
  emails.map((email) => ({ author: { email }, committer: { email: '' } }) as unknown as Commit);

describe('people of commits', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['history'] });
  });
  after(() => host.close());

  it('are asked for once, and again when accounts or addresses have changed', async () => {
    const accounts = host.services.get(accountsRef);
    const people = host.services.get(commitAuthorsRef);
    const { byEmails } = accounts;
    const asked: string[][] = [];
    accounts.byEmails = (emails) => {
      asked.push([...emails]);
      return byEmails.call(accounts, emails);
    };
    const names = async (...emails: string[]) =>
      [...(await people.of(by(...emails)))].map(([email, { name }]) => `${email} ${name}`);
    try {
      const ada = await accounts.create({ name: 'ada', email: 'ada@example.com' });
      expect(await names('Ada@example.com', 'bob@example.com', '')).to.equal(['ada@example.com ada']);
      expect(await names('ada@example.com', 'bob@example.com')).to.equal(['ada@example.com ada']);
      expect(asked).to.equal([['ada@example.com', 'bob@example.com']]);
      await accounts.create({ name: 'bob', email: 'bob@example.com' });
      expect(await names('bob@example.com')).to.equal(['bob@example.com bob']);
      await accounts.rename(ada.id, 'grace');
      expect(await names('ada@example.com', 'bob@example.com')).to.equal([
        'ada@example.com grace',
        'bob@example.com bob',
      ]);
    } finally {
      accounts.byEmails = byEmails;
    }
  });
});
