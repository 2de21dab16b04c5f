import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { ChunkedRender, inLanguage, FragmentCache, Language } from '@mortise/plugin-sdk';
import { renderWhole, setFragmentRenderer, renderDeferred } from '@mortise/plugin-sdk/host';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { CacheBudget } from '../cache/budget.js';
import { LruMemory } from '../cache/memory.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('FragmentCache', () => {
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
  before(() => {
    const cache = new LruMemory<string>(new CacheBudget(1 << 20).store());
    setFragmentRenderer({ render: (node) => renderWhole(() => render(node)), cache });
  });
  after(() => setFragmentRenderer(undefined));

  it('renders a fragment once for each key and language', () => {
    const german = new Language('de-DE');
    expect(page('1', 'one & only', english)).to.equal('<p><b>one &amp; only</b>.</p>');
    expect(page('1', 'not drawn', english)).to.equal('<p><b>one &amp; only</b>.</p>');
    expect(page('1', 'eins', german)).to.equal('<p><b>eins</b>.</p>');
    expect(page('2', 'two', english)).to.equal('<p><b>two</b>.</p>');
    expect(drawn).to.equal(3);
  });

  it('holds what is rendered in chunks elsewhere', () => {
    const chunks = () => [{ __html: '<i>piece</i>' }];
    const turns = () => h(ChunkedRender, { chunks }) as VNode;
    const node = () => h(FragmentCache, { name: 'fixture.turns', cacheKey: '', children: turns });
    for (let n = 0; n < 2; n++)
      expect(renderDeferred(() => inLanguage(english, () => render(node())))).to.equal(['<i>piece</i>']);
  });
});
