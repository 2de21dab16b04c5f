// Database: SQLite alone. Nothing is written: texts are read, or refused.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Problem } from '@mortise/plugin-sdk';
import { readXml, xmlText, type XmlElement } from '../api.js';

export const lab = Lab.script();
const { describe, it } = lab;

const refused = (text: string): boolean => {
  try {
    readXml(text);
    return false;
  } catch (error) {
    return Problem.is(error) && error.status === 400;
  }
};
const depthOf = ({ children }: XmlElement): number => 1 + Math.max(0, ...children.map(depthOf));

describe('XML in packages', () => {
  it('is read as it is written: texts, attributes, entities, and names without their prefix', () => {
    const root = readXml(
      '\ufeff<?xml version="1.0"?><!-- a remark --><p:project xmlns:p="urn:p"><version> 1.0 </version><c p:x="1&lt;2" y=\'&quot;\'/>' +
        '<d>t &amp; &#65;&#x42; <![CDATA[<raw> ]]>z</d>007</p:project>',
    );
    expect([root.name, root.text, xmlText(root, 'version')]).to.equal(['project', '007', '1.0']);
    expect(root.children.map(({ name }) => name)).to.equal(['version', 'c', 'd']);
    expect(root.children[1]!.attributes).to.equal({ x: '1<2', y: '"' });
    expect(xmlText(root, 'd')).to.equal('t & AB <raw> z');
  });

  it('is refused when it is not well-formed', () => {
    for (const text of ['', 'text', '<a>', '<a></b>', '<a/><b/>', '<a><b></a></b>', '<a b=c/>', '<a>&', '<__proto__/>'])
      expect(refused(text), text).to.be.true();
  });

  it('S1: is refused with entities of its own, whatever they would become', () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(100)}">${'bcdef'
      .split('')
      .map((name, at) => `<!ENTITY ${name} "${`&${'abcde'[at]};`.repeat(50)}">`)
      .join('')}]><x>&f;</x>`;
    expect(refused(bomb)).to.be.true();
    expect(refused('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>')).to.be.true();
    expect(refused('<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "d">]><x>&a;&c;</x>')).to.be.true();
  });

  it('S1: is bounded in depth, elements and length', () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(depthOf(readXml(nested(90)))).to.equal(90);
    for (const depth of [110, 100_000]) expect(refused(nested(depth)), String(depth)).to.be.true();
    expect(refused(`<r>${'<a/>'.repeat(60_000)}</r>`)).to.be.true();
    expect(refused(`<r>${' '.repeat(1024 * 1024)}</r>`)).to.be.true();
  });
});
