import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { isWebLink } from '@mortise/plugin-sdk';

export const lab = Lab.script();
const { describe, it } = lab;

describe('S11: links that browsers would run', () => {
  for (const text of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    '\ufeffjavascript:alert(1)',
    'java\u00adscript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'vbscript:x',
    'data:text/html,<script>',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    'ms-word:ofe|u|x',
    'view-source:x',
  ])
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(isWebLink(text)).to.be.false();
    });

  for (const text of [
    '',
    '/relative/place',
    '//example.com/x',
    '#here',
    '?a=b:c',
    'https://example.com/a:b',
    'HTTP://EXAMPLE.COM',
    'example.com',
    'localhost:3000/x',
    'not an address',
    'a/b:c',
  ])
    it(`takes ${JSON.stringify(text)}`, () => {
      expect(isWebLink(text)).to.be.true();
    });
});
