// The lint rule that keeps words out of pages: what it finds, and what it leaves alone.
import { RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import * as Lab from '@hapi/lab';
import { literalText } from '../lint/literal-text.mjs';

export const lab = Lab.script();
const { describe, it } = lab;
RuleTester.describe = describe;
RuleTester.it = it;

const tester = new RuleTester({
  languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
});
const errors = [{ messageId: 'literal' }];

tester.run('literal-text', literalText, {
  valid: [
    "<p>{t('saved')}</p>",
    '<p>{count} / 3 &nbsp; · →</p>',
    '<code>git push</code>',
    '<p><kbd>{mac ? "Cmd" : "Ctrl"}</kbd></p>',
    '<input name="user_name" class="form control" type="text" placeholder="https://" />',
    "<a title={t('more')} href='/x'>{name}</a>",
    "const a = { type: 'text', text: 'utf8', key: 'Some key' }",
    "webPage({ title: t.later('title'), width: 'narrow' })",
    'const options = { note: undefined, text: value }',
    'show({ text: error.text, commit: commit.message })',
    '<p>{commit.message}</p>',
  ],
  invalid: [
    { code: '<p>Saved</p>', errors },
    { code: '<p>你好</p>', errors },
    { code: "<p>{'Saved'}</p>", errors },
    { code: '<p>{`${n} files`}</p>', errors },
    { code: "<p>{isOn ? 'On' : t('off')}</p>", errors },
    { code: "<p>{'a' + b}</p>", errors },
    { code: "<p>{isOn && 'on'}</p>", errors },
    { code: '<img alt="Your avatar" />', errors },
    { code: "<button aria-label={isOn ? t('on') : 'off'} />", errors },
    { code: '<TextField label="Name" name="name" />', errors },
    { code: "webPage({ title: 'Settings' })", errors },
    { code: 'webPage({ title: `${name} settings.` })', errors },
    { code: "show({ kind: 'error', text: 'It is gone.' })", errors },
    { code: "show({ kind: 'error', text: error.message })", errors: [{ messageId: 'message' }] },
    { code: '<p>{problem.message}</p>', errors: [{ messageId: 'message' }] },
  ],
});
