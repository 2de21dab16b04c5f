// The lint rule that keeps words out of pages: what it finds, and what it leaves alone.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { findingsIn } from '../support/linted.mjs';

export const lab = Lab.script();
const { before, describe, it } = lab;

const good = [
  "<p>{t('saved')}</p>",
  '<p>{count} / 3 &nbsp; · →</p>',
  '<code>git push</code>',
  '<p><kbd>{mac ? "Cmd" : "Ctrl"}</kbd></p>',
  '<input name="user_name" class="form control" type="text" placeholder="https://" />',
  "<a title={t('more')} href='/x'>{name}</a>",
  "{ type: 'text', text: 'utf8', key: 'Some key' }",
  "webPage({ title: t.later('title'), width: 'narrow' })",
  '{ note: undefined, text: value }',
  'show({ text: error.text, commit: commit.message })',
  '<p>{commit.message}</p>',
];
const literals = [
  '<p>Saved</p>',
  '<p>你好</p>',
  "<p>{'Saved'}</p>",
  '<p>{`${n} files`}</p>',
  "<p>{isOn ? 'On' : t('off')}</p>",
  "<p>{'a' + b}</p>",
  "<p>{isOn && 'on'}</p>",
  '<img alt="Your avatar" />',
  "<button aria-label={isOn ? t('on') : 'off'} />",
  '<TextField label="Name" name="name" />',
  "webPage({ title: 'Settings' })",
  'webPage({ title: `${name} settings.` })',
  "show({ kind: 'error', text: 'It is gone.' })",
];
const messages = ["show({ kind: 'error', text: error.message })", '<p>{problem.message}</p>'];

/** Each piece of code is a file of its own, so that it is known what is found in which. */
describe('literal-text', { timeout: 60_000 }, () => {
  let found;
  before(() => {
    const codes = [...good, ...literals, ...messages];
    const findings = Object.values(
      findingsIn(Object.fromEntries(codes.map((code, at) => [`plugins/a/pages/${at}.tsx`, `void (${code});\n`]))),
    );
    found = new Map(codes.map((code, at) => [code, findings[at].map(({ message }) => message)]));
  });

  for (const code of good) it(`leaves ${code}`, () => expect(found.get(code)).to.equal([]));
  for (const code of literals)
    it(`finds the words in ${code}`, () => {
      expect(found.get(code)).to.have.length(1);
      expect(found.get(code)[0]).to.startWith('Put "');
    });
  for (const code of messages)
    it(`finds the message in ${code}`, () => {
      expect(found.get(code)).to.have.length(1);
      expect(found.get(code)[0]).to.startWith('The message of an error is English');
    });
});
