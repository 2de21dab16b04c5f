import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineTexts, type Translation } from '@mortise/plugin-sdk';
import { catalogueProblems, unusedTexts } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it } = lab;

const en = {
  title: 'Stars',
  files: '{count, plural, one {# file} other {# files}} of {name}',
  taken: 'The name "{name}" is already taken.',
  rich: 'Signed in as <b>{name}</b>',
  quoted: "It''s {name}''s",
} as const;
const de: Translation<typeof en> = {
  title: 'Sterne',
  files: '{count, plural, one {# Datei} other {# Dateien}} von {name}',
  taken: 'Der Name „{name}“ ist bereits vergeben.',
  rich: 'Angemeldet als <b>{name}</b>',
  quoted: 'Es gehört {name}',
};
const t = defineTexts('fixture', en, { de });

describe('the check of catalogues', () => {
  it('finds nothing in a good one', () => {
    expect(catalogueProblems(t.catalogue)).to.equal([]);
  });

  it('finds what is missing, too much, or different', () => {
    const faults = catalogueProblems({
      name: 'bad',
      languages: {
        en: { a: 'A {x}', b: 'B', c: '{n, plural, one {#} other {#}}', d: '{broken', e: 'E <b>x</b>', f: 'F' },
        de: { a: 'A {y}', c: '{n, plural, other {#}}', d: 'D', e: 'E', f: ' ', g: 'G' },
      },
    });
    for (const part of [
      'de lacks "b"',
      '"a" has {argument y}',
      '"c" lacks the form "one"',
      'en "d" cannot be read',
      '"e" has {}',
      '"f" is empty',
      'de has "g"',
    ])
      expect(faults.join('\n'), part).to.contain(part);
  });

  it('finds keys that nobody uses', () => {
    const folder = new URL('../../src/texts', import.meta.url).pathname;
    expect(unusedTexts({ name: 'x', languages: { en: { 'no.such.key': 'x' } } }, folder)).to.equal(['no.such.key']);
  });
});
