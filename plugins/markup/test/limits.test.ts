import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { cpuTimeOf, currentThread } from '@mortise/plugin-sdk/threads';
import type { FileRendererModule, Viewer } from '../contract/markup.js';
import { closeAll, service } from './kit.js';

export const lab = Lab.script();
const { afterEach, describe, it } = lab;

const shout: FileRendererModule = {
  key: 'shout',
  extensions: ['.shout'],
  module: new URL('./renderers/shout.js', import.meta.url),
};
const visitor = (remoteAddress: string): Viewer => ({ actor: anonymous, remoteAddress });

describe('S3: limits of rendering', { timeout: 120_000 }, () => {
  afterEach(closeAll);

  it('S3: shows what takes too long as plain text, remembers that, and goes on with another thread', async () => {
    const { markup, results, log } = service({ renderers: [shout], settings: { RENDER_TIME_LIMIT: 300 } });
    expect(await markup.renderFile('a.shout', 'hang')).to.equal('<pre class="markup-plain">hang</pre>');
    expect(log.filter((line) => line.includes('took too long'))).to.have.length(2);
    expect(await markup.renderFile('a.shout', 'hang')).to.include('markup-plain');
    expect(results).to.equal(['failed', 'cached']);
    expect(await markup.renderFile('a.shout', 'fine')).to.include('<b>fine</b>');
  });

  it('S3: a thread cannot require ES modules, since ending it meanwhile would end the process', async () => {
    const { markup } = service({ renderers: [shout] });
    expect(await markup.renderFile('a.shout', 'require')).to.equal('ERR_REQUIRE_ESM');
  });

  it('S3: ends a thread that grows too large, and no more than that', async () => {
    const { markup, log } = service({ renderers: [shout], settings: { RENDER_MEMORY_LIMIT: 64 } });
    expect(await markup.renderFile('a.shout', 'grow')).to.equal('<pre class="markup-plain">grow</pre>');
    expect(log.join()).to.include('memory limit');
    expect(await markup.renderFile('a.shout', 'fine')).to.include('<b>fine</b>');
  });

  it('S3: shows what fails or floods as plain text', async () => {
    const { markup, log } = service({ renderers: [shout] });
    for (const text of ['fail', 'flood'])
      expect(await markup.renderFile('a.shout', text)).to.equal(`<pre class="markup-plain">${text}</pre>`);
    expect(log.join()).to.include('a renderer that fails').and.to.include('too large');
  });

  it('S3: a text that is too large is not even asked for', async () => {
    const { markup, results } = service();
    const text = '<'.repeat((1 << 20) + 1);
    expect((await markup.render(text)).startsWith('<pre class="markup-plain">&lt;')).to.be.true();
    expect((await markup.highlight('a.js', text)).language).to.be.undefined();
    expect(results).to.be.empty();
  });

  it('S3: many who ask for the same at once share one rendering', async () => {
    const { markup, results } = service();
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => markup.render('# shared', { viewer: visitor(`10.0.0.${index}`) })),
    );
    expect(new Set(all).size).to.equal(1);
    expect(results).to.equal(['done']);
  });

  it('S3: one visitor who fills every place delays nobody, and is told plainly', async () => {
    const { markup } = service({ renderers: [shout], settings: { RENDER_THREADS: 2, RENDER_TIME_LIMIT: 60_000 } });
    const hostile = visitor('10.6.6.6');
    let ended = 0;
    const flood = Array.from({ length: 200 }, (_, index) =>
      markup.renderFile('a.shout', `hang${' '.repeat(index)}`, { viewer: hostile }).finally(() => ended++),
    );
    expect(await markup.render('# mine', { viewer: visitor('10.0.0.1') })).to.include('<h1');
    await expect(markup.renderRequest({ text: 'one more', viewer: hostile })).to.reject(/Too many texts are waiting/);
    // What found no place is plain at once; the rest still hangs or waits.
    expect(ended).to.be.above(100).and.to.be.below(200);
    await closeAll();
    expect(new Set(await Promise.all(flood.map(async (one) => (await one)!.slice(0, 24)))).size).to.equal(1);
  });

  it('S3: the worst texts cost the main thread next to nothing', async () => {
    const { markup } = service({ settings: { RENDER_TIME_LIMIT: 300 } });
    await markup.render('ready');
    const worst = {
      'a long word in a fence': () => markup.render(`\`\`\`js\n${'a'.repeat(64 << 10)}\n\`\`\``),
      'nested elements': () => markup.render('<b>'.repeat(130_000)),
      'nested elements with text': () => markup.render('<b>x'.repeat(100_000)),
      'images that are none': () => markup.render('!['.repeat(150_000)),
      'relative links': () => markup.render('[a](b) '.repeat(70_000), { linkBase: '/a/b' }),
      'a wide table': () => markup.render(`|a${'|a'.repeat(1_000)}\n${'|-'.repeat(1_001)}\n${'|b'.repeat(200_000)}`),
      quotations: () => markup.render(`- ${'> '.repeat(100_000)}`),
      'a slow grammar': () => markup.highlight('a.cs', `${'function '.repeat(50)}\n`.repeat(800)),
      'a long line': () => markup.highlight('a.js', 'a'.repeat(32 << 10)),
      'many lines': () => markup.highlight('a.js', 'let a = 1;\n'.repeat(20_000)),
      'many cells': () => markup.renderFile('a.csv', ','.repeat(500_000)),
      'HTML of others': () => markup.sanitize('<b>'.repeat(130_000)),
    };
    const thread = currentThread();
    for (const [what, render] of Object.entries(worst)) {
      const before = cpuTimeOf(thread);
      expect(await render(), what).to.exist();
      // Of the processor, not of the clock, for others may use the machine; so much is the longest pause at most.
      if (before !== undefined) expect(cpuTimeOf(thread)! - before, what).to.be.below(250);
    }
  });

  it('S3: the worst texts that were found take less than a second of a thread', async () => {
    const { markup, results } = service({ settings: { RENDER_TIME_LIMIT: 5_000 } });
    const long = 'a'.repeat(64 << 10);
    const fence = await markup.render(`\`\`\`js\n${long}\n\`\`\``);
    expect(fence.includes(`<code class="language-js">${long}`)).to.be.true();
    const deep = await markup.render(`${'<b>'.repeat(130_000)}deep`);
    expect(deep.includes('<b>deep</b>')).to.be.true();
    const { lines, language } = await markup.highlight('a.js', `let a = 1;\n${long}\nlet b = "<";`);
    expect(language).to.equal('js');
    expect(lines).to.have.length(3);
    expect(lines[1] === long).to.be.true();
    expect(lines[2]).to.include('hljs-string').and.to.include('&lt;');
    const blank = (await markup.highlight('a.hs', `x = 1\n${'\n'.repeat(30_000)}y = 2`)).lines;
    expect(blank).to.have.length(30_002);
    expect(blank.at(-1)).to.include('hljs-number');
    expect(results).to.equal(['done', 'done', 'done', 'done']);
  });
});
