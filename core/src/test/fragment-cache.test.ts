import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { ChunkedRender, inLanguage, FragmentCache, Language } from '@mortise/plugin-sdk';
import { renderWhole, setFragmentRenderer, renderDeferred } from '@mortise/plugin-sdk/host';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';

export const lab = Lab.script();
const { describe, it, before } = lab;

describe('parts of pages that are kept', () => {
  let drawn = 0;
  const page = (by: string, text: string, language: Language) =>
    inLanguage(language, () =>
      render(
        h(
          'p',
          null,
          h(FragmentCache, {
            name: 'fixture.part',
            cacheKey: by,
            children: () => {
              drawn++;
              return h('b', null, text);
            },
          }),
          '.',
        ),
      ),
    );
  const english = new Language('en-US');
  before(() => setFragmentRenderer((node) => renderWhole(() => render(node))));

  it('are drawn once for each thing that they show, and language', () => {
    const german = new Language('de-DE');
    expect(page('1', 'one & only', english)).to.equal('<p><b>one &amp; only</b>.</p>');
    expect(page('1', 'not drawn', english)).to.equal('<p><b>one &amp; only</b>.</p>');
    expect(page('1', 'eins', german)).to.equal('<p><b>eins</b>.</p>');
    expect(page('2', 'two', english)).to.equal('<p><b>two</b>.</p>');
    expect(drawn).to.equal(3);
  });

  it('are forgotten when there are too many, and too long ones not kept at all', () => {
    const language = new Language('en-US');
    const long = 'x'.repeat(60_000);
    drawn = 0;
    for (let n = 0; n < 100; n++) page(String(n), long, language);
    page('99', long, language);
    expect(drawn).to.equal(100);
    page('0', long, language);
    expect(drawn).to.equal(101);
    for (let n = 0; n < 2; n++) page('long', 'x'.repeat(70_000), language);
    expect(drawn).to.equal(103);
  });

  it('hold what is made in turns elsewhere', () => {
    const chunks = () => [{ __html: '<i>piece</i>' }];
    const turns = () => h(ChunkedRender, { chunks }) as VNode;
    const node = () => h(FragmentCache, { name: 'fixture.turns', cacheKey: '', children: turns });
    for (let n = 0; n < 2; n++)
      expect(renderDeferred(() => inLanguage(english, () => render(node())))).to.equal(['<i>piece</i>']);
  });
});
