import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Joi } from '@mortise/plugin-sdk';
import { findMentions, createMentionPatterns } from '../services/mention-parser.js';
import { keywordSettings, type KeywordSettings } from '../settings.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('what texts name', () => {
  const root = 'https://code.example.com/sub';
  const usual = Joi.attempt({}, keywordSettings) as KeywordSettings;
  const naming = createMentionPatterns(root, usual);
  const issues = (text: string, by = naming) =>
    findMentions(text, by).issues.map(({ repository, index, action }) => `${repository ?? ''}#${index} ${action}`);

  it('issues by number, also of other repositories, with what is asked for', () => {
    expect(issues('see #1, closes #2 and Fixes: ada/Wheel#3; reopens #4')).to.equal([
      '#1 none',
      '#2 closes',
      'ada/wheel#3 closes',
      '#4 reopens',
    ]);
    expect(issues('prefixes #8 and unfixes #9')).to.equal(['#8 none', '#9 none']);
    expect(issues('abc#1 1#2 https://x/#3')).to.equal([]);
  });

  it('what is asked for in the words of the site, whatever they are', () => {
    const by = (CLOSE_KEYWORDS: string, REOPEN_KEYWORDS = '') =>
      createMentionPatterns(root, { CLOSE_KEYWORDS, REOPEN_KEYWORDS });
    const german = by('schließt, schließe,behebt', 'öffnet');
    expect(issues('Schließt #1, BEHEBT: ada/wheel#2, öffnet #3, fixes #4, verschließt #5', german)).to.equal([
      '#1 closes',
      'ada/wheel#2 closes',
      '#3 reopens',
      '#4 none',
      '#5 none',
    ]);
    expect(issues('关闭#1，关闭：#2 关闭 #3', by('关闭'))).to.equal(['#1 closes', '#2 closes', '#3 closes']);
    expect(issues('closes#1', by('closes'))).to.equal([]);
    expect(issues('fix #1, fixes #2, c++ #3', by('fix,fixes,c++'))).to.equal(['#1 closes', '#2 closes', '#3 closes']);
    expect(issues('closes #1, reopens #2', by(' , ', ''))).to.equal(['#1 none', '#2 none']);
  });

  it('issues by their whole address on this site', () => {
    expect(issues(`fixes ${root}/Ada/wheel/issues/3 and [this](${root}/ada/wheel/pulls/4#issuecomment-9)`)).to.equal([
      'ada/wheel#3 closes',
      'ada/wheel#4 none',
    ]);
    const none = [
      `${root}/ada/wheel/issues`,
      `${root}/ada/wheel/pulls/4/files`,
      'https://code.example.com/a/b/issues/1',
    ];
    expect(issues([...none, `\`${root}/a/b/issues/1\``, `${root}/a/b/issues/0`].join(' '))).to.equal([]);
  });

  it('U11: a title that quotes another commit names issues, and asks for nothing', () => {
    expect(issues('Revert "fixes #15"\n\nThis reverts commit 0123456.\n\ncloses #16')).to.equal([
      '#15 none',
      '#16 closes',
    ]);
    expect(issues('Revert "Revert "fixes #15" (#20)" (#21), fixes #22')).to.equal([
      '#15 none',
      '#20 none',
      '#21 none',
      '#22 closes',
    ]);
    expect(issues('* revert "closes: #15\n* Reapply "reopens a/b#1"')).to.equal(['#15 none', 'a/b#1 none']);
    expect(issues('Revert the lamp, fixes #15. Do not say "fixes #16"')).to.equal(['#15 closes', '#16 closes']);
    expect(issues('Revert "fixes #15"\n\nfixes #15')).to.equal(['#15 closes']);
  });

  it('a number within code names no issue', () => {
    expect(issues('`#1` and ``a ` #2``\n```\n#3\n```\n~~~~\n#4\n~~~\n#5\n~~~~\n#6')).to.equal(['#6 none']);
  });

  it('people, once each, and no addresses', () => {
    expect(findMentions('@Ada and @ada, @ben-c. me@example.com /@x `@cas`', naming).users).to.equal(['ada', 'ben-c']);
  });

  it('a long text costs little', () => {
    const started = process.cpuUsage();
    const runs = Array.from({ length: 600 }, (_, at) => '`'.repeat(at + 1)).join(' ');
    for (const text of [
      runs,
      '` '.repeat(1e5),
      '#'.repeat(1e6),
      '`'.repeat(1e6),
      'a/'.repeat(5e5),
      '@a'.repeat(5e5),
      'closes '.repeat(2e5),
      `${root}/`.repeat(4000),
      `${root}/${'a'.repeat(90)}/`.repeat(1000),
    ])
      findMentions(text, naming);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).to.be.below(2000);
  });
});
