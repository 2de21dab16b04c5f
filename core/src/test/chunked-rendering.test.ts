import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { ChunkedRender, type PageChunk } from '@mortise/plugin-sdk';
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { renderChunked } from '../web/chunked-rendering.js';
import { RenderQueue } from '../web/render-queue.js';

export const lab = Lab.script();
const { describe, it } = lab;

const busy = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('turns of large pages', () => {
  it('let others in between two that are ready in the same moment', async () => {
    const renderQueue = new RenderQueue();
    const order: string[] = [];
    const large = (name: string) =>
      renderQueue.run(() => {
        busy(15);
        order.push(name);
      });
    const pages = Promise.all([large('one'), large('two'), large('three')]);
    const others = (async () => {
      for (let n = 1; n <= 2; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`other ${n}`);
      }
    })();
    await Promise.all([pages, others]);
    expect(order.slice(0, 3)).to.equal(['one', 'other 1', 'two']);
    expect(order.indexOf('other 2')).to.be.below(order.indexOf('three'));
  });

  it('are not waited for by small ones, and a page that fails costs no other', async () => {
    const renderQueue = new RenderQueue();
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => renderQueue.run(() => order.push(n))));
    expect(order).to.equal([1, 2, 3]);
    await expect(
      renderQueue.run(() => {
        throw new Error('no page');
      }),
    ).to.reject('no page');
    expect(await renderQueue.run(() => 'next')).to.equal('next');
  });
});

describe('parts of pages that are made in turns', () => {
  const text = async (chunks: () => Iterable<PageChunk>, renderQueue = new RenderQueue()) => {
    const page = () => render(h('main', null, 'a', h(ChunkedRender, { chunks }), h('i', null, 'z')));
    return Buffer.concat(await renderChunked(renderQueue, (work) => work(), page)).toString();
  };
  const html = (__html: string) => ({ __html });

  it('stand where the component does, in their order, and in each other', async () => {
    const inner = () => [html('<b>'), h('u', null, '1 < 2'), html('</b>')];
    const outer = () => [html('&amp;'), h('p', null, h(ChunkedRender, { chunks: inner }), 'x'), h('em', null)];
    const wanted = '<main>a&amp;<p><b><u>1 &lt; 2</u></b>x</p><em></em><i>z</i></main>';
    expect(await text(outer)).to.equal(wanted);
    expect(render(h('main', null, 'a', h(ChunkedRender, { chunks: outer }), h('i', null, 'z')))).to.equal(wanted);
    expect(await text(() => [])).to.equal('<main>a<i>z</i></main>');
  });

  it('let others in between, each within the scope of the page', async () => {
    const order: string[] = [];
    const slow = function* () {
      for (const name of ['one', 'two', 'three']) {
        busy(15);
        order.push(name);
        yield html(name);
      }
    };
    let scopes = 0;
    const page = renderChunked(
      new RenderQueue(),
      (work) => {
        scopes++;
        return work();
      },
      () => render(h(ChunkedRender, { chunks: slow })),
    );
    const others = (async () => {
      for (let n = 1; n <= 2; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`other ${n}`);
      }
    })();
    expect(Buffer.concat((await Promise.all([page, others]))[0]).toString()).to.equal('onetwothree');
    expect(order.indexOf('other 1')).to.be.below(order.indexOf('two'));
    expect(order.indexOf('other 2')).to.be.below(order.indexOf('three'));
    expect(scopes).to.equal(5); // the page, three pieces, and the end
  });

  it('cost the page where they fail, and no other', async () => {
    const failing = function* () {
      yield html('a');
      throw new Error('no piece');
    };
    await expect(text(failing)).to.reject('no piece');
    expect(await text(() => [html('b')])).to.equal('<main>ab<i>z</i></main>');
  });
});
