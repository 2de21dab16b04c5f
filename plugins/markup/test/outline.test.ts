import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { headingsOf } from '../contract/outline.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the outline of a text', () => {
  it('has the headings that can be linked to, with their levels', () => {
    const html = '<h2 id="user-content-a">A &amp; <em>b</em></h2><h3 id="user-content-c">C</h3><h3>none</h3>';
    expect(headingsOf(html)).to.equal([
      { level: 0, id: 'user-content-a', text: 'A & b' },
      { level: 1, id: 'user-content-c', text: 'C' },
    ]);
    expect(headingsOf('')).to.equal([]);
  });
});
